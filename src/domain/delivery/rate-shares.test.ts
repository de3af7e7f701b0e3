import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { rateShare } from './rate-shares.ts';

test('a single node gets the whole rate, whether it needs it or not', () => {
  assert.equal(rateShare(100, 100, []), 100);
  assert.equal(rateShare(100, 3, []), 100);
});

test('a node that cannot send gets no share', () => {
  assert.equal(rateShare(100, 0, []), 0);
  assert.equal(rateShare(100, 100, [{ wanted: 0, share: 0 }]), 100);
});

test('two nodes that want everything get half each; one gets what the other does not need', () => {
  assert.equal(rateShare(100, 100, [{ wanted: 100, share: 50 }]), 50);
  assert.equal(rateShare(100, 100, [{ wanted: 10, share: 10 }]), 90);
  assert.equal(rateShare(100, 10, [{ wanted: 100, share: 0 }]), 10);
  assert.equal(rateShare(100, 10, [{ wanted: 10, share: 0 }]), 50);
});

test('the share of another node is not assigned twice', () => {
  assert.equal(rateShare(100, 100, [{ wanted: 100, share: 100 }]), 0);
  assert.equal(rateShare(100, 100, [{ wanted: 100, share: 70 }]), 30);
});

test('the shares of all nodes never exceed the rate, and use it up after each has asked twice', () => {
  const wishes = fc.array(fc.double({ min: 0, max: 1000, noNaN: true }), { minLength: 1, maxLength: 6 });
  const rates = fc.double({ min: 0.5, max: 1000, noNaN: true });
  fc.assert(
    fc.property(rates, wishes, wishes, (rate, before, after) => {
      const nodes = before.map(wanted => ({ wanted, share: 0 }));
      const ask = (index: number, wanted: number) => {
        const node = nodes[index];
        if (!node) return;
        node.wanted = wanted;
        node.share = rateShare(
          rate,
          wanted,
          nodes.filter(other => other !== node),
        );
        const sum = nodes.reduce((total, { share }) => total + share, 0);
        assert.ok(sum <= rate * (1 + 1e-9), `${sum} of ${rate}`);
      };
      for (const [index, wanted] of before.entries()) ask(index, wanted);
      for (const [index, wanted] of after.entries()) ask(index, wanted);
      for (let round = 0; round < 2; round++)
        for (const [index, { wanted }] of nodes.entries()) ask(index, wanted);
      const sum = nodes.reduce((total, { share }) => total + share, 0);
      const isAnyAble = nodes.some(({ wanted }) => wanted > 0);
      assert.ok(Math.abs(sum - (isAnyAble ? rate : 0)) < rate * 1e-6, `${sum} of ${rate} are used`);
    }),
    { numRuns: 300 },
  );
});
