import assert from 'node:assert/strict';
import test from 'node:test';
import type { Step } from '../../domain/delivery/flow.ts';
import type { AccountId } from '../../domain/ids.ts';
import { ManualClock } from '../../platform/clock.ts';
import type { Submission } from '../carrier.ts';
import { Gathering } from './gathering.ts';

function batch(count: number, fields: object = {}, account = 'edge'): Submission[] {
  return Array.from({ length: count }, (_, index) => ({
    attemptId: `a-${index}`,
    account: account as AccountId,
    to: `010${index}`,
    attempt: 1,
    timeLeftMs: 86_400_000,
    hasOwnTime: false,
    message: { channel: 'sms', from: '02', text: 'hello', ...fields } as Step,
  }));
}

function made(most = 10) {
  const clock = new ManualClock();
  const gathering = new Gathering(most, clock);
  const sizes = (given: readonly Submission[]) =>
    gathering.groups(given).map(({ submissions, isTrial }) => `${submissions.length}${isTrial ? '?' : ''}`);
  return { clock, gathering, sizes };
}

test('nothing is gathered before a trial has shown that destinations keep their references', () => {
  const { clock, gathering, sizes } = made();
  assert.deepEqual(sizes(batch(1)), ['1'], 'one message is no reason for a trial');
  assert.deepEqual(sizes(batch(3)), ['1?', '1', '1']);
  assert.deepEqual(sizes(batch(3)), ['1', '1', '1'], 'one trial at a time');
  clock.advance(600_000);
  assert.deepEqual(sizes(batch(3)), ['1?', '1', '1'], 'again, if no report came');
  gathering.learn(new Set(['destination']));
  assert.deepEqual(sizes(batch(23)), ['10', '10', '3']);
});

test('a service that returns the reference of the whole request gets each message alone, for good', () => {
  const { gathering, sizes } = made();
  gathering.learn(new Set(['request']));
  assert.deepEqual(sizes(batch(3)), ['1', '1', '1']);
  gathering.learn(new Set(['destination']));
  assert.deepEqual(sizes(batch(3)), ['1', '1', '1']);
});

test('only messages of one account and one content are together, and each recipient once', () => {
  const { gathering, sizes } = made();
  gathering.learn(new Set(['destination']));
  assert.deepEqual(sizes([...batch(2), ...batch(2, { text: 'other' }), ...batch(2, {}, 'shop')]), [
    '2',
    '2',
    '2',
  ]);
  assert.deepEqual(sizes([...batch(2), ...batch(2)]), ['2', '2']);
  assert.deepEqual(sizes(batch(3, { channel: 'international' })), ['1', '1', '1']);
  assert.deepEqual(sizes([]), []);
});

test('a most of one turns it off', () => {
  const { gathering, sizes } = made(1);
  gathering.learn(new Set(['destination']));
  assert.deepEqual(sizes(batch(3)), ['1', '1', '1']);
});
