import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AccountId, msgKeyOf } from '../../../src/domain/ids.ts';
import { firstStepOf } from '../../../src/store/first-step.ts';
import {
  answer,
  DEADLINE_MS,
  FIRST_CARRIER,
  GLOBEX,
  ONE_STEP,
  type OpenStore,
  type StoreUnderTest,
  TRACE,
} from './store-under-test.ts';

export function queueContract(open: OpenStore): void {
  test('claims the oldest first, and no more than asked', async t => {
    const bench = await open(t);
    const keys = await sendOneByOne(bench, 5);
    const first = await bench.claim({ limit: 2 });
    assert.deepEqual(
      first.map(({ msgKey }) => msgKey),
      keys.slice(0, 2),
    );
    const rest = await bench.claim({ limit: 10 });
    assert.deepEqual(
      rest.map(({ msgKey }) => msgKey),
      keys.slice(2),
    );
  });

  test('hands out a claimed step with everything that is needed to send it', async t => {
    const bench = await open(t);
    const msgKey = await bench.send({ ref: 'order 7', groupKey: 'spring', traceparent: TRACE });
    const [live] = await bench.claim();
    assert.deepEqual(live, {
      msgKey,
      account: 'acme',
      to: '01012345678',
      words: undefined,
      ref: 'order 7',
      groupKey: 'spring',
      traceparent: TRACE,
      flow: JSON.parse(JSON.stringify(ONE_STEP)),
      step: 0,
      state: 'submitting',
      attempt: 1,
      carrier: FIRST_CARRIER,
      claim: live?.claim,
      repeatUntil: undefined,
      parts: undefined,
      submittedAt: undefined,
      deadlineAt: bench.clock.now() + DEADLINE_MS,
    });
  });

  test('a request may be stored as claimed: nobody else gets it, and its answer settles it', async t => {
    const bench = await open(t);
    const request = bench.request({
      claim: { owner: 'node-1', claim: 'node-1/7' },
      recipients: ['01012345678', '01087654321'],
    });
    await bench.accept(request);
    const [msgKey, other] = [msgKeyOf(request.requestId, 0), msgKeyOf(request.requestId, 1)];
    assert.deepEqual(await bench.claim(), []);
    const ready = await bench.store.queue.readyAccounts({
      carrier: FIRST_CARRIER,
      after: undefined,
      limit: 9,
    });
    assert.deepEqual(ready, []);
    const depth = await bench.store.queue.depth();
    assert.deepEqual([depth.claimed, depth.ready], [2, 0]);
    const held = await bench.store.queue.held('node-1', [], 10);
    const expected = [msgKey, other].map(key => ({ msgKey: key, step: 0, attempt: 1, claim: 'node-1/7' }));
    assert.deepEqual(
      held.sort((a, b) => (a.msgKey < b.msgKey ? -1 : 1)),
      expected,
    );

    const steps = request.messages.map(message => firstStepOf(request, message));
    for (const live of steps) {
      const isFirst = live.msgKey === msgKey;
      if (isFirst) await bench.settle(answer(live, { name: 'accepted' }, ['ref-1']));
      else await bench.settle(answer(live, { name: 'returned', retryAfterMs: 0 }));
    }
    assert.equal((await bench.store.messages.find(msgKey))?.state, 'submitted');
    assert.deepEqual(
      (await bench.claim()).map(live => [live.msgKey, live.attempt, live.to, live.flow]),
      [[other, 1, '01087654321', JSON.parse(JSON.stringify(ONE_STEP))]],
    );
  });

  test('claims the steps of the asked carrier only', async t => {
    const bench = await open(t);
    await bench.send({ carrier: 'alpha' });
    const other = await bench.send({ carrier: 'gamma' });
    const claimed = await bench.claim({ carrier: 'gamma' });
    assert.deepEqual(
      claimed.map(({ msgKey }) => msgKey),
      [other],
    );
    assert.deepEqual(await bench.claim({ carrier: 'delta' }), []);
  });

  test('tells which accounts have steps due for a carrier, and goes on after one of them', async t => {
    const bench = await open(t);
    for (const account of ['c', 'a', 'b'] as AccountId[]) await bench.send({ account });
    await bench.send({ account: 'd' as AccountId, carrier: 'gamma' });
    const query = { carrier: FIRST_CARRIER, after: undefined, limit: 2 };
    assert.deepEqual(await bench.store.queue.readyAccounts(query), ['a', 'b']);
    const rest = await bench.store.queue.readyAccounts({ ...query, after: 'b' as AccountId });
    assert.deepEqual(rest, ['c']);
  });

  test('an account whose steps are all put off does not wait', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim();
    await bench.settle(answer(live, { name: 'deferred', reportCode: '22003' }));
    const query = { carrier: FIRST_CARRIER, after: undefined, limit: 10 };
    assert.deepEqual(await bench.store.queue.readyAccounts(query), []);
    assert.equal(await bench.store.queue.countReady(FIRST_CARRIER, 10), 0);
  });

  test('gives each account its share, whoever came first', async t => {
    const bench = await open(t);
    const flood = 'flood' as AccountId;
    const small = 'small' as AccountId;
    for (let count = 0; count < 20; count++) await bench.send({ account: flood });
    await bench.send({ account: small });
    const counted = [50, 7].map(most => bench.store.queue.countReady(FIRST_CARRIER, most));
    assert.deepEqual(await Promise.all(counted), [21, 7]);
    assert.equal(await bench.store.queue.countReady('another', 50), 0);
    const claimed = await bench.claim({ limit: 3 });
    assert.deepEqual(
      claimed.map(({ account }) => account),
      [flood, flood, flood, small],
    );
  });

  test('takes what is sent singly before bulk, then the oldest', async t => {
    const bench = await open(t);
    const bulk = await bench.send({ isBulk: true });
    bench.clock.advance(10);
    const first = await bench.send();
    bench.clock.advance(10);
    const second = await bench.send();
    const order = async (limit: number) => (await bench.claim({ limit })).map(({ msgKey }) => msgKey);
    assert.deepEqual(await order(2), [first, second]);
    assert.deepEqual(await order(2), [bulk]);
  });

  test('has the attempt on disk before it hands out the step', async t => {
    const bench = await open(t);
    const { msgKey } = await bench.sendAndClaim();
    await bench.reopen();
    const { state, attempt } = await bench.view(msgKey);
    assert.deepEqual({ state, attempt }, { state: 'submitting', attempt: 1 });
  });

  test('claims a step that is put off when its time has come', async t => {
    const bench = await open(t);
    const live = await bench.sendAndClaim();
    await bench.settle(answer(live, { name: 'deferred', reportCode: '22003' }));
    assert.deepEqual(await bench.claim(), []);
    bench.clock.advance(1_999);
    assert.deepEqual(await bench.claim(), []);
    bench.clock.advance(1);
    assert.equal((await bench.claim())[0]?.attempt, 2);
  });

  test('hands out each step once, however many claim at the same time', async t => {
    const bench = await open(t);
    const requests = Array.from({ length: 200 }, () => bench.request());
    await Promise.all(requests.map(request => bench.accept(request)));
    const claims = await Promise.all(
      Array.from({ length: 10 }, (_, index) => bench.claim({ owner: `node-${index}`, limit: 30 })),
    );
    const claimed = claims.flat().map(({ msgKey }) => msgKey);
    assert.equal(new Set(claimed).size, claimed.length);
    const rest = await bench.claim({ limit: 500 });
    assert.equal(claimed.length + rest.length, 200);
  });

  test('names the carriers that steps wait for', async t => {
    const bench = await open(t);
    assert.deepEqual(await bench.store.queue.carriers(), []);
    for (const carrier of ['gamma', 'alpha', 'gamma', '']) await bench.send({ carrier });
    assert.deepEqual((await bench.store.queue.carriers()).sort(), ['', 'alpha', 'gamma']);
    await bench.claim({ carrier: 'gamma' });
    assert.deepEqual((await bench.store.queue.carriers()).sort(), ['', 'alpha']);
  });

  test('measures the queue', async t => {
    const bench = await open(t);
    const none = {
      ...{ ready: 0, claimed: 0, awaitingReceipt: 0, putOff: 0 },
      ...{ oldestReadyAt: undefined, heads: new Map() },
    };
    assert.deepEqual(await bench.store.queue.depth(), none);
    const live = await bench.sendAndClaim();
    await bench.settle(answer(live, { name: 'accepted' }));
    const deferred = await bench.sendAndClaim();
    await bench.settle(answer(deferred, { name: 'deferred', reportCode: '22003' }));
    await bench.sendAndClaim();
    const readyAt = bench.clock.now();
    await bench.send({ carrier: 'gamma' });
    bench.clock.advance(10);
    await bench.send({ carrier: 'alpha' });
    await bench.send({ carrier: 'alpha', account: GLOBEX });
    bench.clock.advance(10);
    await bench.send({ carrier: 'gamma' });
    assert.deepEqual(await bench.store.queue.depth(), {
      ready: 4,
      claimed: 1,
      awaitingReceipt: 1,
      putOff: 1,
      oldestReadyAt: readyAt,
      heads: new Map([
        ['alpha', readyAt + 10],
        ['gamma', readyAt],
      ]),
    });
  });

  test('shows the head of the queue, oldest first', async t => {
    const bench = await open(t);
    const delivered = await bench.deliver();
    const keys = await sendOneByOne(bench, 3);
    const views = await bench.store.queue.peek(2);
    assert.deepEqual(
      views.map(({ msgKey }) => msgKey),
      keys.slice(0, 2),
    );
    assert.equal(views[0]?.state, 'queued');
    assert.equal(views[0]?.to, '01012345678');
    assert.ok(!(await bench.store.queue.peek(100)).some(({ msgKey }) => msgKey === delivered));
  });

  test('finds a step that a lane at a standstill left in the queue past a long deadline', async t => {
    const bench = await open(t);
    const msgKey = await bench.send({ deadlineAt: bench.clock.now() + DEADLINE_MS });
    const { queue } = bench.store;
    const deadline = bench.clock.now() + DEADLINE_MS;
    assert.deepEqual(await queue.overdue(deadline - 1, 10), []);
    assert.deepEqual(await queue.overdue(deadline, 10), [{ msgKey, step: 0, attempt: 0 }]);
  });

  test('names the steps whose deadline has passed, oldest first, and no more than asked', async t => {
    const bench = await open(t);
    const now = bench.clock.now();
    const third = await bench.send({ deadlineAt: now + 30 });
    const first = await bench.send({ deadlineAt: now + 10 });
    const second = await bench.send({ deadlineAt: now + 20 });
    const { queue } = bench.store;
    assert.deepEqual(await queue.overdue(now + 9, 10), []);
    assert.deepEqual(await queue.overdue(now + 10, 10), [{ msgKey: first, step: 0, attempt: 0 }]);
    assert.deepEqual(
      (await queue.overdue(now + 30, 2)).map(({ msgKey }) => msgKey),
      [first, second],
    );
    await bench.claim();
    assert.deepEqual((await queue.overdue(now + 30, 10)).at(-1), { msgKey: third, step: 0, attempt: 1 });
  });

  test('finds steps past their deadline behind thousands of older steps with later deadlines', async t => {
    const bench = await open(t);
    const now = bench.clock.now();
    const { queue } = bench.store;
    const recipients = Array.from({ length: 900 }, (_, index) => `0101${1_000_000 + index}`);
    for (let request = 0; request < 6; request++) {
      await bench.accept(bench.request({ recipients, isBulk: false, deadlineAt: now + 4 * DEADLINE_MS }));
    }
    bench.clock.advance(1);
    const behind = await bench.send({ deadlineAt: now + DEADLINE_MS });
    const other = await bench.send({ account: GLOBEX, deadlineAt: now + DEADLINE_MS });
    bench.clock.advance(DEADLINE_MS);
    const found = new Set<string>();
    // What a sweep does every second.
    for (let sweep = 0; sweep < 3; sweep++) {
      for (const { msgKey } of await queue.overdue(bench.clock.now(), 10)) found.add(msgKey);
    }
    assert.deepEqual([...found].toSorted(), [behind, other].toSorted());
  });

  test('names the steps that wait for a receipt, with their references, those with the nearest deadline first', async t => {
    const bench = await open(t);
    const now = bench.clock.now();
    const { queue } = bench.store;
    const taken = async (ref: string, deadlineAt: number, carrier = 'alpha') => {
      const msgKey = await bench.send({ carrier, deadlineAt });
      const [live] = await bench.claim({ carrier });
      assert.ok(live);
      await bench.settle({ ...answer(live, { name: 'accepted', parts: 1 }, [ref]), carrier });
      return { msgKey, step: 0, attempt: 1, deadlineAt, isInDoubt: false, ref };
    };
    const later = await taken('r-1', now + 50_000);
    const first = await taken('r-2', now + 40_000);
    await taken('r-3', now + 40_000, 'beta');
    await taken('r-4', now + 90_000);
    bench.clock.advance(1000);
    await taken('r-5', now + 45_000);
    await bench.send({ carrier: 'alpha', deadlineAt: now + 40_000 });
    const ask = (deadlineAfter: number, limit = 10) =>
      queue.awaited({
        carrier: 'alpha',
        submittedBefore: now,
        deadlineAfter,
        deadlineUntil: now + 60_000,
        limit,
      });
    const inDoubt = await bench.send({ carrier: 'alpha', deadlineAt: now + 55_000 });
    const claimed = (await bench.claim({ carrier: 'alpha' })).find(live => live.msgKey === inDoubt);
    assert.ok(claimed);
    await bench.settle(answer(claimed, { name: 'lost' }));
    const lost = { msgKey: inDoubt, step: 0, attempt: 1, deadlineAt: now + 55_000, isInDoubt: true };
    assert.deepEqual(await ask(now), [first, later, lost]);
    assert.deepEqual(await ask(now, 1), [first]);
    assert.deepEqual(await ask(first.deadlineAt), [later, lost], 'not those past their deadline');
    assert.deepEqual(await ask(lost.deadlineAt), []);
  });

  test('lets a deadline end a step in whatever state it is', async t => {
    const bench = await open(t);
    const [queued, submitting, submitted] = [
      bench.request({ carrier: 'gamma' }),
      bench.request({ carrier: 'alpha' }),
      bench.request({ carrier: 'beta' }),
    ] as const;
    for (const request of [queued, submitting, submitted]) await bench.accept(request);
    await bench.claim({ carrier: 'alpha' });
    const [taken] = await bench.claim({ carrier: 'beta' });
    assert.ok(taken);
    await bench.settle(answer(taken, { name: 'accepted' }));
    bench.clock.advance(DEADLINE_MS);
    const overdue = await bench.store.queue.overdue(bench.clock.now(), 10);
    await bench.settle(...overdue.map(key => ({ kind: 'step' as const, ...key, event: DEADLINE })));
    for (const { requestId } of [queued, submitting, submitted]) {
      const msgKey = msgKeyOf(requestId, 0);
      assert.equal((await bench.view(msgKey)).state, 'expired');
      assert.deepEqual(
        (await bench.inquire(msgKey)).map(({ reportCode }) => reportCode),
        ['22000'],
      );
    }
    assert.deepEqual(await bench.store.queue.overdue(bench.clock.now(), 10), []);
  });
}

const DEADLINE = { name: 'deadline' } as const;

async function sendOneByOne(bench: StoreUnderTest, count: number): Promise<string[]> {
  const keys: string[] = [];
  for (let index = 0; index < count; index++) {
    keys.push(await bench.send());
    bench.clock.advance(1);
  }
  return keys;
}
