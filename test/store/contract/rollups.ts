import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calendarOf } from '../../../src/platform/zoned-time.ts';
import type { RollupQuery, RollupRow } from '../../../src/store/store.ts';
import {
  ACME,
  answer,
  batchOf,
  DAY_MS,
  GLOBEX,
  type OpenStore,
  type StoreUnderTest,
  TWO_STEPS,
} from './store-under-test.ts';

const HOUR_MS = 3_600_000;
const calendar = calendarOf('UTC');
const { dateOf, hourOf } = calendar;
/** The question for some days from this one on. */
const days = (from: number, count = 1) => ({ from, until: from + count * DAY_MS });

async function countAll(bench: StoreUnderTest, limit = 2): Promise<void> {
  const now = bench.clock.now();
  while (await bench.store.rollups.count({ now, acceptedBefore: now + 1, limit, calendar }));
}

/** What was asked for, with the sums that are not nothing, in the order of their text. */
async function read(bench: StoreUnderTest, query: Partial<RollupQuery>): Promise<object[]> {
  const today = days(dateOf(bench.clock.now()));
  const rows = await bench.store.rollups.read({ grain: 'day', ...today, where: {}, by: [], ...query });
  return rows.map(shown).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function shown({ latencies, ...row }: RollupRow): object {
  const timed = latencies.flatMap((count, range) => (count > 0 ? [[range, count]] : []));
  const sums = Object.entries(row).filter(([, value]) => value !== 0);
  return { ...Object.fromEntries(sums), ...(timed.length > 0 && { timed }) };
}

export function rollupsContract(open: OpenStore): void {
  test('sums messages up by what they are, of each account and of all', async t => {
    const bench = await open(t);
    await bench.deliver();
    await bench.deliver({ account: GLOBEX, flow: [{ channel: 'mms', from: '15440000', text: 'hi' }] });
    const live = await bench.sendAndClaim();
    await bench.settle(answer(live, { name: 'refused', reportCode: '23001' }));
    await countAll(bench);
    const ended = { ended: 1, messages: 1 };
    const delivered = { ...ended, delivered: 1, parts: 1, timed: [[0, 1]] };
    assert.deepEqual(await read(bench, { by: ['account', 'channel', 'code', 'sender'] }), [
      { account: ACME, channel: 'sms', code: '10000', sender: '0212345678', accepted: 1, ...delivered },
      { account: ACME, channel: 'sms', code: '23001', sender: '0212345678', accepted: 1, ...ended },
      { account: GLOBEX, channel: 'mms', code: '10000', sender: '15440000', accepted: 1, ...delivered },
    ]);
    const all = { accepted: 3, ended: 3, messages: 3, delivered: 2, parts: 2, timed: [[0, 2]] };
    const hour = hourOf(bench.clock.now());
    assert.deepEqual(await read(bench, {}), [all]);
    assert.deepEqual(
      await read(bench, { grain: 'hour', from: hour - HOUR_MS, until: hour + HOUR_MS, by: ['at'] }),
      [{ at: hour, ...all }],
    );
    assert.deepEqual(await read(bench, { by: ['carrier'] }), [{ carrier: 'alpha', ...all }]);
    assert.deepEqual(await read(bench, { where: { account: GLOBEX }, by: ['channel'] }), [
      { channel: 'mms', accepted: 1, ...delivered },
    ]);
    assert.deepEqual(await read(bench, { where: { code: '23001' }, by: ['account'] }), [
      { account: ACME, accepted: 1, ...ended },
    ]);
    assert.deepEqual(await read(bench, { where: { sender: '15440000', channel: 'sms' } }), []);
    assert.deepEqual(await read(bench, { from: 0, until: 0 }), []);
  });

  test('counts every channel message of a flow, and the message once', async t => {
    const bench = await open(t);
    const first = await bench.sendAndClaim({ flow: TWO_STEPS });
    bench.clock.advance(2000);
    await bench.settle(answer(first, { name: 'refused', reportCode: '23001' }));
    const [second] = await bench.claim({ carrier: 'beta' });
    assert.ok(second);
    bench.clock.advance(2000);
    await bench.settle(answer(second, { name: 'accepted', parts: 3 }, ['a', 'b', 'c']));
    await bench.settle(answer(second, { name: 'receivedDelivered' }));
    await countAll(bench);
    assert.deepEqual(await read(bench, { by: ['carrier'] }), [
      { carrier: 'alpha', accepted: 1, ended: 1 },
      { carrier: 'beta', ended: 1, messages: 1, delivered: 1, parts: 3, timed: [[10, 1]] },
    ]);
  });

  test('counts a message once, however late it ends and however often it looks', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim();
    const day = days(dateOf(bench.clock.now()));
    await bench.deliver();
    await countAll(bench);
    await countAll(bench, 1);
    const one = { ended: 1, messages: 1, delivered: 1, parts: 1 };
    assert.deepEqual(await read(bench, day), [{ accepted: 2, ...one, timed: [[0, 1]] }]);
    assert.equal(await bench.store.rollups.countedUntil(), bench.clock.now());
    await bench.reopen();
    bench.clock.advance(DAY_MS - HOUR_MS);
    await bench.settle(answer(live, { name: 'receivedFailed', reportCode: '22000' }));
    for (let round = 0; round < 3; round++) {
      await countAll(bench);
      bench.clock.advance(HOUR_MS);
    }
    assert.deepEqual(await read(bench, day), [
      { accepted: 2, ...one, ended: 2, messages: 2, expired: 1, timed: [[0, 1]] },
    ]);
  });

  test('counts what was stored behind the walk, once', async t => {
    const bench = await open(t);
    const day = days(dateOf(bench.clock.now()));
    const requestId = bench.requestIdAt(bench.clock.now());
    bench.clock.advance(30_000);
    await bench.send();
    await countAll(bench);
    await bench.send({ requestId, recipients: ['01011110000', '01022220000'] });
    bench.clock.advance(30_000);
    for (let round = 0; round < 2; round++) {
      await countAll(bench);
      assert.deepEqual(await read(bench, day), [{ accepted: 3 }]);
    }
  });

  test('does not wait for messages that were deleted', async t => {
    const bench = await open(t);
    await bench.send();
    await countAll(bench);
    const day = days(dateOf(bench.clock.now()));
    bench.clock.advance(40 * DAY_MS);
    await bench.sweep({ inquiryBefore: bench.clock.now() - 30 * DAY_MS });
    await countAll(bench);
    assert.deepEqual(await read(bench, day), [{ accepted: 1 }]);
  });

  test('counts a day again when the clock was set back into it, and no earlier one', async t => {
    const bench = await open(t);
    await bench.deliver();
    const today = dateOf(bench.clock.now());
    bench.clock.advance(DAY_MS);
    await bench.deliver();
    await countAll(bench);
    const { rollups } = bench.store;
    await rollups.recount(bench.clock.now(), calendar);
    const both = { ...days(today, 2), by: ['at'] } as const;
    const one = { accepted: 1, ended: 1, messages: 1, delivered: 1, parts: 1, timed: [[0, 1]] };
    assert.deepEqual(await read(bench, both), [
      { at: today, ...one },
      { at: today + DAY_MS, ...one },
    ]);
    await rollups.recount(today + DAY_MS + 1, calendar);
    assert.deepEqual(await read(bench, both), [{ at: today, ...one }]);
    await countAll(bench);
    assert.deepEqual(await read(bench, both), [
      { at: today, ...one },
      { at: today + DAY_MS, ...one },
    ]);
  });

  test('finds the sums that earlier versions kept under the moment at which a day began in its zone', async t => {
    const bench = await open(t);
    await bench.deliver();
    const now = bench.clock.now();
    const date = dateOf(now);
    const startInSeoul = date - 9 * HOUR_MS;
    const earlier = { ...calendar, dateOf: () => startInSeoul };
    await bench.store.rollups.count({ now, acceptedBefore: now + 1, limit: 9, calendar: earlier });
    await bench.store.rollups.addCarriers(
      batchOf('x', 1, { at: now, carrier: 'alpha', submitted: 1, refused: 0, throttled: 0 }),
      earlier,
    );
    await bench.deliver();
    await countAll(bench);
    const [row] = await read(bench, { ...days(date - DAY_MS, 3), by: ['at'] });
    assert.deepEqual(row, {
      at: date,
      accepted: 2,
      ended: 2,
      messages: 2,
      delivered: 2,
      parts: 2,
      timed: [[0, 2]],
    });
    assert.deepEqual(await read(bench, { ...days(date - DAY_MS), by: ['account'] }), []);
    assert.equal((await read(bench, { ...days(date), where: { account: ACME } })).length, 1);
    const carriers = await bench.store.rollups.readCarriers('day', date, date + DAY_MS);
    assert.deepEqual(
      carriers.map(({ at, submitted }) => [at, submitted]),
      [[date, 1]],
    );
  });

  test('names the first senders of an account, and counts the others together', async t => {
    const bench = await open(t);
    for (let index = 0; index < 230; index += 23) {
      const numbers = Array.from({ length: 23 }, (_, offset) => String(15_000_000 + index + offset));
      const sends = numbers.map(from =>
        bench.accept(bench.request({ flow: [{ channel: 'sms', from, text: 'x' }] })),
      );
      await Promise.all(sends);
    }
    await countAll(bench, 100);
    const rows = await bench.store.rollups.read({
      grain: 'day',
      ...days(dateOf(bench.clock.now())),
      where: {},
      by: ['sender'],
    });
    assert.equal(rows.length, 201);
    assert.equal(rows.find(({ sender }) => sender === '*')?.accepted, 30);
  });

  test('adds up what went to carriers, and forgets what is old', async t => {
    const bench = await open(t);
    const { rollups } = bench.store;
    const sums = (at: number, carrier: string, submitted: number) => {
      return { at, carrier, submitted, refused: 1, throttled: 2 };
    };
    const first = batchOf('x', 1, sums(60_000, 'b', 5), sums(60_000, 'a', 1), sums(0, 'a', 9));
    await rollups.addCarriers(first, calendar);
    await rollups.addCarriers(batchOf('x', 2, sums(60_000, 'a', 2)), calendar);
    await rollups.addCarriers(first, calendar);
    assert.deepEqual(await rollups.readCarriers('minute', 60_000, 120_000), [
      { at: 60_000, carrier: 'a', submitted: 3, refused: 2, throttled: 4 },
      sums(60_000, 'b', 5),
    ]);
    for (const grain of ['hour', 'day'] as const) {
      assert.deepEqual(await rollups.readCarriers(grain, 0, grain === 'day' ? DAY_MS : 1), [
        { at: 0, carrier: 'a', submitted: 12, refused: 3, throttled: 6 },
        sums(0, 'b', 5),
      ]);
    }
    await bench.deliver();
    await countAll(bench);
    const now = bench.clock.now();
    assert.equal(await rollups.sweep({ minute: 60_000, hour: 1, day: now - DAY_MS }), false);
    assert.equal((await rollups.readCarriers('minute', 0, 120_000)).length, 2);
    assert.deepEqual(await rollups.readCarriers('hour', 0, HOUR_MS), []);
    assert.equal((await read(bench, {})).length, 1);
    await rollups.sweep({ minute: 0, hour: 0, day: now });
    assert.deepEqual(await read(bench, {}), []);
    assert.equal((await read(bench, { grain: 'hour', from: hourOf(now), until: now + 1 })).length, 1);
  });
}
