import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountId, MsgKey } from '../../../src/domain/ids.ts';
import { timePrefix } from '../../../src/domain/ids.ts';
import { WEBHOOK_WINDOW_MS, type WebhookAttempt } from '../../../src/domain/reports/webhook.ts';
import type { ClaimedDelivery, CompletedDelivery, DeliveryView } from '../../../src/store/store.ts';
import {
  ACME,
  accountNamed,
  answer,
  GLOBEX,
  type OpenStore,
  PROFILE,
  type StoreUnderTest,
  TWO_STEPS,
} from './store-under-test.ts';

const OWNER = 'node-1';
const ATTEMPT: WebhookAttempt = { at: 1, status: 500, error: 'HTTP 500; expected 200', durationMs: 3 };

/** A store on which `OWNER` lives. */
async function openAlive(open: OpenStore, t: Parameters<OpenStore>[0]): Promise<StoreUnderTest> {
  const bench = await open(t);
  await bench.store.nodes.heartbeat(OWNER, 60_000, PROFILE);
  return bench;
}

function collect(bench: StoreUnderTest, account: AccountId = ACME, lastOnly = false): Promise<number> {
  const now = bench.clock.now();
  return bench.store.webhooks.collect({ account, lastOnly, windowMs: WEBHOOK_WINDOW_MS, now, limit: 100 });
}

function claim(bench: StoreUnderTest, limit = 100, account: AccountId = ACME): Promise<ClaimedDelivery[]> {
  return bench.store.webhooks.claim({ account, owner: OWNER, limit, now: bench.clock.now() });
}

function complete(
  bench: StoreUnderTest,
  { msgKey, step }: ClaimedDelivery,
  changes: Partial<CompletedDelivery>,
): Promise<void> {
  const at = bench.clock.now();
  const base = {
    msgKey,
    step,
    owner: OWNER,
    state: 'delivered',
    at,
    attempts: 1,
    recent: [ATTEMPT],
  } as const;
  return bench.store.webhooks.complete({ ...base, ...changes });
}

function list(
  bench: StoreUnderTest,
  query: { account?: AccountId; state?: DeliveryView['state']; before?: DeliveryView; limit?: number } = {},
): Promise<DeliveryView[]> {
  const { account, state, before, limit = 100 } = query;
  return bench.store.webhooks.list({ account, state, before, limit });
}

async function deliverSeveral(bench: StoreUnderTest, count: number): Promise<MsgKey[]> {
  const keys: MsgKey[] = [];
  for (let index = 0; index < count; index++) {
    keys.push(await bench.deliver());
    bench.clock.advance(1);
  }
  return keys;
}

/** Everything reported until now. */
async function replayAll(bench: StoreUnderTest): Promise<number> {
  const now = bench.clock.now();
  const order = { account: ACME, from: 0, until: now + 1, now, giveUpAt: now + WEBHOOK_WINDOW_MS };
  return (await bench.store.webhooks.replay({ ...order, lastOnly: false, after: '', limit: 100 })).records;
}

/** What was not delivered of it. */
async function retryAll(bench: StoreUnderTest): Promise<number> {
  const now = bench.clock.now();
  const order = { account: ACME, from: 0, until: now + 1, now, giveUpAt: now + WEBHOOK_WINDOW_MS };
  const after = { msgKey: '' as MsgKey, step: 0 };
  return (await bench.store.webhooks.retryRange({ ...order, after, limit: 100 })).records;
}

const keysOf = (deliveries: readonly { readonly msgKey: string }[]) => deliveries.map(({ msgKey }) => msgKey);

export function webhooksContract(open: OpenStore): void {
  test('collects records from the report queue, which polling then does not hand out', async t => {
    const bench = await openAlive(open, t);
    const keys = await deliverSeveral(bench, 3);
    assert.equal(await collect(bench, GLOBEX), 0);
    assert.equal(await collect(bench), 3);
    assert.equal(await collect(bench), 0);
    assert.equal(await bench.poll(), undefined);
    const claimed = await claim(bench);
    assert.deepEqual(keysOf(claimed), keys);
    const [first] = claimed;
    const record = first?.record;
    assert.ok(record && 'reportCode' in record);
    assert.deepEqual([record.reportCode, record.account], ['10000', ACME]);
    assert.deepEqual([first?.attempts, first?.recent], [0, []]);
    assert.equal(first?.giveUpAt, bench.clock.now() + WEBHOOK_WINDOW_MS);
  });

  test('leaves a batch that polling has handed out where it is', async t => {
    const bench = await openAlive(open, t);
    const [first] = await deliverSeveral(bench, 1);
    await bench.poll();
    const [second] = await deliverSeveral(bench, 1);
    assert.equal(await collect(bench), 1);
    assert.deepEqual(keysOf(await claim(bench)), [second]);
    assert.deepEqual(keysOf((await bench.poll())?.records ?? []), [first]);
  });

  test('drops the records of earlier steps for an account that wants the last one', async t => {
    const bench = await openAlive(open, t);
    const live = await bench.sendAndClaim({ flow: TWO_STEPS });
    await bench.settle(answer(live, { name: 'refused', reportCode: '23001' }));
    assert.equal(await collect(bench, ACME, true), 1);
    assert.deepEqual(await claim(bench), []);
    assert.equal((await bench.inquire(live.msgKey)).length, 1);
  });

  test('claims a delivery once, no more than asked, and only when it is due', async t => {
    const bench = await openAlive(open, t);
    const keys = await deliverSeveral(bench, 3);
    await collect(bench);
    const first = await claim(bench, 2);
    assert.deepEqual(keysOf(first), keys.slice(0, 2));
    assert.deepEqual(keysOf(await claim(bench)), keys.slice(2));
    assert.deepEqual(await claim(bench), []);
    for (const delivery of first) {
      await complete(bench, delivery, { state: 'pending', at: bench.clock.now() + 5000 });
    }
    assert.deepEqual(await claim(bench), []);
    bench.clock.advance(5000);
    const again = await claim(bench);
    assert.deepEqual(keysOf(again), keys.slice(0, 2));
    assert.deepEqual([again[0]?.attempts, again[0]?.recent], [1, [ATTEMPT]]);
  });

  test('never gives one delivery to two claims at the same time', async t => {
    const bench = await openAlive(open, t);
    const keys = await deliverSeveral(bench, 10);
    await collect(bench);
    const claims = await Promise.all(Array.from({ length: 5 }, () => claim(bench, 3)));
    assert.deepEqual(keysOf(claims.flat()).sort(), keys);
  });

  test('hands the deliveries of a dead node to another', async t => {
    const bench = await openAlive(open, t);
    const keys = await deliverSeveral(bench, 2);
    await collect(bench);
    const { webhooks } = bench.store;
    const now = bench.clock.now();
    const taken = await webhooks.claim({ account: ACME, owner: 'dead', limit: 1, now });
    assert.equal(taken.length, 1);
    assert.deepEqual(keysOf(await claim(bench)), keys);
    const [lost] = taken;
    assert.ok(lost);
    await complete(bench, lost, { owner: 'dead' });
    const [view] = (await list(bench)).filter(({ msgKey }) => msgKey === lost.msgKey);
    assert.equal(view?.state, 'pending', 'what the dead one says does not count any more');
  });

  test('ends a delivery for good, and tells it', async t => {
    const bench = await openAlive(open, t);
    await deliverSeveral(bench, 2);
    await collect(bench);
    const [first, second] = await claim(bench);
    assert.ok(first && second);
    await complete(bench, first, { state: 'delivered' });
    await complete(bench, second, { state: 'failed', attempts: 7 });
    bench.clock.advance(WEBHOOK_WINDOW_MS);
    assert.deepEqual(await claim(bench), []);
    const views = await list(bench);
    assert.deepEqual(
      views.map(({ msgKey, state, attempts, nextAt }) => ({ msgKey, state, attempts, nextAt })),
      [
        { msgKey: second.msgKey, state: 'failed', attempts: 7, nextAt: undefined },
        { msgKey: first.msgKey, state: 'delivered', attempts: 1, nextAt: undefined },
      ],
    );
    assert.deepEqual(views[0]?.recent, [ATTEMPT]);
  });

  test('gives back what a node holds, except what it still works on', async t => {
    const bench = await openAlive(open, t);
    const keys = await deliverSeveral(bench, 3);
    await collect(bench);
    const [, second] = await claim(bench);
    assert.ok(second);
    await bench.store.webhooks.giveBack(ACME, OWNER, [second]);
    assert.deepEqual(keysOf(await claim(bench)), [keys[0], keys[2]]);
    await bench.store.webhooks.giveBack(ACME, OWNER, []);
    assert.equal((await claim(bench)).length, 3);
  });

  test('tells which accounts have deliveries, when the first is due and how many there are', async t => {
    const bench = await openAlive(open, t);
    const { webhooks } = bench.store;
    assert.deepEqual(await webhooks.pending(), []);
    const startedAt = bench.clock.now();
    await deliverSeveral(bench, 2);
    const later = bench.clock.now();
    await bench.deliver({ account: GLOBEX });
    await collect(bench);
    await collect(bench, GLOBEX);
    assert.deepEqual(await webhooks.pending(), [
      { account: ACME, nextAt: startedAt },
      { account: GLOBEX, nextAt: later },
    ]);
    assert.equal(await webhooks.countPending(100), 3);
    assert.equal(await webhooks.countPending(2), 2);
    assert.equal(await webhooks.countPending(100, ACME), 2);
  });

  test('returns pending deliveries to the report queue, in their order, except those in somebody’s hands', async t => {
    const bench = await openAlive(open, t);
    const keys = await deliverSeveral(bench, 4);
    await collect(bench);
    const [held] = await claim(bench, 1);
    assert.ok(held);
    assert.equal(await bench.store.webhooks.returnToQueue(ACME, OWNER, 2), 2);
    assert.equal(await bench.store.webhooks.returnToQueue(ACME, OWNER, 2), 1);
    assert.deepEqual(keysOf((await bench.poll())?.records ?? []), keys.slice(1));
    await complete(bench, held, { state: 'delivered' });
    assert.deepEqual(keysOf(await list(bench)), [keys[0]]);
  });

  test('a record that was reported before the clock was set back is due at once', async t => {
    const bench = await openAlive(open, t);
    const [key] = await deliverSeveral(bench, 1);
    bench.clock.setWallBy(-3_600_000);
    await collect(bench);
    assert.deepEqual(keysOf(await claim(bench)), [key]);
  });

  test('replays the records of a range and of no other account, also delivered ones', async t => {
    const bench = await openAlive(open, t);
    const startedAt = bench.clock.now();
    const keys = await deliverSeveral(bench, 4);
    await bench.deliver({ account: GLOBEX });
    await collect(bench);
    for (const delivery of await claim(bench)) await complete(bench, delivery, { state: 'delivered' });
    const now = bench.clock.now();
    const giveUpAt = now + WEBHOOK_WINDOW_MS;
    let after: string | undefined = timePrefix(startedAt - 1000);
    let records = 0;
    while (after !== undefined) {
      const range = { from: startedAt + 1, until: startedAt + 3 };
      const order = { account: ACME, ...range, lastOnly: false, giveUpAt, now, after, limit: 2 };
      const chunk: { records: number; next: string | undefined } = await bench.store.webhooks.replay(order);
      records += chunk.records;
      after = chunk.next;
    }
    assert.equal(records, 2);
    const claimed = await claim(bench);
    assert.deepEqual(keysOf(claimed), keys.slice(1, 3));
    assert.deepEqual([claimed[0]?.attempts, claimed[0]?.giveUpAt], [0, giveUpAt]);
  });

  test('a replay leaves alone what is being sent, and does not send twice what still waits', async t => {
    const bench = await openAlive(open, t);
    const [held, waiting] = await deliverSeveral(bench, 2);
    await collect(bench);
    await claim(bench, 1);
    const [queued] = await deliverSeveral(bench, 1);
    const order = {
      account: ACME,
      from: 0,
      until: bench.clock.now(),
      now: bench.clock.now(),
      lastOnly: false,
      after: '',
      limit: 100,
    };
    const { records } = await bench.store.webhooks.replay({ ...order, giveUpAt: bench.clock.now() + 1000 });
    assert.equal(records, 2);
    assert.equal(await collect(bench), 1);
    assert.deepEqual(keysOf(await claim(bench)), [waiting, queued]);
    assert.deepEqual(keysOf(await list(bench)), [queued, waiting, held]);
  });

  test('what is due goes before replays, however old they are, and so do its retries', async t => {
    const bench = await openAlive(open, t);
    const old = await deliverSeveral(bench, 3);
    await collect(bench);
    for (const delivery of await claim(bench)) await complete(bench, delivery, { state: 'delivered' });
    assert.equal(await replayAll(bench), 3);
    const [retried, live] = await deliverSeveral(bench, 2);
    await collect(bench);
    const [first] = await claim(bench, 1);
    assert.ok(first);
    assert.deepEqual([first.msgKey, first.isReplay], [retried, false]);
    const later = bench.clock.now() + 5000;
    await complete(bench, first, { state: 'pending', at: later });
    const [second, replay] = await claim(bench, 2);
    assert.ok(second && replay);
    assert.deepEqual([second.msgKey, second.isReplay], [live, false]);
    assert.deepEqual([replay.msgKey, replay.isReplay], [old[0], true]);
    await complete(bench, second, { state: 'delivered' });
    await complete(bench, replay, { state: 'pending', at: later });
    assert.equal((await bench.store.webhooks.find(replay))?.nextAt, later);
    bench.clock.advance(5000);
    assert.deepEqual(keysOf(await claim(bench)), [retried, old[1], old[2], old[0]]);
  });

  test('a claim of what is due takes no replays', async t => {
    const bench = await openAlive(open, t);
    const [old] = await deliverSeveral(bench, 1);
    await replayAll(bench);
    const order = { account: ACME, owner: OWNER, limit: 9, now: bench.clock.now() };
    assert.deepEqual(await bench.store.webhooks.claim({ ...order, dueOnly: true }), []);
    const [{ nextAt } = {}] = await bench.store.webhooks.pending();
    assert.ok(nextAt !== undefined && nextAt <= bench.clock.now(), 'a replay wakes its lane');
    assert.deepEqual(keysOf(await bench.store.webhooks.claim(order)), [old]);
  });

  test('a record that a replay finds before it was collected keeps its place', async t => {
    const bench = await openAlive(open, t);
    const keys = await deliverSeveral(bench, 2);
    await replayAll(bench);
    await collect(bench);
    assert.deepEqual(
      (await claim(bench)).map(({ msgKey, isReplay }) => [msgKey, isReplay]),
      keys.map(key => [key, false]),
    );
  });

  for (const again of ['replay', 'retry'] as const) {
    test(`a ${again} of a range delays nothing that is pending, and puts it before nothing that is due`, async t => {
      const bench = await openAlive(open, t);
      const [soon, late] = await deliverSeveral(bench, 2);
      await collect(bench);
      const [first, second] = await claim(bench);
      assert.ok(first && second);
      await complete(bench, first, { state: 'pending', at: bench.clock.now() + 5000 });
      await complete(bench, second, { state: 'pending', at: bench.clock.now() + 3_600_000 });
      const [waiting] = await deliverSeveral(bench, 1);
      await collect(bench);
      assert.equal(await (again === 'replay' ? replayAll : retryAll)(bench), 3);
      const [live] = await deliverSeveral(bench, 1);
      await collect(bench);
      assert.deepEqual(keysOf(await claim(bench)), [waiting, live, soon, late]);
      await bench.store.webhooks.giveBack(ACME, OWNER, []);
      bench.clock.advance(5000);
      const [newest] = await deliverSeveral(bench, 1);
      await collect(bench);
      assert.deepEqual(keysOf(await claim(bench)), [waiting, live, soon, newest, late]);
    });
  }

  test('a failed attempt at a record that was retried by range keeps its own turn', async t => {
    const bench = await openAlive(open, t);
    const [pending, failed] = await deliverSeveral(bench, 2);
    await collect(bench);
    const [first, second] = await claim(bench);
    assert.ok(first && second);
    await complete(bench, first, { state: 'pending', at: bench.clock.now() + 3_600_000 });
    await complete(bench, second, { state: 'failed', attempts: 9 });
    assert.equal(await retryAll(bench), 2);
    const at = bench.clock.now() + 5000;
    for (const delivery of await claim(bench)) await complete(bench, delivery, { state: 'pending', at });
    assert.deepEqual(await claim(bench), []);
    bench.clock.advance(5000);
    assert.deepEqual(
      (await claim(bench)).map(({ msgKey, isReplay }) => [msgKey, isReplay]),
      [
        [pending, false],
        [failed, true],
      ],
    );
  });

  test('tells what failed and waits from what was not tried yet', async t => {
    const bench = await openAlive(open, t);
    const keys = await deliverSeveral(bench, 2);
    await collect(bench);
    const [first] = await claim(bench, 1);
    assert.ok(first);
    assert.deepEqual(
      (await list(bench)).map(({ state, isHeld }) => [state, isHeld]),
      [
        ['pending', false],
        ['pending', true],
      ],
    );
    const at = bench.clock.now() + 5000;
    await complete(bench, first, { state: 'pending', at });
    assert.deepEqual(keysOf(await list(bench, { state: 'retrying' })), [keys[0]]);
    assert.deepEqual(keysOf(await list(bench, { state: 'pending' })), [keys[1]]);
    const found = await bench.store.webhooks.find(first);
    assert.deepEqual(
      [found?.state, found?.nextAt, found?.attempts, found?.isHeld, found?.account],
      ['retrying', at, 1, false, ACME],
    );
    assert.equal(await bench.store.webhooks.find({ msgKey: first.msgKey, step: 7 }), undefined);
  });

  test('a delivery that is retried comes before all others; one that ended begins anew', async t => {
    const bench = await openAlive(open, t);
    const { webhooks } = bench.store;
    const keys = await deliverSeveral(bench, 3);
    await collect(bench);
    const [, second, third] = await claim(bench);
    assert.ok(second && third);
    await webhooks.giveBack(ACME, OWNER, [second, third]);
    await complete(bench, second, { state: 'pending', at: bench.clock.now() + 5000 });
    await complete(bench, third, { state: 'failed', attempts: 7 });
    const giveUpAt = bench.clock.now() + 1000;
    assert.equal(await webhooks.retry({ msgKey: second.msgKey, step: 9 }, { giveUpAt }), false);
    assert.equal(await webhooks.retry(second, { giveUpAt }), true);
    const [again] = await claim(bench, 1);
    assert.deepEqual([again?.msgKey, again?.attempts, again?.giveUpAt], [keys[1], 1, second.giveUpAt]);
    assert.equal(await webhooks.retry(third, { giveUpAt }), true);
    const [anew] = await claim(bench, 1);
    assert.deepEqual([anew?.msgKey, anew?.attempts, anew?.giveUpAt], [keys[2], 0, giveUpAt]);
    assert.equal(anew?.recent.length, 1, 'what happened before is not forgotten');
  });

  test('a retry of a range makes due what was not delivered of one account', async t => {
    const bench = await openAlive(open, t);
    const { webhooks } = bench.store;
    const from = bench.clock.now();
    const keys = await deliverSeveral(bench, 5);
    const until = bench.clock.now() - 1;
    await bench.deliver({ account: GLOBEX });
    await collect(bench);
    await collect(bench, GLOBEX);
    const [delivered, failed, waiting, ...rest] = await claim(bench);
    assert.ok(delivered && failed && waiting);
    await complete(bench, delivered, { state: 'delivered' });
    await complete(bench, failed, { state: 'failed', attempts: 9 });
    const later = bench.clock.now() + 60_000;
    for (const one of [waiting, ...rest]) await complete(bench, one, { state: 'pending', at: later });
    const order = { account: ACME, from, until, now: bench.clock.now(), giveUpAt: later, limit: 2 };
    let after: { msgKey: MsgKey; step: number } | undefined = { msgKey: '' as MsgKey, step: 0 };
    let records = 0;
    while (after) {
      const chunk: Awaited<ReturnType<typeof webhooks.retryRange>> = await webhooks.retryRange({
        ...order,
        after,
      });
      records += chunk.records;
      after = chunk.next;
    }
    assert.equal(records, 3);
    const due = await claim(bench);
    assert.deepEqual(
      due.map(({ msgKey, attempts }) => [msgKey, attempts]),
      [
        [keys[1], 0],
        [keys[2], 1],
        [keys[3], 1],
      ],
    );
  });

  test('what a receiver answered goes with the recipient who is erased', async t => {
    const bench = await openAlive(open, t);
    const [key] = await deliverSeveral(bench, 1);
    await collect(bench);
    const [first] = await claim(bench);
    assert.ok(first && key);
    await complete(bench, first, { state: 'failed', recent: [{ ...ATTEMPT, error: 'said 01012345678' }] });
    const order = {
      id: 'order-1',
      orderedAt: 1,
      account: undefined,
      recipient: '010****5678',
      withImages: false,
    };
    await bench.store.privacy.order(order);
    await bench.store.privacy.erase('order-1', [key], bench.clock.now());
    assert.deepEqual(
      (await list(bench)).map(({ state, recent }) => [state, recent]),
      [['failed', []]],
    );
  });

  test('remembers which receivers keep failing, as long as the node that says so lives', async t => {
    const bench = await openAlive(open, t);
    const { webhooks } = bench.store;
    const circuit = { openedAt: 5, at: 7, probeAt: 9, failures: 5, error: 'HTTP 500; expected 200' };
    await webhooks.setCircuit(ACME, OWNER, { ...circuit, failures: 1 });
    await webhooks.setCircuit(ACME, OWNER, circuit);
    await webhooks.setCircuit(GLOBEX, 'dead', circuit);
    assert.deepEqual(await webhooks.circuits(ACME), [circuit]);
    await webhooks.forgetCircuits('node-2');
    assert.deepEqual(await webhooks.circuits(GLOBEX), []);
    assert.deepEqual(await webhooks.circuits(ACME), [circuit]);
    await webhooks.setCircuit(ACME, OWNER, undefined);
    assert.deepEqual(await webhooks.circuits(ACME), []);
    await webhooks.setCircuit(ACME, OWNER, circuit);
    await webhooks.forgetCircuits(OWNER);
    assert.deepEqual(await webhooks.circuits(ACME), []);
  });

  test('counts the accounts whose records wait for a receiver that fails, or is switched off', async t => {
    const bench = await openAlive(open, t);
    const { webhooks } = bench.store;
    const circuit = { openedAt: 5, at: 7, probeAt: 9, failures: 5, error: 'HTTP 500; expected 200' };
    const off = { url: 'https://acme.example', reason: 'The receiver answered 410', at: 5 };
    await webhooks.setCircuit(ACME, OWNER, circuit);
    await webhooks.switchOff(GLOBEX, off);
    assert.equal(await webhooks.countFailing(), 0, 'nothing waits');
    await deliverSeveral(bench, 2);
    await collect(bench);
    assert.equal(await webhooks.countFailing(), 1);
    await webhooks.switchOff(ACME, off);
    assert.equal(await webhooks.countFailing(), 1, 'one account, for two reasons');
    await webhooks.switchOn(ACME);
    await webhooks.setCircuit(ACME, OWNER, undefined);
    assert.equal(await webhooks.countFailing(), 0);
    await webhooks.setCircuit(ACME, 'dead', circuit);
    assert.equal(await webhooks.countFailing(), 0, 'a dead node does not count');
  });

  test('lists by account and state, newest first, page by page', async t => {
    const bench = await openAlive(open, t);
    const { webhooks } = bench.store;
    const keys = await deliverSeveral(bench, 3);
    const other = await bench.deliver({ account: GLOBEX });
    await collect(bench);
    await collect(bench, GLOBEX);
    const [first] = await claim(bench, 1);
    assert.ok(first);
    await complete(bench, first, { state: 'failed' });
    assert.deepEqual(keysOf(await list(bench)), [other, ...keys.toReversed()]);
    assert.deepEqual(keysOf(await list(bench, { account: ACME, state: 'pending' })), [keys[2], keys[1]]);
    assert.deepEqual(keysOf(await list(bench, { state: 'failed' })), [keys[0]]);
    const page = await list(bench, { account: ACME, limit: 2 });
    const [, last] = page;
    assert.ok(last);
    assert.deepEqual(keysOf(await list(bench, { account: ACME, limit: 2, before: last })), [keys[0]]);
    await webhooks.switchOff(GLOBEX, { url: 'http://a/', reason: 'gone', at: 1 });
    const off = await list(bench, { state: 'off' });
    assert.deepEqual([keysOf(off), off[0]?.state], [[other], 'off']);
    assert.deepEqual(keysOf(await list(bench, { state: 'pending' })), [keys[2], keys[1]]);
  });

  test('remembers that a webhook is off until it is switched on', async t => {
    const bench = await openAlive(open, t);
    const off = { url: 'http://a/', reason: 'gone', at: 7 };
    assert.equal(await bench.store.webhooks.findOff(ACME), undefined);
    await bench.store.webhooks.switchOff(ACME, { ...off, at: 1 });
    await bench.store.webhooks.switchOff(ACME, off);
    await bench.reopen();
    assert.deepEqual(await bench.store.webhooks.findOff(ACME), off);
    await bench.store.webhooks.switchOn(ACME);
    assert.equal(await bench.store.webhooks.findOff(ACME), undefined);
  });

  test('keeps the newest secret and the one before it, which expires', async t => {
    const bench = await openAlive(open, t);
    const { webhooks } = bench.store;
    await bench.store.accounts.create(accountNamed(ACME));
    const add = (id: string, createdAt: number, onlyFirst = false) =>
      webhooks.addSecret(
        ACME,
        { id, sealed: `sealed ${id}`, createdAt },
        { previousUntil: createdAt + 10, onlyFirst },
      );
    const first = await Promise.all(['a', 'b', 'c'].map(id => add(id, 1, true)));
    assert.equal(first.filter(isAdded => isAdded).length, 1);
    assert.equal((await webhooks.secrets(ACME)).length, 1);
    assert.equal(await add('x', 2), true);
    assert.equal(await add('y', 3), true);
    assert.deepEqual(await webhooks.secrets(ACME), [
      { id: 'y', sealed: 'sealed y', createdAt: 3, expiresAt: undefined },
      { id: 'x', sealed: 'sealed x', createdAt: 2, expiresAt: 13 },
    ]);
    assert.deepEqual(await webhooks.secrets(GLOBEX), []);
  });

  test('sweeps deliveries that ended, and fails those whose window has closed', async t => {
    const bench = await openAlive(open, t);
    await deliverSeveral(bench, 2);
    await collect(bench);
    const [first] = await claim(bench, 1);
    assert.ok(first);
    await complete(bench, first, { state: 'delivered' });
    await bench.sweep({ deliveriesBefore: bench.clock.now() });
    assert.equal((await list(bench)).length, 2);
    bench.clock.advance(WEBHOOK_WINDOW_MS + 1);
    await bench.sweep({ giveUpBefore: bench.clock.now() });
    assert.deepEqual(
      (await list(bench)).map(({ state }) => state),
      ['failed', 'delivered'],
    );
    await bench.sweep({ deliveriesBefore: bench.clock.now() });
    assert.deepEqual(await list(bench), []);
  });
}
