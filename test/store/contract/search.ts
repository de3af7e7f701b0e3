import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountId, MsgKey } from '../../../src/domain/ids.ts';
import type { MessageQuery } from '../../../src/store/store.ts';
import { ACME, answer, DAY_MS, GLOBEX, type OpenStore, type StoreUnderTest } from './store-under-test.ts';

/** Everything a query finds, page by page, and the number of pages. */
async function findAll(
  bench: StoreUnderTest,
  query: Partial<MessageQuery>,
): Promise<{ keys: MsgKey[]; pages: number }> {
  const keys: MsgKey[] = [];
  let before = query.before;
  for (let pages = 1; ; pages++) {
    const found = await bench.store.search.find({ limit: 3, ...query, ...(before && { before }) });
    keys.push(...found.messages.map(({ msgKey }) => msgKey));
    if (found.next === undefined) return { keys, pages };
    before = found.next;
  }
}

async function indexAll(bench: StoreUnderTest): Promise<void> {
  while ((await bench.store.search.index(bench.clock.now() + 1, 2)) > 0);
}

export function searchContract(open: OpenStore): void {
  test('finds messages newest first, page by page', async t => {
    const bench = await open(t);
    const sent: MsgKey[] = [];
    for (let count = 0; count < 7; count++) {
      bench.clock.advance(1000);
      sent.push(await bench.send());
    }
    assert.deepEqual(await findAll(bench, {}), { keys: sent.toReversed(), pages: 3 });
    assert.deepEqual((await findAll(bench, { limit: 7 })).pages, 1);
  });

  test('finds by recipient, reference and account, indexed or not', async t => {
    const bench = await open(t);
    const first = await bench.send({ recipients: ['01011110000'], ref: 'order-1' });
    bench.clock.advance(10);
    const second = await bench.send({ recipients: ['01022220000'], ref: 'order-2', account: GLOBEX });
    bench.clock.advance(10);
    await bench.store.search.index(bench.clock.now(), 1);
    const third = await bench.send({ recipients: ['01011110000'] });
    for (const isIndexed of [false, true]) {
      if (isIndexed) await indexAll(bench);
      assert.deepEqual((await findAll(bench, { to: ['01011110000'] })).keys, [third, first]);
      assert.deepEqual((await findAll(bench, { ref: 'order-2' })).keys, [second]);
      assert.deepEqual((await findAll(bench, { account: GLOBEX })).keys, [second]);
      assert.deepEqual((await findAll(bench, { to: ['01011110000'], account: GLOBEX })).keys, []);
      assert.deepEqual((await findAll(bench, { to: ['0101111'] })).keys, []);
    }
  });

  test('finds by every writing of a recipient', async t => {
    const bench = await open(t);
    const first = await bench.send({ recipients: ['01011110000'] });
    bench.clock.advance(10);
    const second = await bench.send({ recipients: ['+821011110000'] });
    bench.clock.advance(10);
    await bench.send({ recipients: ['01022220000'] });
    for (const isIndexed of [false, true]) {
      if (isIndexed) await indexAll(bench);
      const { keys } = await findAll(bench, { to: ['01011110000', '+821011110000', 'nobody'] });
      assert.deepEqual(keys, [second, first]);
    }
  });

  test('finds by the channel and the carrier that a message ended with', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim();
    await bench.settle(answer(live, { name: 'refused', reportCode: '23001' }));
    bench.clock.advance(10);
    const queued = await bench.send();
    await indexAll(bench);
    const failed = [live.msgKey];
    for (const query of [{ code: '23001' }, { state: ['failed'] }, { account: ACME }] as const) {
      const keys = async (more: Partial<MessageQuery>) => (await findAll(bench, { ...query, ...more })).keys;
      assert.deepEqual(await keys({ lastChannel: 'sms' }), failed);
      assert.deepEqual(await keys({ lastChannel: 'rcs' }), []);
      for (const carrier of ['nobody', 'alp', 'alph_', '%', 'alpha\\', "'"]) {
        assert.deepEqual(await keys({ carrier }), [], carrier);
      }
      assert.deepEqual((await keys({ carrier: 'alpha' })).at(-1), live.msgKey);
    }
    assert.deepEqual((await findAll(bench, { carrier: 'alpha' })).keys, [queued, live.msgKey]);
  });

  test('finds by state and code, and shows where each message stands', async t => {
    const bench = await open(t);
    const delivered = await bench.deliver();
    bench.clock.advance(10);
    const live = await bench.sendAndClaim({ ref: 'lost' });
    await bench.settle(answer(live, { name: 'refused', reportCode: '23001' }));
    const queued = await bench.send();
    assert.deepEqual((await findAll(bench, { state: ['delivered'] })).keys, [delivered]);
    assert.deepEqual((await findAll(bench, { code: '10000' })).keys, [delivered]);
    assert.deepEqual((await findAll(bench, { state: ['queued'] })).keys, [queued]);
    assert.deepEqual((await findAll(bench, { code: '23001', account: ACME })).keys, [live.msgKey]);
    const failed = await bench.store.search.find({ state: ['failed'], limit: 5 });
    assert.deepEqual(failed.messages, [
      {
        msgKey: live.msgKey,
        account: ACME,
        to: '01012345678',
        ref: 'lost',
        groupKey: undefined,
        channels: ['sms'],
        step: 0,
        state: 'failed',
        code: '23001',
        carrier: 'alpha',
        acceptedAt: bench.clock.now(),
        finishedAt: bench.clock.now(),
        fate: 'notTaken',
      },
    ]);
    const [waiting] = (await bench.store.search.find({ key: queued, limit: 5 })).messages;
    assert.deepEqual([waiting?.state, waiting?.code, waiting?.finishedAt], ['queued', undefined, undefined]);
    assert.equal(waiting?.carrier, 'alpha');
  });

  test('finds by channel and by time', async t => {
    const bench = await open(t);
    const mms = await bench.send({ flow: [{ channel: 'mms', from: '02123456', text: '"channel":"sms"' }] });
    bench.clock.advance(60_000);
    const noon = bench.clock.now();
    const sms = await bench.send();
    assert.deepEqual((await findAll(bench, { channel: 'sms' })).keys, [sms]);
    assert.deepEqual((await findAll(bench, { channel: 'mms' })).keys, [mms]);
    assert.deepEqual((await findAll(bench, { from: noon })).keys, [sms]);
    assert.deepEqual((await findAll(bench, { until: noon })).keys, [mms]);
  });

  test('does a bounded amount of work for something rare, and finds it in the end', async t => {
    const bench = await open(t);
    const rare = await bench.send({ recipients: ['01099990000'] });
    bench.clock.advance(10);
    for (let count = 0; count < 9; count++) {
      const recipients = Array.from({ length: 500 }, () => '01012345678');
      await bench.accept(bench.request({ recipients }));
    }
    const first = await bench.store.search.find({ to: ['01099990000'], limit: 3 });
    assert.deepEqual(first.messages, []);
    assert.notEqual(first.next, undefined);
    assert.deepEqual((await findAll(bench, { to: ['01099990000'] })).keys, [rare]);
    while ((await bench.store.search.index(bench.clock.now() + 1, 1000)) > 0);
    assert.deepEqual(await findAll(bench, { to: ['01099990000'] }), { keys: [rare], pages: 1 });
  });

  /** One request of many recipients whose key begins with a moment of its own. */
  async function acceptAt(bench: StoreUnderTest, at: number, account: AccountId, recipients: number) {
    const requestId = bench.requestIdAt(at);
    const numbers = Array.from({ length: recipients }, () => '01012345678');
    const request = bench.request({ account, requestId, recipients: numbers });
    await bench.accept(request);
    return request.messages.map(({ msgKey }) => msgKey);
  }

  test('an account finds its own, whatever others have in the future or have sent this moment', async t => {
    const bench = await open(t);
    await indexAll(bench);
    const [mine] = await acceptAt(bench, bench.clock.now(), ACME, 1);
    // Of reservations that were moved to an earlier time, and of others that send a lot.
    for (let count = 0; count < 5; count++) {
      await acceptAt(bench, bench.clock.now() + 30 * DAY_MS, GLOBEX, 1000);
      await acceptAt(bench, bench.clock.now() + 1000, GLOBEX, 1000);
    }
    const query = { account: ACME, isOwn: true } as const;
    assert.deepEqual(await findAll(bench, query), { keys: [mine], pages: 1 });
    assert.deepEqual(await findAll(bench, { ...query, to: ['01012345678'] }), { keys: [mine], pages: 1 });
    while ((await bench.store.search.index(bench.clock.now() + 31 * DAY_MS, 1000)) > 0);
    assert.deepEqual(await findAll(bench, { ...query, to: ['01012345678'] }), { keys: [mine], pages: 1 });
  });

  test('what lies ahead of the clock is found once it is indexed, and at once where the clock was set back', async t => {
    const bench = await open(t);
    const indexed = await acceptAt(bench, bench.clock.now(), ACME, 1);
    await indexAll(bench);
    bench.clock.advance(120_000);
    const before = [...(await acceptAt(bench, bench.clock.now(), ACME, 1)), ...indexed];
    const from = bench.clock.now();
    bench.clock.setWallBy(-10 * DAY_MS);
    await bench.store.search.rewind(bench.clock.now(), from);
    const later = await acceptAt(bench, bench.clock.now(), ACME, 1);
    const query = { account: ACME, isOwn: true } as const;
    assert.deepEqual((await findAll(bench, query)).keys, [...before, ...later]);
    await indexAll(bench);
    assert.deepEqual((await findAll(bench, query)).keys, [...before, ...later]);
  });

  test('finds what was stored behind the index at once, and indexes it', async t => {
    const bench = await open(t);
    const numbers = ['01011110000', '01022220000'];
    const requestId = bench.requestIdAt(bench.clock.now());
    bench.clock.advance(30_000);
    await bench.send();
    await indexAll(bench);
    // Its key was made before it was stored, half a minute later.
    const late = await bench.send({ requestId, recipients: numbers, ref: 'late' });
    for (const isIndexed of [false, true]) {
      if (isIndexed) await indexAll(bench);
      const told = `indexed: ${isIndexed}`;
      assert.deepEqual((await findAll(bench, { to: ['01011110000'] })).keys, [late], told);
      assert.deepEqual((await findAll(bench, { to: numbers })).keys.length, 2, told);
      assert.deepEqual((await findAll(bench, { ref: 'late' })).keys.length, 2, told);
      assert.deepEqual((await findAll(bench, { to: ['01033330000'] })).keys, [], told);
      assert.deepEqual(
        (await findAll(bench, { to: ['01011110000'], from: bench.clock.now() })).keys,
        [],
        told,
      );
    }
    assert.equal(await bench.store.search.index(bench.clock.now() + 1, 100), 0, 'nothing is left to index');
  });

  test('forgets what was swept', async t => {
    const bench = await open(t);
    await bench.deliver({ ref: 'old' });
    await indexAll(bench);
    bench.clock.advance(40 * DAY_MS);
    await bench.sweep({ inquiryBefore: bench.clock.now() - 30 * DAY_MS });
    for (const query of [{ to: ['01012345678'] }, { ref: 'old' }, { account: ACME }, {}]) {
      assert.deepEqual((await findAll(bench, query)).keys, []);
    }
  });
}
