import assert from 'node:assert/strict';
import test from 'node:test';
import { AnswerCounts } from './answer-counts.ts';

test('tells parts a second, whatever part of the running tenth has passed', () => {
  const counts = new AnswerCounts(0);
  for (let now = 0; now <= 5050; now += 10) counts.add(2, now);
  for (const windowMs of [500, 1000, 3000]) {
    const rate = counts.perSecond(windowMs, 5050);
    assert.ok(Math.abs(rate - 200) < 5, `${windowMs} ms: ${rate}`);
  }
});

test('forgets what is older than the window, and everything after a long silence', () => {
  const counts = new AnswerCounts(0);
  counts.add(100, 0);
  assert.ok(counts.perSecond(1000, 900) > 90);
  assert.equal(counts.perSecond(1000, 1200), 0);
  assert.ok(counts.perSecond(5000, 1200) > 0);
  assert.equal(counts.perSecond(10_000, 3_600_000), 0);
});
