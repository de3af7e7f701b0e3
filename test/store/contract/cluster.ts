import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BudgetAsk } from '../../../src/store/store.ts';
import { type OpenStore, PROFILE } from './store-under-test.ts';

/** Ten tokens a second, twenty at most. */
function asking(key: string, most: number, more: Partial<BudgetAsk> = {}): BudgetAsk {
  return { key, ratePerSecond: 10, burst: 20, returned: 0, least: most, most, ...more };
}

const START = Date.UTC(2026, 0, 5);
const LONG_MS = 3_600_000;

export function clusterContract(open: OpenStore): void {
  test('a budget is full at first, empties, and fills again at its rate', async t => {
    const { store } = await open(t);
    const lease = async (ask: BudgetAsk, afterMs: number) =>
      (await store.cluster.lease([ask], START + afterMs))[0];
    assert.deepEqual(await lease(asking('a', 15), 1000), { granted: 15, left: 5 });
    assert.deepEqual(await lease(asking('a', 6), 1000), { granted: 0, left: 5 });
    assert.deepEqual(await lease(asking('a', 6), 1100), { granted: 6, left: 0 });
    assert.deepEqual(await lease(asking('a', 1), 1600), { granted: 1, left: 4 });
    assert.deepEqual(await lease(asking('a', 1), 1_000_000), { granted: 1, left: 19 });
  });

  test('a budget gives what it has between the least and the most that is asked for', async t => {
    const { store } = await open(t);
    const lease = async (ask: BudgetAsk) => (await store.cluster.lease([ask], START))[0];
    assert.deepEqual(await lease(asking('a', 15)), { granted: 15, left: 5 });
    assert.deepEqual(await lease(asking('a', 10, { least: 2 })), { granted: 5, left: 0 });
    assert.deepEqual(await lease(asking('a', 10, { least: 2 })), { granted: 0, left: 0 });
    assert.deepEqual(await lease(asking('a', 0, { returned: 3 })), { granted: 0, left: 3 });
    assert.deepEqual(await lease(asking('a', 0, { returned: 90 })), { granted: 0, left: 20 });
  });

  test('more than a budget can hold is given by a full one, and paid off before anything else', async t => {
    const { store } = await open(t);
    const lease = async (ask: BudgetAsk, afterMs: number) =>
      (await store.cluster.lease([ask], START + afterMs))[0];
    assert.deepEqual(await lease(asking('a', 50), 1000), { granted: 50, left: -30 });
    assert.deepEqual(await lease(asking('a', 1), 3900), { granted: 0, left: -1 });
    assert.deepEqual(await lease(asking('a', 1), 4100), { granted: 1, left: 0 });
  });

  test('clocks of nodes that differ give a budget no more than its rate, and one far ahead does not block it', async t => {
    const { store } = await open(t);
    const lease = async (ask: BudgetAsk, afterMs: number) =>
      (await store.cluster.lease([ask], START + afterMs))[0];
    await lease(asking('a', 20), 5000);
    assert.deepEqual(await lease(asking('a', 1), 3000), { granted: 0, left: 0 });
    assert.deepEqual(await lease(asking('a', 10), 6000), { granted: 10, left: 0 });
    await lease(asking('a', 20), LONG_MS);
    assert.deepEqual(await lease(asking('a', 1), 6000), { granted: 0, left: 0 });
    assert.deepEqual(await lease(asking('a', 10), 7000), { granted: 10, left: 0 });
  });

  test('several budgets are asked at once; of many who ask at the same time none gets what another has', async t => {
    const { store } = await open(t);
    const both = await store.cluster.lease([asking('b', 3), asking('a', 20)], START);
    assert.deepEqual(both, [
      { granted: 3, left: 17 },
      { granted: 20, left: 0 },
    ]);
    const asked = Array.from({ length: 12 }, () =>
      store.cluster.lease([asking('c', 3), asking('d', 2)], START),
    );
    const granted = (await Promise.all(asked)).map(grants => grants.map(grant => grant.granted));
    const sum = (index: number) => granted.reduce((total, grants) => total + (grants[index] ?? 0), 0);
    assert.deepEqual([sum(0), sum(1)], [18, 20]);
    await store.cluster.sweep(START + 1000);
    assert.deepEqual(await store.cluster.lease([asking('a', 20)], START + 1000), [{ granted: 0, left: 10 }]);
    await store.cluster.sweep(START + LONG_MS);
    assert.deepEqual(await store.cluster.lease([asking('a', 20)], START + LONG_MS), [
      { granted: 20, left: 0 },
    ]);
  });

  test('divides the rate of a carrier between living nodes, and never gives a part of it twice', async t => {
    const { store } = await open(t);
    const { cluster, nodes } = store;
    const share = async (node: string, wanted: number) => {
      const shares = await cluster.shareRates(node, 60_000, [{ carrier: 'sky', rate: 100, wanted }]);
      return shares.get('sky');
    };
    await nodes.heartbeat('one', 60_000, PROFILE);
    await nodes.heartbeat('two', 60_000, PROFILE);
    assert.equal(await share('one', 100), 100);
    assert.equal(await share('two', 100), 0);
    assert.equal(await share('one', 100), 50);
    assert.equal(await share('two', 100), 50);
    assert.equal(await share('two', 10), 10);
    assert.equal(await share('one', 100), 90);
    await nodes.leave('two');
    assert.equal(await share('one', 100), 100);
    await nodes.heartbeat('two', 60_000, PROFILE);
    await cluster.shareRates('one', 60_000, []);
    assert.equal(await share('two', 1), 100);
  });

  test('a duty is one node’s until it leaves it or is gone', async t => {
    const { store } = await open(t);
    const { cluster, nodes } = store;
    await nodes.heartbeat('one', 60_000, PROFILE);
    await nodes.heartbeat('two', 60_000, PROFILE);
    assert.equal(await cluster.takeDuty('poll sky', 'one'), true);
    assert.equal(await cluster.takeDuty('poll sky', 'one'), true);
    assert.equal(await cluster.takeDuty('poll sky', 'two'), false);
    assert.equal(await cluster.takeDuty('poll sea', 'two'), true);
    await cluster.leaveDuty('poll sky', 'two');
    assert.equal(await cluster.takeDuty('poll sky', 'two'), false);
    await cluster.leaveDuty('poll sky', 'one');
    assert.equal(await cluster.takeDuty('poll sky', 'two'), true);
    await nodes.leave('two');
    assert.equal(await cluster.takeDuty('poll sky', 'one'), true);
    assert.equal(await cluster.takeDuty('poll sea', 'one'), true);
  });

  test('tells the news of other nodes until they have none', async t => {
    const { store } = await open(t);
    const { cluster } = store;
    await cluster.tellNews('one', 'first');
    await cluster.tellNews('one', 'second');
    await cluster.tellNews('two', 'other');
    assert.deepEqual(await cluster.newsOfOthers('two'), [{ node: 'one', news: 'second' }]);
    await cluster.tellNews('one', undefined);
    assert.deepEqual(await cluster.newsOfOthers('two'), []);
    await cluster.sweep(0);
    assert.equal((await cluster.newsOfOthers('one')).length, 1);
  });
}
