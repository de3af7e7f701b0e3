import assert from 'node:assert/strict';
import { test } from 'node:test';
import { msgKeyOf } from '../../../src/domain/ids.ts';
import {
  ACME,
  accountNamed,
  answer,
  DAY_MS,
  DEADLINE_MS,
  FIRST_CARRIER,
  GLOBEX,
  NO_CUTOFFS,
  type OpenStore,
} from './store-under-test.ts';

const DELIVERED = { name: 'receivedDelivered' } as const;

export function upkeepContract(open: OpenStore): void {
  test('a probe writes, as often as it is asked to', async t => {
    const { store } = await open(t);
    await store.ping();
    for (let probe = 0; probe < 3; probe++) await store.probeWrite();
    await Promise.all([store.probeWrite(), store.probeWrite()]);
  });

  test('tells what keeps a commit, and what may lose it', async t => {
    const { store } = await open(t);
    const { settings, risks, standbys } = await store.durability();
    assert.ok(Object.keys(settings).length > 0);
    assert.equal(standbys, 0);
    // The PostgreSQL of the tests does not wait for its disk.
    for (const { setting, value } of risks) assert.equal(settings[setting], value);
  });

  test('sweeps nothing that is within its time', async t => {
    const bench = await open(t);
    await bench.store.accounts.create(accountNamed(ACME));
    const start = bench.clock.now();
    await bench.store.tokens.add({ hash: 'h1', account: ACME, expiresAt: start, epoch: 0 });
    const idempotency = { key: 'k', bodyHash: 'b', response: 'r' };
    const msgKey = await bench.deliver({ idempotency });
    await bench.settle(bench.receipt('r1', DELIVERED));
    await bench.sweep({
      tokensBefore: start,
      idempotencyBefore: start,
      unfetchedBefore: start,
      inquiryBefore: start,
      parkedBefore: start,
    });
    assert.ok(await bench.store.tokens.find('h1'));
    assert.equal((await bench.accept(bench.request({ idempotency }))).kind, 'replayed');
    assert.equal((await bench.poll())?.records.length, 1);
    assert.equal((await bench.view(msgKey)).state, 'delivered');
    const live = await bench.sendAndClaim();
    const { reports } = await bench.settle(answer(live, { name: 'accepted' }, ['r1']));
    assert.equal(reports.length, 1);
  });

  test('deletes expired tokens, however many', async t => {
    const bench = await open(t);
    const hashes = Array.from({ length: 2500 }, (_, index) => `h${index}`);
    await Promise.all(
      hashes.map(hash => bench.store.tokens.add({ hash, account: ACME, expiresAt: 100, epoch: 0 })),
    );
    await bench.store.tokens.add({ hash: 'valid', account: ACME, expiresAt: 101, epoch: 0 });
    await bench.sweep({ tokensBefore: 101 });
    for (const hash of ['h0', 'h1200', 'h2499']) {
      assert.equal(await bench.store.tokens.find(hash), undefined);
    }
    assert.ok(await bench.store.tokens.find('valid'));
  });

  test('forgets idempotency keys', async t => {
    const bench = await open(t);
    const idempotency = { key: 'k', bodyHash: 'b', response: 'r' };
    await bench.send({ idempotency });
    await bench.sweep({ idempotencyBefore: bench.clock.now() + 1 });
    assert.equal((await bench.accept(bench.request({ idempotency }))).kind, 'stored');
  });

  test('what was set aside is deleted with the messages of its time', async t => {
    const bench = await open(t);
    const { queue } = bench.store;
    for (const at of [100, 200]) await queue.setAside({ at, reason: 'too long', event: '{}' });
    await bench.sweep({ inquiryBefore: 150 });
    assert.deepEqual(
      (await queue.listSetAside(10)).map(({ at }) => at),
      [200],
    );
  });

  test('drops unfetched records from the queue, but not from a batch nor from inquiry', async t => {
    const bench = await open(t);
    await bench.store.accounts.create(accountNamed(ACME));
    const inBatch = await bench.deliver();
    const batch = await bench.poll();
    const unfetched = await bench.deliver();
    bench.clock.advance(1);
    const unfetchedBefore = bench.clock.now();
    const recent = await bench.deliver();
    await bench.sweep({ unfetchedBefore });
    assert.deepEqual(await bench.poll(), batch);
    assert.equal(batch?.records[0]?.msgKey, inBatch);
    assert.ok(batch && (await bench.store.reports.acknowledge(ACME, batch.reportId, bench.clock.now())));
    assert.deepEqual(
      (await bench.poll())?.records.map(({ msgKey }) => msgKey),
      [recent],
    );
    assert.equal((await bench.inquire(unfetched)).length, 1);
  });

  test('deletes parked receipts that nobody asked for', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim();
    await bench.settle(bench.receipt('r1', DELIVERED));
    await bench.sweep({ parkedBefore: bench.clock.now() + 1 });
    const { reports } = await bench.settle(answer(live, { name: 'accepted' }, ['r1']));
    assert.deepEqual(reports, []);
  });

  test('deletes messages with their records and references when their inquiry window is over', async t => {
    const bench = await open(t);
    await bench.store.accounts.create(accountNamed(ACME));
    const request = bench.request({ recipients: ['01011112222', '01033334444'] });
    await bench.accept(request);
    const [first, second] = await bench.claim();
    assert.ok(first && second);
    await bench.settle(answer(first, { name: 'accepted' }, ['r1']), answer(second, DELIVERED));
    await bench.settle(bench.receipt('r1', DELIVERED));
    bench.clock.advance(2 * DAY_MS);
    const recent = await bench.deliver();
    await bench.sweep({ inquiryBefore: bench.clock.now() - 1 });
    for (const index of [0, 1]) {
      const msgKey = msgKeyOf(request.requestId, index);
      assert.equal(await bench.store.messages.find(msgKey), undefined);
      assert.deepEqual(await bench.inquire(msgKey), []);
    }
    assert.deepEqual((await bench.settle(bench.receipt('r1', DELIVERED))).settled, ['parked']);
    assert.deepEqual(
      (await bench.poll())?.records.map(({ msgKey }) => msgKey),
      [recent],
    );
    assert.equal((await bench.view(recent)).state, 'delivered');
  });

  test('keeps an old message that is still on its way, and one that ended lately', async t => {
    const bench = await open(t);
    const days = 3 * DAY_MS;
    const deadlineAt = bench.clock.now() + 2 * days;
    const onItsWay = await bench.submit(['r1'], { deadlineAt });
    bench.clock.advance(DAY_MS);
    const endedLately = await bench.submit(['r2'], { deadlineAt });
    bench.clock.advance(days);
    await bench.settle(bench.receipt('r2', DELIVERED));
    await bench.sweep({ inquiryBefore: bench.clock.now() - 1 });
    assert.equal((await bench.view(onItsWay.msgKey)).state, 'submitted');
    assert.equal((await bench.inquire(endedLately.msgKey)).length, 1);
    assert.deepEqual((await bench.settle(bench.receipt('r1', DELIVERED))).settled, ['ended']);
  });

  test('changes no open batch before the batch itself is past its time', async t => {
    const bench = await open(t);
    await bench.store.accounts.create(accountNamed(ACME));
    const msgKey = await bench.deliver();
    bench.clock.advance(DAY_MS);
    const batch = await bench.poll();
    bench.clock.advance(DAY_MS);
    await bench.sweep({ inquiryBefore: bench.clock.now() - DAY_MS });
    assert.deepEqual(await bench.poll(), batch);
    await bench.sweep({ inquiryBefore: bench.clock.now() });
    assert.equal(await bench.poll(), undefined);
    assert.ok(batch && !(await bench.store.reports.acknowledge(ACME, batch.reportId, bench.clock.now())));
    await bench.sweep({ inquiryBefore: bench.clock.now() });
    assert.equal(await bench.store.messages.find(msgKey), undefined);
  });

  test('keeps a message that is pushed late, until its delivery has ended', async t => {
    const bench = await open(t);
    const { webhooks } = bench.store;
    await bench.store.accounts.create(accountNamed(ACME));
    const fetched = await bench.deliver({ account: GLOBEX });
    // PostgreSQL drops whole days.
    bench.clock.advance(DAY_MS);
    const requestId = bench.requestIdAt(bench.clock.now());
    const msgKey = await bench.deliver({ requestId });
    const pushing = { account: ACME, owner: 'node-1', now: bench.clock.now() };
    assert.equal(await webhooks.collect({ ...pushing, lastOnly: false, windowMs: 9 * DAY_MS, limit: 10 }), 1);
    bench.clock.advance(5 * DAY_MS);
    const sweep = () => bench.sweep({ inquiryBefore: bench.clock.now() - DAY_MS });
    await sweep();
    assert.equal(await bench.store.messages.find(fetched), undefined);
    const [claimed] = await webhooks.claim({ ...pushing, now: bench.clock.now(), limit: 10 });
    assert.equal(claimed?.record?.msgKey, msgKey);
    const outcome = { msgKey, step: claimed.step, owner: 'node-1', at: bench.clock.now(), attempts: 1 };
    await webhooks.complete({ ...outcome, state: 'delivered', recent: [] });
    await sweep();
    for (const key of [msgKey, fetched]) assert.equal(await bench.store.messages.find(key), undefined);
    assert.deepEqual(await bench.inquire(msgKey), []);
  });

  test('is done when a sweep finds nothing', async t => {
    const bench = await open(t);
    await bench.deliver({ deadlineAt: bench.clock.now() + DEADLINE_MS });
    for (const sweep of Object.values(bench.store.upkeep.sweeps({ now: bench.clock.now(), ...NO_CUTOFFS }))) {
      assert.equal(await sweep(), false);
    }
  });

  test('finds no damage where there is none', async t => {
    const bench = await open(t);
    await bench.deliver();
    for (const depth of ['quick', 'thorough'] as const) {
      const { damages, bytes } = await bench.store.upkeep.examine(depth);
      assert.deepEqual(damages, []);
      assert.ok(bytes > 4096);
    }
  });

  test('rows from a clock that was ahead do not block the deletion of others: age decides, not order', async t => {
    const bench = await open(t);
    const { queue } = bench.store;
    const ENOUGH = 550;
    bench.clock.setWallBy(10 * DAY_MS);
    const ahead = bench.clock.now();
    for (const half of [1, 2]) {
      const recipients = Array.from({ length: ENOUGH }, (_, index) => `010${half}${1_000_000 + index}`);
      await bench.accept(bench.request({ recipients }));
    }
    const claimed = await bench.claim({ limit: 2 * ENOUGH });
    await bench.settle(...claimed.map(live => answer(live, { name: 'accepted', parts: 1 }, [live.msgKey])));
    await bench.settle(...claimed.map(live => answer(live, { name: 'receivedDelivered' })));
    const event = { reason: 'broken', event: '{}' };
    await Promise.all(claimed.map(() => queue.setAside({ ...event, at: ahead })));
    bench.clock.setWallBy(-10 * DAY_MS);
    const live = await bench.submit(['right']);
    await bench.settle(answer(live, { name: 'receivedDelivered' }));
    await queue.setAside({ ...event, at: bench.clock.now() });
    bench.clock.advance(DAY_MS);

    const cutoff = bench.clock.now();
    await bench.sweep({ unfetchedBefore: cutoff, inquiryBefore: cutoff });
    const polled = await bench.poll({ limit: 2 * ENOUGH + 1 });
    assert.equal(polled?.records.length, 2 * ENOUGH);
    assert.ok(!polled.records.some(({ msgKey }) => msgKey === live.msgKey));
    const left = await queue.listSetAside(2 * ENOUGH + 1);
    assert.deepEqual([left.length, left.some(({ at }) => at < cutoff)], [2 * ENOUGH, false]);
    assert.deepEqual(await queue.knownRefs(FIRST_CARRIER, ['right']), new Map());
  });
}
