/** Which message a receipt is about, and what it may do to it; the rule is in src/store/event-target.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MsgKey } from '../../../src/domain/ids.ts';
import { REPETITION_MS } from '../../../src/store/parked.ts';
import {
  answer,
  DAY_MS,
  DEADLINE_MS,
  FIRST_CARRIER,
  NEXT_CARRIER,
  type OpenStore,
  type StoreUnderTest,
} from './store-under-test.ts';

const DELIVERED = { name: 'receivedDelivered' } as const;
const FAILED = { name: 'receivedFailed', reportCode: '23001' } as const;

/** What the message's sender is told, and what its history says of the end and of later receipts. */
async function outcome(bench: StoreUnderTest, msgKey: MsgKey) {
  const codes = (await bench.inquire(msgKey)).map(({ reportCode }) => reportCode);
  const { history } = await bench.view(msgKey);
  const lateEvents = history.filter(({ event }) => event === 'latePart' || event === 'lateDelivery');
  return { codes, late: lateEvents.map(({ event }) => event) };
}

/** A message in three parts. */
const submitted = (bench: StoreUnderTest) => bench.submit(['a', 'b', 'c'], { reportsLateDelivery: true });

export function receiptsContract(open: OpenStore): void {
  for (const order of ['fab', 'afb', 'abf']) {
    test(`a message of which one part fails and the others arrive has failed, once (${order})`, async t => {
      const bench = await open(t);
      const { msgKey } = await submitted(bench);
      for (const ref of order) {
        bench.clock.advance(1000);
        await bench.settle(ref === 'f' ? bench.receipt('c', FAILED) : bench.receipt(ref, DELIVERED));
      }
      const { codes, late } = await outcome(bench, msgKey);
      assert.deepEqual(codes, ['23001']);
      assert.equal(late.includes('lateDelivery'), false);
    });
  }

  test('a message in parts is delivered late when the last of its parts has arrived, in separate calls or in one', async t => {
    const bench = await open(t);
    for (const isOneCall of [false, true]) {
      const live = await submitted(bench);
      await bench.settle(bench.receipt('b', DELIVERED));
      bench.clock.advance(DEADLINE_MS);
      await bench.settle(answer(live, { name: 'deadline' }));
      bench.clock.advance(1000);
      const receipts = ['a', 'b', 'a', 'c', 'c'].map(ref => bench.receipt(ref, DELIVERED));
      if (isOneCall) await bench.settle(...receipts);
      else for (const receipt of receipts) await bench.settle(receipt);
      assert.deepEqual(await outcome(bench, live.msgKey), {
        codes: ['22000', '10000'],
        late: ['latePart', 'lateDelivery'],
      });
      bench.clock.advance(REPETITION_MS);
      await bench.settle(...(await bench.store.queue.matchedParked(bench.clock.now(), 10)));
    }
  });

  test('one part that was taken before another was refused is not the message', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim({ reportsLateDelivery: true });
    await bench.settle(answer(live, { name: 'refused', reportCode: '23003', parts: 2 }, ['a', undefined]));
    await bench.settle(bench.receipt('a', DELIVERED));
    assert.deepEqual(await outcome(bench, live.msgKey), { codes: ['23003'], late: ['latePart'] });
  });

  test('the answer that comes after the deadline says how many parts must arrive', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim({ reportsLateDelivery: true });
    bench.clock.advance(DEADLINE_MS);
    await bench.settle(answer(live, { name: 'deadline' }));
    await bench.settle(answer(live, { name: 'accepted', parts: 2 }, ['a', 'b']));
    await bench.settle(bench.receipt('a', DELIVERED));
    assert.deepEqual(await outcome(bench, live.msgKey), { codes: ['22000'], late: ['latePart'] });
    await bench.settle(bench.receipt('b', DELIVERED));
    assert.deepEqual((await outcome(bench, live.msgKey)).codes, ['22000', '10000']);
  });

  for (const isClaimed of [true, false]) {
    const where = isClaimed ? 'with' : 'in the queue of';
    test(`a failure that names an attempt does not end it ${where} another carrier, a success does`, async t => {
      const bench = await open(t);
      const first = await bench.sendAndClaim();
      const about = { about: { msgKey: first.msgKey, step: first.step, attempt: first.attempt } };
      await bench.settle(answer(first, { name: 'rerouted', carrier: NEXT_CARRIER, why: 'routes[0]' }));
      if (isClaimed) await bench.claim({ carrier: NEXT_CARRIER });
      assert.deepEqual((await bench.settle(bench.receipt('', FAILED, about))).settled, ['ignored']);
      assert.deepEqual((await bench.settle(bench.receipt('', DELIVERED, about))).settled, ['ended']);
    });
  }

  test('a failure that names an attempt counts where it comes by the carrier that has the receipts of the first', async t => {
    const bench = await open(t);
    const { msgKey, step, attempt } = await bench.submit(['r1']);
    const about = { msgKey, step, attempt };
    const given = { carrier: NEXT_CARRIER, about };
    assert.deepEqual((await bench.settle(bench.receipt('', FAILED, given))).settled, ['ignored']);
    const receiptsOf = [FIRST_CARRIER];
    assert.deepEqual((await bench.settle(bench.receipt('', FAILED, { ...given, receiptsOf }))).settled, [
      'ended',
    ]);
  });

  for (const [what, first] of [
    ['delivered', DELIVERED],
    ['failed', FAILED],
  ] as const) {
    test(`a receipt that comes before its reference, which a message that was ${what} has too, waits for it`, async t => {
      const bench = await open(t);
      const older = await bench.submit(['1'], { reportsLateDelivery: true });
      await bench.settle(bench.receipt('1', first, { to: older.to }));
      bench.clock.advance(1000);
      const newer = await bench.sendAndClaim();
      const receipt = bench.receipt('1', DELIVERED, { to: newer.to });
      assert.deepEqual((await bench.settle(receipt)).settled, ['parked']);
      bench.clock.advance(REPETITION_MS / 2);
      await bench.settle(...(await bench.store.queue.matchedParked(bench.clock.now(), 10)));
      await bench.settle(answer(newer, { name: 'accepted' }, ['1']));
      assert.equal((await bench.view(newer.msgKey)).state, 'delivered');
      assert.deepEqual((await outcome(bench, older.msgKey)).late, []);
    });
  }

  test('of a message in parts the part that has arrived does not take the receipt of a newer message', async t => {
    const bench = await open(t);
    const older = await submitted(bench);
    await bench.settle(bench.receipt('a', DELIVERED), bench.receipt('c', FAILED));
    const newer = await bench.sendAndClaim();
    assert.deepEqual((await bench.settle(bench.receipt('a', DELIVERED))).settled, ['parked']);
    assert.deepEqual((await bench.settle(bench.receipt('b', DELIVERED))).settled, ['late']);
    await bench.settle(answer(newer, { name: 'accepted' }, ['a']));
    assert.equal((await bench.view(newer.msgKey)).state, 'delivered');
    assert.deepEqual((await outcome(bench, older.msgKey)).late, ['latePart']);
  });

  for (const [what, first, settled, late] of [
    ['ignored', DELIVERED, 'ignored', []],
    ['a late delivery', FAILED, 'late', ['lateDelivery']],
  ] as const) {
    test(`a further receipt that no newer message takes is ${what} in the end, and not kept`, async t => {
      const bench = await open(t);
      const { msgKey } = await bench.submit(['1']);
      await bench.settle(bench.receipt('1', first));
      await bench.settle(bench.receipt('1', DELIVERED));
      bench.clock.advance(REPETITION_MS);
      const kept = await bench.store.queue.matchedParked(bench.clock.now(), 10);
      assert.deepEqual((await bench.settle(...kept)).settled, [settled]);
      assert.deepEqual((await outcome(bench, msgKey)).late, late);
      bench.clock.advance(DAY_MS);
      assert.deepEqual(await bench.store.queue.matchedParked(bench.clock.now(), 10), []);
    });
  }

  test('a failure of an attempt that was turned away does not end the message in its queue', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim();
    const { msgKey, step, attempt } = live;
    await bench.settle(answer(live, { name: 'returned', retryAfterMs: 0 }));
    const receipt = bench.receipt('', FAILED, { about: { msgKey, step, attempt } });
    assert.deepEqual((await bench.settle(receipt)).settled, ['ignored']);
  });

  test('a receipt settles no message to another recipient than it names, however long it waits', async t => {
    const bench = await open(t);
    const live = await bench.submit(['r1'], { recipients: ['+14155550101'] });
    assert.deepEqual((await bench.settle(bench.receipt('r1', DELIVERED, { to: '+14155550102' }))).settled, [
      'parked',
    ]);
    bench.clock.advance(DEADLINE_MS / 2);
    await bench.settle(...(await bench.store.queue.matchedParked(bench.clock.now(), 10)));
    assert.equal((await bench.view(live.msgKey)).state, 'submitted');
  });

  test('of recipients in two countries that end alike, a receipt is about the one that it names in full', async t => {
    const bench = await open(t);
    for (const [index, [older, newer]] of [
      ['+819012345678', '+19012345678'],
      ['+19012345678', '+819012345678'],
    ].entries()) {
      const refs = [`same ${index}`];
      const first = await bench.submit(refs, { recipients: [String(older)] });
      const second = await bench.submit(refs, { recipients: [String(newer)] });
      const to = String(newer).slice(1);
      await bench.settle(bench.receipt(`same ${index}`, FAILED, { to }));
      assert.deepEqual((await outcome(bench, second.msgKey)).codes, ['23001']);
      assert.deepEqual((await outcome(bench, first.msgKey)).codes, []);
    }
  });

  for (const [what, parties] of [
    ['names nobody', {}],
    ['hides its recipient', { to: '1415***0101', from: '0212345678' }],
    ['has its addresses swapped', { to: '0212345678', from: '14155550101' }],
  ] as const) {
    test(`a receipt that ${what} settles the message of its reference`, async t => {
      const bench = await open(t);
      const live = await bench.submit(['r1'], { recipients: ['+14155550101'] });
      await bench.settle(bench.receipt('r1', DELIVERED, parties));
      assert.equal((await bench.view(live.msgKey)).state, 'delivered');
    });
  }
}
