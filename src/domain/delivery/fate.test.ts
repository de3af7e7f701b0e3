import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adviceFor, type Fate, fateOf } from './fate.ts';
import type { StepState } from './lifecycle.ts';
import type { HistoryEntry } from './settlement.ts';

type Line = readonly [step: number, event: HistoryEntry['event'], code?: HistoryEntry['code']];

const CASES: readonly (readonly [fate: Fate, state: StepState, ...history: Line[]])[] = [
  ['open', 'queued', [0, 'routed']],
  ['open', 'unknown', [0, 'lost']],
  ['delivered', 'delivered', [0, 'accepted'], [0, 'receivedDelivered']],
  ['delivered', 'expired', [0, 'accepted'], [0, 'deadline'], [0, 'lateDelivery']],
  ['notTaken', 'expired', [0, 'routed'], [0, 'returned'], [0, 'deadline']],
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
  ['unsure', 'expired', [0, 'accepted'], [0, 'deadline'], [1, 'routed'], [1, 'deadline']],
  ['failed', 'expired', [0, 'accepted'], [0, 'receivedFailed', '23001'], [1, 'deadline']],
];

for (const [fate, state, ...lines] of CASES) {
  test(`${state} after ${lines.map(([step, event]) => `${step} ${event}`).join(', ')}: ${fate}`, () => {
    const history = lines.map(([step, event, code]): HistoryEntry => {
      return { at: 0, step, attempt: 1, event, ...(code && { code }) };
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
