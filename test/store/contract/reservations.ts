import assert from 'node:assert/strict';
import test from 'node:test';
import {
  type MsgKey,
  msgKeyOf,
  type RequestId,
  type ResvKey,
  requestIdOf,
  timePrefix,
} from '../../../src/domain/ids.ts';
import type { ReportCode } from '../../../src/domain/reports/report-codes.ts';
import { RESERVATION_MOVES, type RecipientList } from '../../../src/domain/reservation/reservation.ts';
import { calendarOf } from '../../../src/platform/zoned-time.ts';
import type { NewReservation, ReleaseOrder, ReservationQuota } from '../../../src/store/store.ts';
import {
  ACME,
  accountNamed,
  answer,
  DAY_MS,
  DEADLINE_MS,
  FIRST_CARRIER,
  GLOBEX,
  type OpenStore,
  type StoreUnderTest,
  stepsOf,
  TRACE,
} from './store-under-test.ts';

const NO_LONGER_VALID: ReportCode = '90003';
const HOUR_MS = 3_600_000;
const KEY = `${'0'.repeat(25)}1` as ResvKey;
const MINE = { resvKey: KEY, account: ACME };
/** More than enough. */
const ROOM: ReservationQuota = { reservations: 10, recipients: 1000, bytes: 100_000 };
const FLOW = [{ channel: 'sms', from: '0212345678', text: 'hello' }] as const;

function listOf(store: StoreUnderTest, number: number, recipients: readonly string[]): RecipientList {
  const requestId =
    `${timePrefix(store.clock.now() + HOUR_MS)}${String(number).padStart(19, '0')}` as RequestId;
  return { requestId, recipients: recipients.map((to, index) => ({ index, to })) };
}

export function newReservation(store: StoreUnderTest, changes: Partial<NewReservation> = {}): NewReservation {
  const now = store.clock.now();
  return {
    resvKey: KEY,
    account: ACME,
    sendAt: now + HOUR_MS,
    keysAt: now + HOUR_MS,
    name: '봄',
    ref: 'r',
    paymentCode: undefined,
    groupKey: 'g',
    traceparent: TRACE,
    source: { flow: FLOW },
    channels: ['sms'],
    isAdvertisement: false,
    createdAt: now,
    lists: [listOf(store, 1, ['01000000001', '01000000002']), listOf(store, 2, ['01000000003'])],
    quota: ROOM,
    idempotency: undefined,
    ...changes,
  };
}

function sizeOfJson(values: readonly unknown[]): number {
  return values.reduce<number>((sum, value) => sum + Buffer.byteLength(JSON.stringify(value)), 0);
}

export function releaseOf(
  store: StoreUnderTest,
  { requestId, recipients }: RecipientList,
  resvKey: ResvKey = KEY,
): ReleaseOrder {
  const now = store.clock.now();
  return {
    resvKey,
    request: {
      ...{
        requestId,
        account: ACME,
        acceptedAt: now,
        ref: 'r',
        groupKey: 'g',
        traceparent: TRACE,
        paymentCode: undefined,
      },
      ...{ flow: FLOW, deadlineAt: now + DEADLINE_MS, isBulk: true, reportsLateDelivery: false },
      ...{ claim: undefined, idempotency: undefined },
      messages: recipients.map(({ index, to }) => ({
        msgKey: msgKeyOf(requestId, index),
        to,
        words: undefined,
        route: { carrier: FIRST_CARRIER, why: 'routes[0]' },
      })),
    },
    ended: [],
    now,
  };
}

export function reservationsContract(open: OpenStore): void {
  test('the quota is exact, however many reservations are made at once', async t => {
    const bench = await open(t);
    const reserve = (index: number) => {
      const resvKey = String(index).padStart(26, '0') as ResvKey;
      const quota = { ...ROOM, reservations: 3 };
      return bench.store.reservations.reserve(newReservation(bench, { resvKey, lists: [], quota }));
    };
    const results = await Promise.all(Array.from({ length: 12 }, (_, index) => reserve(index)));
    assert.equal(results.filter(({ kind }) => kind === 'stored').length, 3);
    assert.equal(results.filter(({ kind }) => kind === 'usedUp').length, 9);
  });

  test('keeps a reservation for its account, and answers a repeated key as before', async t => {
    const bench = await open(t);
    const { reservations } = bench.store;
    const idempotency = { key: 'k', bodyHash: 'h', response: 'first' };
    const given = newReservation(bench, { idempotency });
    assert.deepEqual(await reservations.reserve(given), { kind: 'stored' });
    assert.deepEqual(await reservations.reserve({ ...given, resvKey: `${KEY.slice(0, -1)}2` as ResvKey }), {
      kind: 'replayed',
      response: 'first',
    });
    const other = { ...given, idempotency: { ...idempotency, bodyHash: 'x' } };
    assert.deepEqual(await reservations.reserve(other), { kind: 'conflict' });
    await bench.reopen();
    const found = await bench.store.reservations.find(MINE);
    const { lists: _, idempotency: __, quota: ___, ...kept } = given;
    const bytes = sizeOfJson([given.source, ...given.lists.flatMap(({ recipients }) => recipients)]);
    assert.deepEqual(found, {
      ...kept,
      ...{ status: 'PENDING', expected: 3, sent: 0, delivered: 0, failed: 0, bytes },
      ...{ updatedAt: given.createdAt, endedAt: undefined },
    });
    assert.equal(await bench.store.reservations.find({ resvKey: KEY, account: GLOBEX }), undefined);
    assert.equal(await bench.store.reservations.isStored(MINE), true);
    const query = { status: undefined, sendFrom: undefined, before: undefined, limit: 10 };
    assert.equal((await bench.store.reservations.list({ ...query, account: ACME })).length, 1);
    assert.deepEqual(await bench.store.reservations.list({ ...query, account: GLOBEX }), []);
  });

  test('releases each list once, also when two do it at the same time, and not after a stop', async t => {
    const bench = await open(t);
    const { reservations, messages } = bench.store;
    await reservations.reserve(newReservation(bench));
    assert.equal(await reservations.hasWork(bench.clock.now()), false);
    assert.equal(await reservations.begin(bench.clock.now(), 10), 0);
    bench.clock.advance(HOUR_MS);
    assert.equal(await reservations.hasWork(bench.clock.now()), true);
    assert.equal(await reservations.begin(bench.clock.now(), 10), 1);
    const [under] = await reservations.underWay(5, 0);
    assert.deepEqual(await reservations.underWay(5, 1), []);
    assert.deepEqual([under?.status, under?.source], ['PROCESSING', undefined]);
    const [first, second] = await reservations.waitingLists(KEY, 5);
    assert.ok(first && second);
    const order = releaseOf(bench, first);
    const released = await Promise.all([reservations.release(order), reservations.release(order)]);
    assert.deepEqual(released.toSorted(), [false, true]);
    assert.equal((await reservations.waitingLists(KEY, 5)).length, 1);
    assert.equal(await reservations.ready(ACME, FIRST_CARRIER, 10), 2);
    assert.equal(await reservations.ready(ACME, FIRST_CARRIER, 1), 1);
    assert.equal(await reservations.move(MINE, ['PROCESSING'], 'STOPPED', bench.clock.now()), 'done');
    assert.equal(await reservations.release(releaseOf(bench, second)), false);
    assert.equal(await messages.isStored(second.requestId), false);
    assert.equal(await reservations.move(MINE, ['PROCESSING'], 'STOPPED', bench.clock.now()), 'wrongState');
    await reservations.move(MINE, ['STOPPED'], 'PROCESSING', bench.clock.now());
    assert.equal(await reservations.release(releaseOf(bench, second)), true);
    const done = await reservations.find(MINE);
    assert.deepEqual([done?.status, done?.sent, done?.endedAt], ['COMPLETED', 3, bench.clock.now()]);
    assert.equal((await bench.claim()).length, 3);
  });

  test('names those on their way by account, the earliest first, and passes over as many as it is told', async t => {
    const bench = await open(t);
    const { reservations } = bench.store;
    const made = async (number: number, account: typeof ACME, minutes: number) => {
      const resvKey = String(number).padStart(26, '0') as ResvKey;
      const sendAt = bench.clock.now() + minutes * 60_000;
      const lists = [listOf(bench, number, ['01000000001'])];
      await reservations.reserve(newReservation(bench, { resvKey, account, sendAt, lists }));
      return resvKey;
    };
    const [third, first] = [await made(1, ACME, 30), await made(2, ACME, 10)];
    const [second, others] = [await made(3, ACME, 10), await made(4, GLOBEX, 20)];
    await made(5, GLOBEX, 120);
    bench.clock.advance(HOUR_MS);
    await reservations.begin(bench.clock.now(), 10);
    const keys = async (ofEach: number, skipped: number) =>
      (await reservations.underWay(ofEach, skipped)).map(({ resvKey }) => resvKey);
    assert.deepEqual(await keys(2, 0), [first, second, others]);
    assert.deepEqual(await keys(2, 1), [second, third]);
    assert.deepEqual(await keys(2, 3), []);
  });

  test('a list from which a recipient was taken since it was read is not released as it was', async t => {
    const bench = await open(t);
    const { reservations } = bench.store;
    await reservations.reserve(newReservation(bench));
    bench.clock.advance(HOUR_MS);
    const now = bench.clock.now();
    await reservations.begin(now, 10);
    const [stale] = await reservations.waitingLists(KEY, 1);
    assert.ok(stale);
    const order = { account: undefined, after: undefined, isRemoval: true, now };
    assert.equal((await reservations.ofRecipient({ ...order, to: ['01000000002'] })).found.length, 1);
    assert.equal(await reservations.release(releaseOf(bench, stale)), false);
    const [list] = await reservations.waitingLists(KEY, 1);
    assert.deepEqual(
      list?.recipients.map(({ to }) => to),
      ['01000000001'],
    );
    assert.equal(list && (await reservations.release(releaseOf(bench, list))), true);
  });

  test('a recipient that no longer passes is a message that has ended, with its record', async t => {
    const bench = await open(t);
    const { reservations } = bench.store;
    await reservations.reserve(newReservation(bench));
    bench.clock.advance(HOUR_MS);
    await reservations.begin(bench.clock.now(), 10);
    const [list] = await reservations.waitingLists(KEY, 1);
    assert.ok(list);
    const order = releaseOf(bench, list);
    const [gone, stays] = order.request.messages;
    assert.ok(gone && stays);
    const now = bench.clock.now();
    const { route: _, ...message } = gone;
    const report = {
      ...{
        msgKey: gone.msgKey,
        account: ACME,
        step: 0,
        serviceType: 'SMS',
        msgType: 'SM',
        sentAt: undefined,
      },
      ...{
        reportedAt: now,
        reportCode: NO_LONGER_VALID,
        network: undefined,
        userType: undefined,
        resCnt: undefined,
      },
      ...{ ref: 'r', groupKey: 'g', traceparent: TRACE, isLast: true },
    } as const;
    const history = [
      { at: now, step: 0, attempt: 0, event: 'refused', code: NO_LONGER_VALID, why: 'gone' },
    ] as const;
    const ended = [{ message, history, report }];
    await reservations.release({ ...order, request: { ...order.request, messages: [stays] }, ended });
    const view = await bench.view(gone.msgKey);
    assert.deepEqual([view.state, view.history], ['failed', history]);
    assert.deepEqual(await bench.inquire(gone.msgKey), [report]);
    assert.equal((await bench.poll())?.records.length, 1);
    bench.clock.advance(10_000);
    await reservations.count(bench.clock.now(), 10);
    const counted = await reservations.find(MINE);
    assert.deepEqual([counted?.sent, counted?.delivered, counted?.failed], [2, 0, 1]);
  });

  test('what waits in a restored store is not sent by itself, until an operator releases it', async t => {
    const bench = await open(t);
    const now = bench.clock.now();
    const keyOf = (number: number) => `${KEY.slice(0, -1)}${number}` as ResvKey;
    const nameOf = (number: number) => ({ resvKey: keyOf(number), account: ACME });
    const { reservations } = bench.store;
    for (const number of [1, 2, 3]) {
      const lists = [listOf(bench, number, [`0100000000${number}`])];
      await reservations.reserve(
        newReservation(bench, { resvKey: keyOf(number), lists, sendAt: now + number }),
      );
    }
    await reservations.begin(now + 2, 10);
    await reservations.move(nameOf(2), ['PROCESSING'], 'STOPPED', now);
    const later = await bench.sendAndClaim();
    await bench.settle(answer(later, { name: 'returned', retryAfterMs: HOUR_MS }));
    const ready = await bench.send();

    const order = { since: now, now };
    assert.deepEqual(await bench.store.upkeep.holdBack(order), { doubted: 2, held: 3 });
    assert.deepEqual(await bench.store.upkeep.holdBack(order), { doubted: 0, held: 0 });
    await bench.reopen();
    const store = bench.store;
    const states = await Promise.all([1, 2, 3].map(number => store.reservations.find(nameOf(number))));
    assert.deepEqual(
      states.map(found => found?.status),
      ['HELD', 'HELD', 'HELD'],
    );
    bench.clock.advance(2 * HOUR_MS);
    assert.equal(await store.reservations.hasWork(bench.clock.now()), false);
    assert.deepEqual(await bench.claim(), []);
    // Since the copy was made another carrier may have had it: no promise counts.
    const promises = new Map([[later.carrier, { forMs: 24 * HOUR_MS, isForgetful: false }]]);
    const rules = { self: 'node-1', now: bench.clock.now(), promises };
    const taken = await store.nodes.takeOver(rules);
    assert.deepEqual([stepsOf(taken), taken.map(({ outcome }) => outcome)], [2, ['unknown']]);
    for (const msgKey of [ready, later.msgKey]) assert.equal((await bench.view(msgKey)).state, 'unknown');

    const { from, to } = RESERVATION_MOVES.release;
    assert.equal(await store.reservations.move(nameOf(1), from, to, bench.clock.now()), 'done');
    assert.equal(await store.reservations.move(nameOf(2), from, to, bench.clock.now()), 'done');
    assert.equal((await store.reservations.find(nameOf(2)))?.status, 'STOPPED', 'as its sender left it');
    assert.equal(await store.reservations.begin(bench.clock.now(), 10), 1);
    assert.equal((await store.reservations.find(nameOf(1)))?.status, 'PROCESSING');
  });

  test('adds and removes recipients while it waits, up to a limit, and lists them', async t => {
    const bench = await open(t);
    const { reservations } = bench.store;
    const now = bench.clock.now();
    await reservations.reserve(newReservation(bench));
    const idempotency = { key: 'k', bodyHash: 'h', response: 'first' };
    const more = {
      lists: [listOf(bench, 3, ['01000000004', '01000000005'])],
      most: 5,
      quota: ROOM,
      now,
      idempotency,
    };
    const add = (changes: Partial<typeof more> = {}, account = ACME) =>
      reservations.addRecipients({ resvKey: KEY, account }, { ...more, ...changes });
    assert.deepEqual(await add({ most: 4 }), { kind: 'full' });
    assert.deepEqual(await add({}, GLOBEX), { kind: 'notFound' });
    assert.equal(await bench.store.messages.answerUnder(ACME, 'k'), undefined);
    assert.deepEqual(await add(), { kind: 'stored' });
    assert.deepEqual(await add({ most: 4 }), { kind: 'replayed', response: 'first' });
    assert.deepEqual(await add({ idempotency: { ...idempotency, bodyHash: 'x' } }), { kind: 'conflict' });
    assert.equal(await bench.store.messages.answerUnder(GLOBEX, 'k'), undefined);
    assert.deepEqual(await bench.store.messages.answerUnder(ACME, 'k'), { bodyHash: 'h', response: 'first' });
    const all = await reservations.recipients(MINE, { after: undefined, limit: 10 });
    assert.deepEqual(
      all.map(({ to }) => to.slice(-1)),
      ['1', '2', '3', '4', '5'],
    );
    const keyOf = (place: number) => all[place]?.msgKey as MsgKey;
    const waiting = { resvKey: KEY, recipient: { index: 0, to: '01000000003' } };
    assert.deepEqual(await reservations.ofMessage(keyOf(2), ACME), waiting);
    assert.equal(await reservations.ofMessage(keyOf(2), GLOBEX), undefined);
    assert.equal(await reservations.removeRecipient(MINE, keyOf(2), now), 'done');
    assert.equal(await reservations.ofMessage(keyOf(2), ACME), undefined);
    assert.equal(await reservations.removeRecipient(MINE, keyOf(2), now), 'notFound');
    assert.equal((await reservations.find(MINE))?.expected, 4);
    const page = await reservations.recipients(MINE, { after: keyOf(0), limit: 2 });
    assert.deepEqual(page, [
      { msgKey: keyOf(1), to: '01000000002', isSent: false },
      { msgKey: keyOf(3), to: '01000000004', isSent: false },
    ]);
    const order = { account: undefined, after: undefined, isRemoval: true, now };
    const erased = await reservations.ofRecipient({ ...order, to: ['01000000004'] });
    assert.deepEqual([erased.found.map(({ msgKey }) => msgKey), erased.after], [[keyOf(3)], undefined]);
    assert.equal((await reservations.find(MINE))?.expected, 3);
    assert.equal(await reservations.move(MINE, ['PENDING'], 'CANCELLED', now), 'done');
    assert.equal(await reservations.ofMessage(keyOf(0), ACME), undefined, 'lists of one that ended');
    assert.deepEqual(await reservations.recipients(MINE, { after: undefined, limit: 10 }), []);
    assert.equal(await reservations.change(MINE, { name: 'x' }, now), 'wrongState');
  });

  test('an account has as many that have not ended as it may; a repeated call is answered as before', async t => {
    const bench = await open(t);
    const { reservations } = bench.store;
    const now = bench.clock.now();
    const keyed = { idempotency: { key: 'k', bodyHash: 'h', response: 'r' } };
    const given = (number: number, changes: Partial<NewReservation> = {}) =>
      newReservation(bench, {
        resvKey: `${KEY.slice(0, -1)}${number}` as ResvKey,
        lists: [],
        quota: { ...ROOM, reservations: 1 },
        ...changes,
      });
    assert.equal((await reservations.reserve(given(1, keyed))).kind, 'stored');
    assert.equal((await reservations.reserve(given(2, keyed))).kind, 'replayed');
    const other = { idempotency: { ...keyed.idempotency, key: 'other' } };
    const refused = { kind: 'usedUp', what: 'reservations', used: 1, added: 1 };
    assert.deepEqual(await reservations.reserve(given(3, other)), refused);
    assert.equal((await reservations.reserve(given(4, { account: GLOBEX }))).kind, 'stored');
    assert.equal((await bench.store.accounts.usage(ACME, now, 10)).reservations, 1);
    await reservations.move({ resvKey: given(1).resvKey, account: ACME }, ['PENDING'], 'CANCELLED', now);
    assert.equal((await bench.store.accounts.usage(ACME, now, 10)).reservations, 0);
    assert.equal((await reservations.reserve(given(3, other))).kind, 'stored', 'a refusal used up no key');
  });

  test('reservations of an account have no more recipients than it may, also when many come at once', async t => {
    const bench = await open(t);
    const { reservations, accounts } = bench.store;
    const now = bench.clock.now();
    const quota = { ...ROOM, recipients: 5 };
    const waiting = async () => (await accounts.usage(ACME, now, 10)).reservationRecipients;
    const nameOf = (number: number) => `${KEY.slice(0, -1)}${number}` as ResvKey;
    const two = (number: number) => [listOf(bench, number, ['01000000001', '01000000002'])];
    const asked = [1, 2, 3, 4].map(number =>
      reservations.reserve(newReservation(bench, { resvKey: nameOf(number), lists: two(number), quota })),
    );
    const kinds = (await Promise.all(asked)).map(({ kind }) => kind);
    assert.deepEqual(kinds.toSorted(), ['stored', 'stored', 'usedUp', 'usedUp']);
    const mine = { resvKey: nameOf(kinds.indexOf('stored') + 1), account: ACME };
    const more = { most: 100, quota, now, idempotency: undefined };
    const added = await Promise.all(
      [5, 6].map(number =>
        reservations.addRecipients(mine, { ...more, lists: [listOf(bench, number, ['01000000003'])] }),
      ),
    );
    assert.deepEqual(added.map(({ kind }) => kind).toSorted(), ['stored', 'usedUp']);
    assert.deepEqual(await reservations.addRecipients(mine, { ...more, lists: two(7) }), {
      ...{ kind: 'usedUp', what: 'recipients', used: 5, added: 2 },
    });
    const empty = newReservation(bench, { resvKey: nameOf(8), lists: [], quota });
    assert.equal((await reservations.reserve(empty)).kind, 'stored', 'nothing is added to what is full');
    assert.equal(await waiting(), 5);
    bench.clock.advance(HOUR_MS);
    assert.equal(await reservations.begin(bench.clock.now(), 10), 3);
    const [list] = await reservations.waitingLists(mine.resvKey, 1);
    assert.ok(list);
    assert.equal(await reservations.release({ ...releaseOf(bench, list), resvKey: mine.resvKey }), true);
    assert.equal(await waiting(), 3, 'what went into the queue waits no more');
  });

  test('reservations of an account have no more bytes than it may; what is removed counts no more', async t => {
    const bench = await open(t);
    const { reservations, accounts } = bench.store;
    const now = bench.clock.now();
    const used = async () => (await accounts.usage(ACME, now, 10)).reservationBytes;
    const recipient = (number: number) => ({
      index: number,
      to: `0100000000${number}`,
      words: { name: '김' },
    });
    const list = { requestId: bench.requestIdAt(now + HOUR_MS), recipients: [1, 2, 3].map(recipient) };
    const source = sizeOfJson([{ flow: FLOW }]);
    const each = sizeOfJson([recipient(1)]);
    const given = newReservation(bench, { lists: [list] });
    const quota = { ...ROOM, bytes: source + 3 * each };
    const over = { ...given, quota: { ...quota, bytes: quota.bytes - 1 } };
    assert.deepEqual(await reservations.reserve(over), {
      ...{ kind: 'usedUp', what: 'bytes', used: 0, added: quota.bytes },
    });
    assert.equal((await reservations.reserve({ ...given, quota })).kind, 'stored');
    assert.equal(await used(), quota.bytes);
    const more = { most: 100, quota, now, idempotency: undefined };
    const add = async (number: number) =>
      (
        await reservations.addRecipients(MINE, {
          ...{ ...more, lists: [{ ...listOf(bench, number, []), recipients: [recipient(number)] }] },
        })
      ).kind;
    assert.equal(await add(4), 'usedUp');
    assert.equal(await reservations.removeRecipient(MINE, msgKeyOf(list.requestId, 1), now), 'done');
    assert.equal(await used(), source + 2 * each);
    assert.equal(await add(4), 'stored');
    const order = {
      to: ['01000000002', '01000000004'],
      account: ACME,
      after: undefined,
      isRemoval: true,
      now,
    };
    assert.equal((await reservations.ofRecipient(order)).found.length, 2);
    assert.equal(await used(), source + each);
    await reservations.move(MINE, ['PENDING'], 'CANCELLED', now);
    assert.equal(await used(), 0);
  });

  /** Reserved for one time, sent at another, and delivered; resolves to its message. */
  async function sentAt(
    bench: StoreUnderTest,
    keysAt: number,
    others: readonly RecipientList[] = [],
  ): Promise<MsgKey> {
    const { reservations } = bench.store;
    const requestId = bench.requestIdAt(keysAt);
    const list = { requestId, recipients: [{ index: 0, to: '01000000001' }] };
    const now = bench.clock.now();
    await reservations.reserve(newReservation(bench, { keysAt, sendAt: keysAt, lists: [list, ...others] }));
    assert.equal(await reservations.change(MINE, { sendAt: now }, now), 'done');
    await reservations.begin(now, 1);
    assert.equal(await reservations.release(releaseOf(bench, list)), true);
    const [live] = await bench.claim();
    assert.ok(live);
    await bench.settle(answer(live, { name: 'receivedDelivered' }));
    return live.msgKey;
  }

  for (const [moved, days] of [
    ['an earlier', 30],
    ['a later', -30],
  ] as const) {
    test(`what was moved to ${moved} time keeps its text and its messages for as long as any other`, async t => {
      const bench = await open(t);
      const { store } = bench;
      await bench.deliver();
      await store.upkeep.removeTexts({ now: bench.clock.now(), acceptedBefore: bench.clock.now() + 1 });
      const msgKey = await sentAt(bench, bench.clock.now() + days * DAY_MS);
      const sent = bench.clock.now();
      /** Texts are kept for a day, messages for two. */
      const sweep = async () => {
        const order = { now: bench.clock.now(), acceptedBefore: bench.clock.now() - DAY_MS };
        while (await store.upkeep.removeTexts(order));
        await bench.sweep({ inquiryBefore: bench.clock.now() - 2 * DAY_MS });
        await bench.sweepReservations({ before: bench.clock.now() - 2 * DAY_MS });
      };
      bench.clock.advance(DAY_MS - 60_000);
      await sweep();
      const { flow } = await bench.view(msgKey);
      assert.deepEqual(flow, FLOW);
      bench.clock.advance(120_000);
      await sweep();
      assert.equal((await bench.view(msgKey)).textRemovedAt, bench.clock.now());
      assert.equal((await bench.view(msgKey)).acceptedAt, sent);
      bench.clock.advance(DAY_MS);
      await bench.sweepReservations({ before: bench.clock.now() - 2 * DAY_MS });
      await sweep();
      assert.equal(await store.messages.find(msgKey), undefined);
      assert.equal(await store.reservations.find(MINE), undefined);
    });
  }

  test('what was moved to an earlier time counts when it is released, and never again', async t => {
    const bench = await open(t);
    const { rollups } = bench.store;
    const calendar = calendarOf('UTC');
    const [today, keysAt] = [calendar.dateOf(bench.clock.now()), bench.clock.now() + 3 * DAY_MS];
    const sums = async () => {
      const now = bench.clock.now();
      while (await rollups.count({ now, acceptedBefore: now, limit: 2, calendar }));
      const days = { grain: 'day', from: today - DAY_MS, until: today + 9 * DAY_MS } as const;
      const rows = await rollups.read({ ...days, where: {}, by: ['at'] });
      return rows.map(({ at, accepted, ended, latencies }) => [at, accepted, ended, latencies[0]]);
    };
    await sentAt(bench, keysAt);
    bench.clock.advance(20_000);
    assert.deepEqual(await sums(), [[today, 1, 1, 1]]);
    // The day is counted again after the clock was set back into it, as is its part of what was moved.
    await bench.deliver();
    bench.clock.advance(20_000);
    assert.deepEqual(await sums(), [[today, 2, 2, 2]]);
    await rollups.recount(bench.clock.now() - 30_000, calendar);
    assert.deepEqual(await sums(), [[today, 2, 2, 2]]);
    bench.clock.advance(4 * DAY_MS);
    await bench.deliver();
    bench.clock.advance(20_000);
    const expected = [
      [today, 2, 2, 2],
      [today + 4 * DAY_MS, 1, 1, 1],
    ];
    assert.deepEqual(await sums(), expected);
    assert.deepEqual(await sums(), expected);
  });

  for (const [what, leave] of [
    [
      'is stopped',
      (bench: StoreUnderTest) =>
        bench.store.reservations.move(MINE, ['PROCESSING'], 'STOPPED', bench.clock.now()),
    ],
    [
      'is gone with its account',
      async ({ store }: StoreUnderTest) => {
        await store.accounts.create(accountNamed(ACME));
        await store.accounts.update(ACME, account => ({ ...account, blocked: true }));
        await store.accounts.remove(ACME, 1);
        await store.accounts.purge(1, 100);
        assert.equal(await store.reservations.find(MINE), undefined);
      },
    ],
  ] as const) {
    test(`messages that were sent early are deleted in their time, although their reservation ${what}`, async t => {
      const bench = await open(t);
      const msgKey = await sentAt(bench, bench.clock.now() + 20 * DAY_MS, [
        listOf(bench, 1, ['01000000002']),
      ]);
      await leave(bench);
      const inquiryBefore = () => bench.clock.now() - 2 * DAY_MS;
      bench.clock.advance(2 * DAY_MS);
      await bench.sweep({ inquiryBefore: inquiryBefore() });
      await bench.sweepReservations({ before: inquiryBefore() });
      assert.equal((await bench.view(msgKey)).msgKey, msgKey);
      bench.clock.advance(1);
      await bench.sweepReservations({ before: inquiryBefore() });
      await bench.sweep({ inquiryBefore: inquiryBefore() });
      assert.equal(await bench.store.messages.find(msgKey), undefined);
      await bench.sweepReservations({ before: inquiryBefore() });
      assert.equal(await bench.store.reservations.listOf(requestIdOf(msgKey), ACME), undefined);
    });
  }

  test('messages that were sent early and are pushed late are kept until their deliveries have ended', async t => {
    const bench = await open(t);
    const { webhooks } = bench.store;
    const msgKey = await sentAt(bench, bench.clock.now() + 20 * DAY_MS, [listOf(bench, 1, ['01000000002'])]);
    const order = { account: ACME, owner: 'node-1', limit: 10 };
    const window = { lastOnly: false, windowMs: 9 * DAY_MS };
    assert.equal(await webhooks.collect({ ...order, ...window, now: bench.clock.now() }), 1);
    bench.clock.advance(2 * DAY_MS);
    const now = bench.clock.now();
    const sweep = async () => {
      await bench.sweepReservations({ before: now - DAY_MS });
      await bench.sweep({ inquiryBefore: now - DAY_MS });
    };
    await sweep();
    const [claimed] = await webhooks.claim({ ...order, now });
    assert.equal(claimed?.record?.msgKey, msgKey);
    const ended = { msgKey, step: claimed.step, owner: 'node-1', at: now, attempts: 1, recent: [] };
    await webhooks.complete({ ...ended, state: 'failed' });
    await sweep();
    assert.equal(await bench.store.messages.find(msgKey), undefined);
  });

  test('what is stopped or held is cancelled without its text when nobody decides for long', async t => {
    const bench = await open(t);
    const { reservations } = bench.store;
    const keyOf = (number: number) => `${KEY.slice(0, -1)}${number}` as ResvKey;
    const [stopped, held, ahead] = [1, 2, 3].map(number => ({ resvKey: keyOf(number), account: ACME }));
    assert.ok(stopped && held && ahead);
    const start = bench.clock.now();
    for (const [number, sendAt] of [start, start + 1, start + 3 * DAY_MS].entries()) {
      const lists = [listOf(bench, number, ['01000000001'])];
      await reservations.reserve(newReservation(bench, { resvKey: keyOf(number + 1), sendAt, lists }));
    }
    await reservations.begin(start, 1);
    await reservations.move(stopped, ['PROCESSING'], 'STOPPED', start);
    await reservations.move(held, ['PENDING'], 'HELD', start + 1);
    await reservations.move(ahead, ['PENDING'], 'HELD', start);
    const statesAfter = async (haltedBefore: number) => {
      await bench.sweepReservations({ haltedBefore });
      const found = await Promise.all([stopped, held, ahead].map(name => reservations.find(name)));
      return found.map(each => each?.status);
    };
    bench.clock.advance(DAY_MS);
    assert.deepEqual(await statesAfter(start), ['STOPPED', 'HELD', 'HELD']);
    assert.deepEqual(await statesAfter(start + 1), ['CANCELLED', 'HELD', 'HELD']);
    assert.deepEqual(await statesAfter(start + DAY_MS), ['CANCELLED', 'CANCELLED', 'HELD']);
    const over = await reservations.find(stopped);
    const now = bench.clock.now();
    assert.deepEqual([over?.source, over?.name, over?.endedAt], [undefined, undefined, now]);
    assert.deepEqual(await reservations.waitingLists(stopped.resvKey, 9), []);
    assert.equal((await reservations.waitingLists(ahead.resvKey, 9)).length, 1, 'its time has not come');
  });

  test('records of what was moved are replayed by the time at which they were reported', async t => {
    const bench = await open(t);
    const { webhooks } = bench.store;
    const from = bench.clock.now();
    const msgKey = await sentAt(bench, from + 60 * DAY_MS);
    const order = {
      ...{ account: ACME, from, until: from + 1000, lastOnly: false, now: from, giveUpAt: from + DAY_MS },
      ...{ sentFrom: from - DAY_MS, after: '', limit: 10 },
    };
    assert.equal((await webhooks.replay(order)).records, 0);
    assert.deepEqual(await webhooks.replayMoved({ ...order, account: GLOBEX }), {
      records: 0,
      next: undefined,
    });
    assert.deepEqual(await webhooks.replayMoved(order), { records: 1, next: undefined });
    const claimed = await webhooks.claim({ account: ACME, owner: 'a', limit: 10, now: from });
    assert.deepEqual(
      claimed.map(each => each.msgKey),
      [msgKey],
    );
    assert.equal((await webhooks.replayMoved({ ...order, from: from + 1 })).records, 0);
  });

  test('what has ended loses its recipients, then its text, and is deleted', async t => {
    const bench = await open(t);
    const { reservations } = bench.store;
    const now = bench.clock.now();
    await reservations.reserve(newReservation(bench));
    await bench.sweepReservations({ textsBefore: now + 1, before: now + 1 });
    assert.equal((await reservations.waitingLists(KEY, 9)).length, 2, 'what waits stays');
    await reservations.move(MINE, ['PENDING'], 'CANCELLED', now);
    await bench.sweepReservations();
    assert.deepEqual(await reservations.waitingLists(KEY, 9), []);
    assert.notEqual((await reservations.find(MINE))?.source, undefined);
    await bench.sweepReservations({ textsBefore: now + 1 });
    const without = await reservations.find(MINE);
    assert.deepEqual([without?.source, without?.name, without?.channels], [undefined, undefined, ['sms']]);
    await bench.sweepReservations({ textsBefore: now + 1, before: now + 1 });
    assert.equal(await reservations.find(MINE), undefined);
  });
}
