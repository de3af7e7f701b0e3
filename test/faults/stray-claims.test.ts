/** A node and the store look at the same claims at different moments: what was settled in between is no stray. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Claims } from '../../src/deliver/claims.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { ACME, answer, FIRST_CARRIER, StoreUnderTest } from '../store/contract/store-under-test.ts';

function openBench(t: TestContext): StoreUnderTest {
  const clock = new ManualClock();
  const dataDir = scratchDirectory();
  const open = () =>
    openSqliteStore({ dataDir, exclusive: true, now: () => clock.now(), monotonic: () => clock.monotonic() });
  const bench = new StoreUnderTest(open(), clock, async () => open());
  t.after(() => bench.store.close());
  return bench;
}

const order = (now: number) => ({ carrier: FIRST_CARRIER, shares: [{ account: ACME, limit: 10 }], now });

test('takes nothing for a stray that was in hand when the store was asked', async t => {
  const bench = openBench(t);
  const { store, clock } = bench;
  const isAsked = Promise.withResolvers<void>();
  const mayAnswer = Promise.withResolvers<void>();
  const slow: Store = {
    ...store,
    queue: {
      ...store.queue,
      async held(...query) {
        const held = await store.queue.held(...query);
        isAsked.resolve();
        await mayAnswer.promise;
        return held;
      },
    },
  };
  const claims = new Claims({ store: slow, clock, owner: 'node-1' });
  await bench.send();
  const [live] = await claims.claim(order(clock.now()));
  assert.ok(live);
  claims.suspect();
  const strays = claims.strays();
  await isAsked.promise;
  await bench.settle(answer(live, { name: 'lost' }));
  claims.letGo(live.msgKey, live.claim);
  mayAnswer.resolve();
  assert.deepEqual(await strays, []);
});

test('finds what it claimed without hearing of it', async t => {
  const bench = openBench(t);
  const { store, clock } = bench;
  const deaf: Store = {
    ...store,
    queue: {
      ...store.queue,
      async claim(claimOrder) {
        await store.queue.claim(claimOrder);
        throw new Error('the answer is lost');
      },
    },
  };
  const claims = new Claims({ store: deaf, clock, owner: 'node-1' });
  const msgKey = await bench.send();
  await assert.rejects(claims.claim(order(clock.now())));
  const strays = await claims.strays();
  assert.deepEqual(
    strays.map(stray => stray.msgKey),
    [msgKey],
  );
});

test('finds it also when another node has taken it over in the meantime', async t => {
  const bench = openBench(t);
  const { store, clock } = bench;
  let isDeaf = true;
  const queue: Store['queue'] = {
    ...store.queue,
    async claim(claimOrder) {
      const steps = await store.queue.claim(claimOrder);
      if (isDeaf) throw new Error('the answer is lost');
      return steps;
    },
  };
  const claims = new Claims({ store: { ...store, queue }, clock, owner: 'node-1' });
  const msgKey = await bench.send();
  await assert.rejects(claims.claim(order(clock.now())));
  isDeaf = false;
  await bench.send();
  const [sent] = await claims.claim(order(clock.now()));
  assert.ok(sent);
  // As long as a process may be frozen, or its database away.
  clock.advance(3_600_000);
  await store.nodes.takeOver({ self: 'node-2', now: clock.now(), promises: new Map() });
  assert.equal((await bench.view(msgKey)).state, 'unknown');
  const strays = await claims.strays();
  assert.deepEqual(
    strays.map(stray => stray.msgKey),
    [msgKey],
    'what was handed to a carrier stays in doubt',
  );
});

test('the answer about an earlier claim, when it comes late, does not hide a later one of the same message', async t => {
  const bench = openBench(t);
  const { store, clock } = bench;
  const claims = new Claims({ store, clock, owner: 'node-1' });
  const late = claims.begin();
  await bench.send();
  const [live] = await claims.claim(order(clock.now()));
  assert.ok(live);
  // Its step is over by then, and the next one has been claimed.
  claims.made(late, [live]);
  claims.letGo(live.msgKey, late);
  claims.suspect();
  assert.deepEqual(await claims.strays(), []);
});
