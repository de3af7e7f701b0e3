import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StepEvent } from '../../../src/domain/delivery/settlement.ts';
import type { MsgKey } from '../../../src/domain/ids.ts';
import { REPETITION_MS } from '../../../src/store/parked.ts';
import type { QueueEvent } from '../../../src/store/store.ts';
import {
  answer,
  DEADLINE_MS,
  FIRST_CARRIER,
  NEXT_CARRIER,
  type OpenStore,
  TRACE,
  TWO_STEPS,
} from './store-under-test.ts';

const DELIVERED = { name: 'receivedDelivered' } as const;
const FAILED = { name: 'receivedFailed', reportCode: '23001' } as const;
const ACCEPTED = { name: 'accepted' } as const;

export function settleContract(open: OpenStore): void {
  test('notes that the carrier took a step', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim();
    const result = await bench.settle(answer(live, ACCEPTED, ['r1']));
    assert.deepEqual(result, { settled: ['moved'], reports: [], late: [], enqueued: false });
    assert.equal((await bench.view(live.msgKey)).state, 'submitted');
    assert.deepEqual(await bench.inquire(live.msgKey), []);
  });

  test('ends a delivered message with one report, and its job is gone', async t => {
    const bench = await open(t);
    const { msgKey } = await bench.submit(['r1'], { ref: 'order 7', groupKey: 'spring', traceparent: TRACE });
    const sentAt = bench.clock.now();
    bench.clock.advance(50);
    const result = await bench.settle(bench.receipt('r1', { ...DELIVERED, network: 'SKT' }));
    assert.deepEqual(result.settled, ['ended']);
    const report = {
      msgKey,
      account: 'acme',
      step: 0,
      serviceType: 'SMS',
      msgType: 'SM',
      sentAt,
      reportedAt: bench.clock.now(),
      reportCode: '10000',
      network: 'SKT',
      resCnt: undefined,
      userType: undefined,
      ref: 'order 7',
      groupKey: 'spring',
      traceparent: TRACE,
      isLast: true,
    };
    assert.deepEqual(result.reports, [report]);
    assert.deepEqual(await bench.inquire(msgKey), [report]);
    const view = await bench.view(msgKey);
    assert.equal(view.state, 'delivered');
    assert.deepEqual(eventsOf(view.history), ['routed', 'accepted', 'receivedDelivered']);
    assert.deepEqual(await bench.store.queue.peek(10), []);
  });

  test('ignores a receipt that is repeated', async t => {
    const bench = await open(t);
    const { msgKey } = await bench.submit(['r1']);
    const receipt = bench.receipt('r1', DELIVERED);
    assert.deepEqual((await bench.settle(receipt, receipt)).settled, ['ended', 'parked']);
    assert.deepEqual((await bench.settle(receipt)).settled, ['parked']);
    assert.deepEqual((await bench.settle(bench.receipt('r1', FAILED))).settled, ['parked']);
    bench.clock.advance(REPETITION_MS);
    const parked = await bench.store.queue.matchedParked(bench.clock.now(), 10);
    assert.deepEqual((await bench.settle(...parked)).settled, Array(3).fill('ignored'));
    assert.equal((await bench.inquire(msgKey)).length, 1);
    assert.equal((await bench.view(msgKey)).history.length, 3);
  });

  test('ignores the answer to an attempt that is not the running one', async t => {
    const bench = await open(t);
    const first = await bench.sendAndClaim();
    await bench.settle(answer(first, { name: 'deferred', reportCode: '22003' }));
    bench.clock.advance(2_000);
    const [second] = await bench.claim();
    const stale = await bench.settle(answer(first, { name: 'refused', reportCode: '23001' }));
    assert.deepEqual(stale.settled, ['ignored']);
    assert.equal((await bench.view(first.msgKey)).state, 'submitting');
    assert.equal(second?.attempt, 2);
  });

  test('ignores an answer to a message that is over or was never accepted', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim();
    await bench.settle(answer(live, DELIVERED));
    const unknown = { ...live, msgKey: '0'.repeat(32) as MsgKey };
    const { settled } = await bench.settle(answer(live, ACCEPTED, ['r1']), answer(unknown, ACCEPTED, ['r2']));
    assert.deepEqual(settled, ['ignored', 'ignored']);
  });

  test('cancels a message at whichever step and attempt it waits, once', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim({ flow: TWO_STEPS });
    const cancel = () =>
      bench.settle({ ...answer(live, { name: 'cancelled' }), step: 0, attempt: 0 } as QueueEvent);
    assert.deepEqual((await cancel()).settled, ['ignored'], 'a node holds it');
    await bench.settle(answer(live, { name: 'refused', reportCode: '23001' }));
    const { settled, reports } = await cancel();
    assert.deepEqual(settled, ['ended']);
    assert.deepEqual(
      reports.map(({ step, reportCode, isLast }) => [step, reportCode, isLast]),
      [[1, '90001', true]],
    );
    assert.deepEqual((await cancel()).settled, ['ignored']);
    assert.deepEqual(await bench.claim(), []);
    assert.equal((await bench.store.queue.depth()).ready, 0);
  });

  test('puts a step off that is refused for now, and tells why', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim();
    const result = await bench.settle(answer(live, { name: 'deferred', reportCode: '22003' }));
    assert.deepEqual(result.settled, ['moved']);
    const view = await bench.view(live.msgKey);
    assert.equal(view.state, 'retrying');
    assert.deepEqual(view.history.slice(1), [
      {
        at: bench.clock.now(),
        step: 0,
        attempt: 1,
        event: 'deferred',
        carrier: FIRST_CARRIER,
        code: '22003',
      },
    ]);
  });

  test('sends a step to another carrier without counting the attempt', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim();
    const result = await bench.settle(answer(live, { name: 'rerouted', carrier: 'gamma', why: 'routes[0]' }));
    assert.equal(result.enqueued, true);
    const [again] = await bench.claim({ carrier: 'gamma' });
    assert.equal(again?.msgKey, live.msgKey);
    assert.equal(again?.attempt, 1);
  });

  test('never sends again what may have been sent, and lets its receipt decide', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim();
    await bench.settle(answer(live, { name: 'lost' }, ['r1']));
    assert.equal((await bench.view(live.msgKey)).state, 'unknown');
    bench.clock.advance(DEADLINE_MS - 1);
    assert.deepEqual(await bench.claim(), []);
    await bench.settle(bench.receipt('r1', DELIVERED));
    assert.equal((await bench.view(live.msgKey)).state, 'delivered');
  });

  test('parks a receipt that comes before the answer, which then takes it along', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim();
    assert.deepEqual((await bench.settle(bench.receipt('r1', DELIVERED))).settled, ['parked']);
    assert.equal((await bench.view(live.msgKey)).state, 'submitting');
    const result = await bench.settle(answer(live, ACCEPTED, ['r1']));
    assert.deepEqual(result.settled, ['moved']);
    assert.deepEqual(
      result.reports.map(({ reportCode }) => reportCode),
      ['10000'],
    );
    assert.equal((await bench.view(live.msgKey)).state, 'delivered');
    assert.deepEqual(await bench.store.queue.matchedParked(bench.clock.now(), 10), []);
  });

  test('brings a receipt and its answer together within one call, whichever is first', async t => {
    const bench = await open(t);
    const first = await bench.sendAndClaim();
    const second = await bench.sendAndClaim();
    await bench.settle(
      bench.receipt('r1', DELIVERED),
      answer(first, ACCEPTED, ['r1']),
      answer(second, ACCEPTED, ['r2']),
      bench.receipt('r2', FAILED),
    );
    assert.equal((await bench.view(first.msgKey)).state, 'delivered');
    assert.equal((await bench.view(second.msgKey)).state, 'failed');
  });

  test('keeps references of two carriers apart', async t => {
    const bench = await open(t);
    const { msgKey } = await bench.submit(['r1']);
    assert.deepEqual((await bench.settle(bench.receipt('r1', DELIVERED, { carrier: 'gamma' }))).settled, [
      'parked',
    ]);
    assert.equal((await bench.view(msgKey)).state, 'submitted');
  });

  test('tells messages of one reference apart by their recipients, however they are written', async t => {
    const bench = await open(t);
    const first = await bench.submit(['1'], { recipients: ['+14155550101'] });
    bench.clock.advance(1_000);
    const second = await bench.submit(['1'], { recipients: ['+14155550102'] });
    await bench.settle(bench.receipt('1', FAILED, { to: '14155550102' }));
    await bench.settle(bench.receipt('1', DELIVERED, { to: '0014155550101' }));
    assert.equal((await bench.view(first.msgKey)).state, 'delivered');
    assert.equal((await bench.view(second.msgKey)).state, 'failed');
  });

  test('tells numbers apart that only end alike', async t => {
    const bench = await open(t);
    const first = await bench.submit(['1'], { recipients: ['01012345678'] });
    bench.clock.advance(1_000);
    const second = await bench.submit(['1'], { recipients: ['+14112345678'] });
    await bench.settle(bench.receipt('1', FAILED, { to: '14112345678' }));
    assert.equal((await bench.view(first.msgKey)).state, 'submitted');
    assert.equal((await bench.view(second.msgKey)).state, 'failed');
  });

  test('of messages with the same reference and recipient takes the one that waits longest', async t => {
    const bench = await open(t);
    const older = await bench.submit(['1']);
    bench.clock.advance(1_000);
    const newer = await bench.submit(['1']);
    await bench.settle(bench.receipt('1', DELIVERED, { to: '01012345678' }));
    assert.equal((await bench.view(older.msgKey)).state, 'delivered');
    await bench.settle(bench.receipt('1', FAILED));
    assert.equal((await bench.view(newer.msgKey)).state, 'failed');
  });

  test('a reference that is given out again belongs to the new message', async t => {
    const bench = await open(t);
    await bench.submit(['1']);
    await bench.settle(bench.receipt('1', DELIVERED));
    bench.clock.advance(1_000);
    const newer = await bench.submit(['1']);
    await bench.settle(bench.receipt('1', DELIVERED));
    assert.equal((await bench.view(newer.msgKey)).state, 'delivered');
  });

  test('tells early receipts of one reference apart too', async t => {
    const bench = await open(t);
    const first = await bench.sendAndClaim({ recipients: ['01011110001'] });
    const second = await bench.sendAndClaim({ recipients: ['01011110002'] });
    await bench.settle(bench.receipt('1', FAILED, { to: '01011110002' }));
    await bench.settle(bench.receipt('1', DELIVERED, { to: '01011110001' }));
    await bench.settle(answer(first, ACCEPTED, ['1']), answer(second, ACCEPTED, ['1']));
    await bench.settle(...(await bench.store.queue.matchedParked(bench.clock.now(), 10)));
    const states = await Promise.all(
      [first, second].map(async ({ msgKey }) => (await bench.view(msgKey)).state),
    );
    assert.deepEqual(states, ['delivered', 'failed']);
  });

  test('a message in parts is delivered with its last part, also across a restart', async t => {
    const bench = await open(t);
    const { msgKey } = await bench.submit(['a', 'b', 'c']);
    for (const ref of ['c', 'a', 'c']) await bench.settle(bench.receipt(ref, DELIVERED));
    assert.equal((await bench.view(msgKey)).state, 'submitted');
    await bench.reopen();
    const { settled, reports } = await bench.settle(bench.receipt('b', DELIVERED));
    assert.deepEqual(settled, ['ended']);
    assert.equal(reports[0]?.resCnt, '3');
  });

  test('counts parts to which the carrier gave the same reference', async t => {
    const bench = await open(t);
    const { msgKey } = await bench.submit(['same', 'same']);
    await bench.settle(bench.receipt('same', DELIVERED));
    assert.equal((await bench.view(msgKey)).state, 'submitted');
    await bench.settle(bench.receipt('same', DELIVERED));
    assert.equal((await bench.view(msgKey)).state, 'delivered');
  });

  test('keeps the references of the parts that were taken before the link was lost', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim();
    await bench.settle(answer(live, { name: 'lost', parts: 3 }, ['a', undefined, 'c']));
    await bench.settle(bench.receipt('a', DELIVERED));
    assert.equal((await bench.view(live.msgKey)).state, 'unknown');
    await bench.settle(bench.receipt('c', FAILED));
    assert.equal((await bench.view(live.msgKey)).state, 'failed');
  });

  test('a receipt that names our own attempt needs no reference', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim();
    const { msgKey, step, attempt } = live;
    const about = { about: { msgKey, step, attempt } };
    assert.deepEqual((await bench.settle(bench.receipt('', DELIVERED, about))).settled, ['ended']);
    assert.deepEqual((await bench.settle(bench.receipt('', DELIVERED, about))).settled, ['ignored']);
    const stranger = { about: { msgKey: 'X'.repeat(32) as MsgKey, step: 0, attempt: 1 } };
    assert.deepEqual((await bench.settle(bench.receipt('', DELIVERED, stranger))).settled, ['ignored']);
  });

  test('finds a message by any of its references, long after it was sent', async t => {
    const bench = await open(t);
    const { msgKey } = await bench.submit(['r1', 'r2'], { deadlineAt: bench.clock.now() + 10 * DEADLINE_MS });
    bench.clock.advance(9 * DEADLINE_MS);
    assert.deepEqual((await bench.settle(bench.receipt('r2', FAILED))).settled, ['ended']);
    assert.equal((await bench.view(msgKey)).state, 'failed');
  });

  test('hands out a parked receipt whose reference is known, and settles it once although it is found twice', async t => {
    const bench = await open(t);
    await bench.settle(bench.receipt('r1', DELIVERED, { to: '01099990000' }));
    const other = await bench.submit(['r1']);
    const matched = await bench.store.queue.matchedParked(bench.clock.now(), 10);
    assert.deepEqual(
      matched.map(event => event.kind === 'receipt' && [event.ref, event.event.name]),
      [['r1', 'receivedDelivered']],
    );
    assert.deepEqual((await bench.settle(...matched)).settled, ['parked']);
    const own = await bench.submit(['r1'], { recipients: ['01099990000'] });
    assert.equal((await bench.view(own.msgKey)).state, 'delivered');
    assert.deepEqual((await bench.settle(...matched)).settled, ['parked']);
    assert.equal((await bench.inquire(own.msgKey)).length, 1);
    assert.equal((await bench.view(other.msgKey)).state, 'submitted');
    bench.clock.advance(60_000);
    assert.deepEqual(await bench.store.queue.matchedParked(bench.clock.now(), 10), []);
  });

  test('records a delivery that comes after the deadline, once, and reports it no more', async t => {
    const bench = await open(t);
    const live = await bench.submit(['r1']);
    bench.clock.advance(DEADLINE_MS);
    await bench.settle(answer(live, { name: 'deadline' }));
    bench.clock.advance(1_000);
    const late = bench.receipt('r1', DELIVERED);
    assert.deepEqual((await bench.settle(late)).settled, ['late']);
    assert.deepEqual((await bench.settle(late, late)).settled, ['parked', 'parked']);
    const view = await bench.view(live.msgKey);
    assert.equal(view.state, 'expired');
    assert.deepEqual(eventsOf(view.history), ['routed', 'accepted', 'deadline', 'lateDelivery']);
    assert.equal(view.history.at(-1)?.at, bench.clock.now());
    assert.deepEqual(
      (await bench.inquire(live.msgKey)).map(({ reportCode }) => reportCode),
      ['22000'],
    );
  });

  test('goes on to the next step when one fails', async t => {
    const bench = await open(t);
    const live = await bench.submit(['r1'], { flow: TWO_STEPS });
    bench.clock.advance(5);
    const result = await bench.settle(bench.receipt('r1', FAILED));
    assert.deepEqual(result.settled, ['ended']);
    assert.equal(result.enqueued, true);
    assert.deepEqual(
      result.reports.map(({ step, isLast, reportCode }) => ({ step, isLast, reportCode })),
      [{ step: 0, isLast: false, reportCode: '23001' }],
    );
    const [next] = await bench.claim({ carrier: NEXT_CARRIER });
    assert.deepEqual(next && [next.msgKey, next.step, next.attempt, next.submittedAt, next.deadlineAt], [
      live.msgKey,
      1,
      1,
      undefined,
      bench.clock.now() + DEADLINE_MS,
    ]);
    assert.ok(next);
    await bench.settle(answer(next, DELIVERED));
    assert.deepEqual(
      (await bench.inquire(live.msgKey)).map(({ step, isLast }) => ({ step, isLast })),
      [
        { step: 0, isLast: false },
        { step: 1, isLast: true },
      ],
    );
    const view = await bench.view(live.msgKey);
    assert.deepEqual([view.state, view.step], ['delivered', 1]);
  });

  test('records a late delivery of an earlier step while the next is on its way', async t => {
    const bench = await open(t);
    const live = await bench.submit(['r1'], { flow: TWO_STEPS });
    await bench.settle(bench.receipt('r1', FAILED), bench.receipt('r1', DELIVERED));
    bench.clock.advance(REPETITION_MS);
    const parked = await bench.store.queue.matchedParked(bench.clock.now(), 10);
    assert.deepEqual((await bench.settle(...parked)).settled, ['late']);
    const view = await bench.view(live.msgKey);
    assert.deepEqual([view.state, view.step], ['queued', 1]);
    assert.equal(eventsOf(view.history).at(-1), 'lateDelivery');
  });

  test('applies several events of one message in one call in their order', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim({ flow: TWO_STEPS });
    const { msgKey, step, attempt } = live;
    const { settled, reports } = await bench.settle(
      answer(live, ACCEPTED, ['r1']),
      bench.receipt('r1', FAILED),
      bench.receipt('', DELIVERED, { about: { msgKey, step, attempt } }),
      answer(live, { name: 'deadline' }),
    );
    assert.deepEqual(settled, ['moved', 'ended', 'late', 'ignored']);
    assert.equal(reports.length, 1);
    const view = await bench.view(live.msgKey);
    assert.deepEqual([view.state, view.step], ['queued', 1]);
    assert.deepEqual(eventsOf(view.history), [
      'routed',
      'accepted',
      'receivedFailed',
      'routed',
      'lateDelivery',
    ]);
  });

  test('gives each of many calls its own result', async t => {
    const bench = await open(t);
    const steps = [await bench.sendAndClaim(), await bench.sendAndClaim(), await bench.sendAndClaim()];
    const results = await Promise.all(steps.map(live => bench.settle(answer(live, DELIVERED))));
    assert.deepEqual(
      results.map(({ settled, reports, enqueued }) => [
        settled,
        reports[0]?.msgKey,
        reports.length,
        enqueued,
      ]),
      steps.map(({ msgKey }) => [['ended'], msgKey, 1, false]),
    );
  });

  test('ends a message once although its receipt is settled several times at once', async t => {
    const bench = await open(t);
    const { msgKey } = await bench.submit(['r1']);
    const results = await Promise.all(
      Array.from({ length: 5 }, () => bench.settle(bench.receipt('r1', DELIVERED))),
    );
    assert.deepEqual(results.flatMap(({ settled }) => settled).sort(), ['ended', ...Array(4).fill('parked')]);
    assert.equal((await bench.inquire(msgKey)).length, 1);
  });

  test('settles the calls of a group although one of them fails, and nothing of that one', async t => {
    const bench = await open(t);
    const steps = [await bench.sendAndClaim(), await bench.sendAndClaim(), await bench.sendAndClaim()];
    const results = await Promise.allSettled(
      steps.map((live, index) =>
        bench.store.queue.settle(
          [answer(live, ACCEPTED, ['r1']), answer(live, DELIVERED)],
          (step, event, now) => {
            if (index === 1 && event.name === 'receivedDelivered') throw new Error('a broken rule');
            return bench.decide(step, event, now);
          },
        ),
      ),
    );
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    const states = await Promise.all(steps.map(async ({ msgKey }) => (await bench.view(msgKey)).state));
    assert.deepEqual(states, ['delivered', 'submitting', 'delivered']);
  });

  test('events that are settled again, because the answer to their commit was lost, change nothing', async t => {
    const bench = await open(t);
    const answers: Readonly<Record<string, readonly [StepEvent, number]>> = {
      accepted: [ACCEPTED, 1],
      'accepted in parts': [{ ...ACCEPTED, parts: 2 }, 2],
      refused: [{ name: 'refused', reportCode: '23001' }, 0],
      'refused in parts': [{ name: 'refused', reportCode: '23001', parts: 3 }, 1],
      deferred: [{ name: 'deferred', reportCode: '23001' }, 0],
      lost: [{ name: 'lost', parts: 2 }, 1],
      returned: [{ name: 'returned', retryAfterMs: 0 }, 0],
      repeated: [{ name: 'repeated', until: bench.clock.now() + DEADLINE_MS, retryAfterMs: 0 }, 0],
      rerouted: [{ name: 'rerouted', carrier: NEXT_CARRIER, why: 'down' }, 0],
      postponed: [{ name: 'postponed', until: bench.clock.now() + 1 }, 0],
      optedOut: [{ name: 'optedOut' }, 0],
    };
    const ENDS = ['answer', 'delivered', 'failed', 'deadline', 'late'] as const;
    for (const [name, [event, refs]] of Object.entries(answers)) {
      for (const end of ENDS) {
        const live = await bench.sendAndClaim({ flow: TWO_STEPS, reportsLateDelivery: true });
        const { msgKey, step, attempt, claim } = live;
        const about = { msgKey, step, attempt };
        const heard = Array.from({ length: refs }, (_, part) => `${msgKey}-${part}`);
        const ofCarrier = answer(live, event, heard);
        const first = claim === undefined ? ofCarrier : { ...ofCarrier, claim };
        const batches: readonly (readonly QueueEvent[])[] = {
          answer: [[first]],
          delivered: [[first, bench.receipt('', DELIVERED, { about })]],
          failed: [[first, bench.receipt('', FAILED, { about })]],
          deadline: [[answer(live, { name: 'deadline' })], [first]],
          late: [[first, answer(live, { name: 'deadline' }), bench.receipt('', DELIVERED, { about })]],
        }[end];
        const state = async () => {
          const view = await bench.view(msgKey);
          return { ...view, records: await bench.inquire(msgKey) };
        };
        for (const events of batches) {
          await bench.settle(...events);
          const before = await state();
          const again = await bench.settle(...events);
          assert.deepEqual(await state(), before, `${name}, ${end}`);
          assert.deepEqual([again.reports, again.late, again.enqueued], [[], [], false], `${name}, ${end}`);
        }
        await bench.settle(answer(live, { name: 'cancelled' }));
      }
    }
  });

  test('settles nothing when it is given nothing', async t => {
    const bench = await open(t);
    assert.deepEqual(await bench.settle(), { settled: [], reports: [], late: [], enqueued: false });
  });
}

function eventsOf(history: readonly { readonly event: string }[]): string[] {
  return history.map(({ event }) => event);
}
