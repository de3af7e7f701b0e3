import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adviceFor, type Fate, fateOf } from './fate.ts';
import type { StepState } from './lifecycle.ts';
import type { HistoryEntry } from './settlement.ts';

/** The attempt is 1, where nothing else is said. */
type Line = readonly [
  step: number,
  event: HistoryEntry['event'],
  code?: HistoryEntry['code'],
  rest?: Partial<HistoryEntry>,
];

const NEVER_CLAIMED: Line[3] = { attempt: 0 };
const BY_CARRIER: Line[3] = { carrier: 'sky' };

const CASES: readonly (readonly [fate: Fate, state: StepState, ...history: Line[]])[] = [
  ['open', 'queued', [0, 'routed']],
  ['open', 'unknown', [0, 'lost']],
  ['delivered', 'delivered', [0, 'accepted'], [0, 'receivedDelivered']],
  ['delivered', 'expired', [0, 'accepted'], [0, 'deadline'], [0, 'lateDelivery']],
  ['notTaken', 'expired', [0, 'routed'], [0, 'deadline', '22000', NEVER_CLAIMED]],
  ['notTaken', 'expired', [0, 'deferred'], [0, 'deadline']],
  ['notTaken', 'failed', [0, 'refused', '23001']],
  ['notTaken', 'failed', [0, 'optedOut']],
  ['notTaken', 'failed', [0, 'cancelled', '90001']],
  ['failed', 'failed', [0, 'accepted'], [0, 'receivedFailed', '23001']],
  ['failed', 'failed', [0, 'lost'], [0, 'toldFailed', '23014']],
  ['unsure', 'expired', [0, 'accepted'], [0, 'deadline']],
  ['unsure', 'expired', [0, 'lost'], [0, 'deadline']],
  ['unsure', 'failed', [0, 'accepted'], [0, 'receivedFailed', '22000']],
  // The recipient may have the first, although the fallback never left.
  [
    'unsure',
    'expired',
    [0, 'accepted'],
    [0, 'deadline'],
    [1, 'routed'],
    [1, 'deadline', '22000', NEVER_CLAIMED],
  ],
  [
    'failed',
    'expired',
    [0, 'accepted'],
    [0, 'receivedFailed', '23001'],
    [1, 'deadline', '22000', NEVER_CLAIMED],
  ],
  // Its deadline passed while a carrier was asked.
  ['unsure', 'expired', [0, 'routed'], [0, 'deadline', '22000']],
  ['unsure', 'expired', [0, 'deferred'], [0, 'deadline', '22000', { attempt: 2 }]],
  ['unsure', 'expired', [0, 'accepted'], [0, 'receivedFailed', '23001'], [1, 'deadline', '22000']],
  // It waited to be made again, by the carrier that may have it.
  ['unsure', 'expired', [0, 'repeated'], [0, 'deadline', '22000', NEVER_CLAIMED]],
  // The receipt came before the answer.
  ['unsure', 'failed', [0, 'routed'], [0, 'receivedFailed', '22000']],
  ['failed', 'failed', [0, 'routed'], [0, 'receivedFailed', '23001']],
  // The carrier took some of its parts, or says that it has it.
  ['unsure', 'failed', [0, 'refused', '23001', { ...BY_CARRIER, parts: '..' }]],
  ['unsure', 'failed', [0, 'refused', '23025', BY_CARRIER]],
  ['notTaken', 'failed', [0, 'refused', '23001', BY_CARRIER]],
];

for (const [fate, state, ...lines] of CASES) {
  test(`${state} after ${lines.map(([step, event]) => `${step} ${event}`).join(', ')}: ${fate}`, () => {
    const history = lines.map(([step, event, code, rest]): HistoryEntry => {
      return { at: 0, step, attempt: 1, event, ...(code && { code }), ...rest };
    });
    assert.equal(fateOf(state, history), fate);
  });
}

test('what no carrier took needs a look at the carrier, whatever its code says of what is silent', () => {
  const history = [{ at: 0, step: 0, attempt: 0, event: 'deadline', code: '22000' }] as const;
  assert.equal(adviceFor('notTaken', history), 'carrier');
  assert.equal(adviceFor('unsure', history), 'unsure');
  assert.equal(adviceFor('delivered', history), null);
});
