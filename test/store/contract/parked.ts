import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, DAY_MS, FIRST_CARRIER, type OpenStore, type StoreUnderTest } from './store-under-test.ts';

const DELIVERED = { name: 'receivedDelivered' } as const;

/** Parks receipts that match nothing. */
async function park(bench: StoreUnderTest, count: number, carrier = FIRST_CARRIER): Promise<void> {
  const receipts = Array.from({ length: count }, (_, index) =>
    bench.receipt(`nobody-${index}`, DELIVERED, { carrier, to: '01099990000', from: '0212345678' }),
  );
  await bench.settle(...receipts);
}

async function parked(bench: StoreUnderTest, carrier = FIRST_CARRIER) {
  return bench.store.queue.parkedFor(carrier, ['99990000'], bench.clock.now() + 1);
}

export function parkedContract(open: OpenStore): void {
  test('keeps who a parked receipt is from and for', async t => {
    const bench = await open(t);
    await park(bench, 1);
    const [receipt] = await parked(bench);
    assert.deepEqual([receipt?.ref, receipt?.to, receipt?.from], ['nobody-0', '01099990000', '0212345678']);
    const later = bench.clock.now() + 1;
    assert.deepEqual(await bench.store.queue.parkedFor(FIRST_CARRIER, ['99990001'], later), []);
  });

  test('looks at a parked receipt less and less often', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim();
    await bench.settle(bench.receipt('r1', DELIVERED, { to: '01099990000' }));
    await bench.settle(answer(live, { name: 'accepted' }, ['r1']));
    const looks: number[] = [];
    for (let second = 0; second < 600; second++) {
      const matched = await bench.store.queue.matchedParked(bench.clock.now(), 10);
      if (matched.length > 0) looks.push(second);
      bench.clock.advance(1000);
    }
    assert.equal(looks[0], 0);
    assert.ok(looks.length < 20, `${looks.length} looks in ten minutes`);
    assert.ok(looks.length > 5, `${looks.length} looks in ten minutes`);
  });

  test('finds the reference of a parked receipt with the carriers whose receipts may come by that which brought it', async t => {
    const bench = await open(t);
    await bench.settle(bench.receipt('r1', DELIVERED, { carrier: 'gamma' }));
    await bench.submit(['r1']);
    const matched = async (receiptsOf: Record<string, string[]>) => {
      bench.clock.advance(DAY_MS);
      const found = await bench.store.queue.matchedParked(
        bench.clock.now(),
        10,
        new Map(Object.entries(receiptsOf)),
      );
      return found.map(({ carrier, ref }) => [carrier, ref]);
    };
    assert.deepEqual(await matched({}), []);
    assert.deepEqual(await matched({ gamma: ['delta'], delta: [FIRST_CARRIER] }), []);
    assert.deepEqual(await matched({ gamma: ['delta', FIRST_CARRIER] }), [['gamma', 'r1']]);
  });

  test('a receipt that matches nothing is not handed out, however often it is looked at', async t => {
    const bench = await open(t);
    await park(bench, 50);
    for (let look = 0; look < 5; look++) {
      assert.deepEqual(await bench.store.queue.matchedParked(bench.clock.now(), 100), []);
      bench.clock.advance(3_600_000);
    }
    assert.equal((await parked(bench)).length, 50);
  });

  test('of a carrier the newest parked receipts are kept, up to a number; of another all', async t => {
    const bench = await open(t);
    await park(bench, 30);
    await park(bench, 5, 'gamma');
    await bench.sweep({ mostParked: 10 });
    const refs = (await parked(bench)).map(({ ref }) => ref);
    assert.deepEqual(
      refs,
      Array.from({ length: 10 }, (_, index) => `nobody-${index + 20}`),
    );
    assert.equal((await parked(bench, 'gamma')).length, 5);
  });

  test('deletes parked receipts by their age', async t => {
    const bench = await open(t);
    await park(bench, 3);
    bench.clock.advance(DAY_MS);
    await park(bench, 2);
    await bench.sweep({ parkedBefore: bench.clock.now() - 1 });
    assert.equal((await parked(bench)).length, 2);
  });

  test('lists the steps in doubt with what tells whose receipt it is', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim();
    const claimedAt = bench.clock.now();
    await bench.sendAndClaim();
    bench.clock.advance(1000);
    await bench.settle(answer(live, { name: 'lost' }));
    const [step, ...others] = await bench.store.queue.doubtful(10);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [step?.msgKey, step?.to, step?.carrier, step?.attempt, step?.claimedAt],
      [live.msgKey, live.to, FIRST_CARRIER, 1, claimedAt],
    );
  });

  test('keeps what is set aside, the newest first', async t => {
    const bench = await open(t);
    const { queue } = bench.store;
    for (const at of [1, 2, 3]) await queue.setAside({ at, reason: `reason ${at}`, event: '{}' });
    assert.deepEqual(await queue.listSetAside(2), [
      { at: 3, reason: 'reason 3', event: '{}' },
      { at: 2, reason: 'reason 2', event: '{}' },
    ]);
  });

  test('tells what a node holds, by claim, until it is settled', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim();
    const { msgKey, step, attempt, claim } = live;
    assert.deepEqual(await bench.store.queue.held('node-1', [], 10), [{ msgKey, step, attempt, claim }]);
    assert.deepEqual(await bench.store.queue.held('node-2', [], 10), []);
    await bench.settle(answer(live, { name: 'accepted' }));
    assert.deepEqual(await bench.store.queue.held('node-1', [], 10), []);
  });

  test('a "returned" that is written twice does not free what was claimed again', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim();
    const returned = {
      ...answer(live, { name: 'returned', retryAfterMs: 0 }),
      ...(live.claim !== undefined && { claim: live.claim }),
    };
    await bench.settle(returned);
    const [again] = await bench.claim();
    assert.equal(again?.attempt, live.attempt);
    assert.deepEqual((await bench.settle(returned)).settled, ['ignored']);
    assert.deepEqual(await bench.claim(), []);
  });

  test('a step put off is ready when its time has come, or when it was put off in the future, as it seems', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim();
    await bench.settle(answer(live, { name: 'deferred', reportCode: '22003' }));
    const { queue } = bench.store;
    const order = { putOffAfter: undefined, limit: 10 };
    assert.equal(await queue.release({ ...order, now: bench.clock.now() + 1999 }), 0);
    const hourAgo = bench.clock.now() - 3_600_000;
    assert.equal(await queue.release({ ...order, now: hourAgo }), 0);
    assert.equal(await queue.release({ now: hourAgo, putOffAfter: hourAgo + 60_000, limit: 10 }), 1);
    assert.equal((await queue.depth()).ready, 1);
  });
}
