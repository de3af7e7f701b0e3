import assert from 'node:assert/strict';
import test from 'node:test';
import { RefusalShare } from './refusal-share.ts';

const sample = (taken: number, refused: number) => ({ at: 0, taken, refused });

test('four cuts that change nothing give the rate back, and the share is tolerated', () => {
  const refusals = new RefusalShare();
  const rates = [200, 140, 98].map(rate => refusals.rateBeforeUselessCuts(sample(70, 30), rate, true));
  assert.deepEqual(rates, [undefined, undefined, undefined]);
  assert.equal(refusals.isTolerable(sample(70, 30)), false);
  assert.equal(refusals.rateBeforeUselessCuts(sample(68, 32), 69, true), 200);
  assert.ok(Math.abs(refusals.tolerated - 0.305) < 0.001);
  assert.equal(refusals.isTolerable(sample(70, 30)), true);
  assert.equal(refusals.isTolerable(sample(50, 50)), false);
});

test('a cut that helps, a quiet time between, or refusals of nearly everything begin anew', () => {
  for (const [what, broken, isSoonAgain] of [
    ['helped', sample(98, 2), true],
    ['quiet time', sample(70, 30), false],
    ['nearly all', sample(10, 90), true],
  ] as const) {
    const refusals = new RefusalShare();
    for (const rate of [200, 140, 98]) refusals.rateBeforeUselessCuts(sample(70, 30), rate, true);
    assert.equal(refusals.rateBeforeUselessCuts(broken, 69, isSoonAgain), undefined, what);
    assert.equal(refusals.rateBeforeUselessCuts(sample(70, 30), 50, true), undefined, what);
    assert.equal(refusals.tolerated, 0, what);
  }
});

test('the tolerated share is forgotten when refusals end, and never grows with them', () => {
  const refusals = new RefusalShare();
  for (const rate of [200, 140, 98, 69]) refusals.rateBeforeUselessCuts(sample(90, 10), rate, true);
  for (let count = 0; count < 50; count++) refusals.isTolerable(sample(88, 12));
  assert.ok(refusals.tolerated <= 0.12 + 1e-9, `${refusals.tolerated}`);
  for (let count = 0; count < 50; count++) refusals.isTolerable(sample(100, 0));
  assert.equal(refusals.tolerated, 0);
});
