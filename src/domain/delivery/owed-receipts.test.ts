import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StepState } from './lifecycle.ts';
import { mayOweReceipt } from './owed-receipts.ts';
import type { HistoryEntry } from './settlement.ts';

type Line = readonly [event: HistoryEntry['event'], changes?: Partial<HistoryEntry>];

const ROWS: readonly (readonly [what: string, owes: boolean, state: StepState, ...lines: readonly Line[]])[] =
  [
    ['waits in the queue', false, 'queued'],
    ['is being submitted', true, 'submitting'],
    ['was taken', true, 'submitted'],
    ['is in doubt', true, 'unknown', ['lost']],
    ['is in doubt, and noted', true, 'unknown', ['lost'], ['takenOver'], ['receiptAmbiguous']],
    ['is to be made again', true, 'queued', ['repeated']],
    ['was in doubt and returned', false, 'queued', ['lost']],
    ['is put off', false, 'retrying', ['deferred']],
    ['was moved to another carrier', false, 'submitted', ['rerouted', { carrier: 'sea' }]],
    ['was delivered', false, 'delivered', ['accepted'], ['receivedDelivered']],
    ['failed', false, 'failed', ['accepted'], ['receivedFailed']],
    ['failed with its last part', false, 'failed', ['receivedFailed', { parts: '+.' }]],
    ['failed with one of two open parts', true, 'failed', ['receivedFailed', { parts: '+..' }]],
    [
      'failed, and then its other part came',
      false,
      'failed',
      ['receivedFailed', { parts: '..' }],
      ['latePart', { parts: '+.' }],
    ],
    ['was refused', false, 'failed', ['refused']],
    ['was refused in part', true, 'failed', ['refused', { parts: '..' }]],
    ['was put off to the end', false, 'failed', ['deferred']],
    ['was cancelled', false, 'failed', ['cancelled']],
    ['was settled by hand', true, 'delivered', ['accepted'], ['toldDelivered']],
    ['expired after it was taken', true, 'expired', ['accepted'], ['deadline']],
    ['expired in doubt', true, 'expired', ['lost'], ['deadline']],
    ['expired when it was to be made again', true, 'expired', ['repeated'], ['deadline', { attempt: 0 }]],
    ['expired in the queue', false, 'expired', ['deadline', { attempt: 0 }]],
    ['expired while it was put off', false, 'expired', ['deferred'], ['deadline']],
    ['was delivered late', false, 'expired', ['accepted'], ['deadline'], ['lateDelivery']],
    [
      'was delivered late in part',
      true,
      'expired',
      ['deadline', { parts: '..' }],
      ['latePart', { parts: '+.' }],
    ],
  ];

for (const [what, owes, state, ...lines] of ROWS) {
  test(`a step that ${what} has ${owes ? 'maybe a' : 'no'} receipt to come`, () => {
    const history = [['routed', { attempt: 0 }] as Line, ...lines].map(
      ([event, changes]) =>
        ({ at: 1, step: 0, attempt: 1, event, carrier: 'sky', ...changes }) as HistoryEntry,
    );
    assert.equal(mayOweReceipt({ state, step: 0, history }, 0, 'sky'), owes);
    assert.equal(mayOweReceipt({ state, step: 0, history }, 0, 'moon'), false);
    assert.equal(mayOweReceipt({ state: 'queued', step: 1, history }, 1, 'sky'), false);
  });
}
