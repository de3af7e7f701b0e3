import assert from 'node:assert/strict';
import { test } from 'node:test';
import { msgKeyOf, parseMsgKey } from '../../../src/domain/ids.ts';
import {
  ACME,
  answer,
  DAY_MS,
  FIRST_CARRIER,
  GLOBEX,
  type OpenStore,
  type StoreUnderTest,
  TWO_STEPS,
} from './store-under-test.ts';

const KEY = { key: '/v1/send/sms client-key', bodyHash: 'body-1', response: '{"code":"A000"}' };

export function messagesContract(open: OpenStore): void {
  test('finds a message as it was accepted', async t => {
    const bench = await open(t);
    const request = bench.request({ ref: 'order 7', groupKey: 'spring', flow: TWO_STEPS });
    assert.deepEqual(await bench.accept(request), { kind: 'stored' });
    assert.deepEqual(await bench.view(msgKeyOf(request.requestId, 0)), {
      msgKey: msgKeyOf(request.requestId, 0),
      account: ACME,
      to: '01012345678',
      words: undefined,
      textRemovedAt: undefined,
      paymentCode: undefined,
      ref: 'order 7',
      groupKey: 'spring',
      flow: JSON.parse(JSON.stringify(TWO_STEPS)),
      acceptedAt: bench.clock.now(),
      state: 'queued',
      step: 0,
      attempt: 0,
      history: [
        {
          at: bench.clock.now(),
          step: 0,
          attempt: 0,
          event: 'routed',
          carrier: FIRST_CARRIER,
          why: 'routes[0]',
        },
      ],
    });
  });

  test('a recipient may have a reference of its own', async t => {
    const bench = await open(t);
    const request = bench.request({ recipients: ['01011112222', '01033334444'], ref: 'all' });
    const messages = request.messages.map((each, index) => (index === 0 ? { ...each, ref: 'row' } : each));
    await bench.accept({ ...request, messages });
    const claimed = await bench.claim();
    assert.deepEqual(claimed.map(({ ref }) => ref).sort(), ['all', 'row']);
    for (const live of claimed) await bench.settle(answer(live, { name: 'refused', reportCode: '23001' }));
    const refs = await Promise.all(messages.map(async ({ msgKey }) => (await bench.inquire(msgKey))[0]?.ref));
    assert.deepEqual(refs, ['row', 'all']);
  });

  test('finds each recipient of a request', async t => {
    const bench = await open(t);
    const recipients = Array.from({ length: 10 }, (_, index) => `0101234567${index}`);
    const request = bench.request({ recipients });
    await bench.accept(request);
    for (const [index, to] of recipients.entries()) {
      assert.equal((await bench.view(msgKeyOf(request.requestId, index))).to, to);
    }
    assert.equal((await bench.claim()).length, 10);
  });

  test('shows a message to its own account and to the operator only', async t => {
    const bench = await open(t);
    const msgKey = await bench.send({ account: ACME });
    const { messages } = bench.store;
    assert.equal((await messages.find(msgKey, ACME))?.msgKey, msgKey);
    assert.equal(await messages.find(msgKey, GLOBEX), undefined);
    assert.equal((await messages.find(msgKey))?.msgKey, msgKey);
  });

  test('knows no message that was not accepted', async t => {
    const bench = await open(t);
    const unknown = parseMsgKey('0'.repeat(32));
    assert.ok(unknown);
    assert.equal(await bench.store.messages.find(unknown), undefined);
  });

  test('keeps any text to the letter', async t => {
    const bench = await open(t);
    for (const text of [
      'null',
      'NULL',
      '',
      '{a,"b"}',
      "it's",
      'back\\slash',
      'line\nfeed',
      '봉수 🔥',
      '$1',
    ]) {
      const flow = TWO_STEPS.map(step => ({ ...step, text }));
      const view = await bench.view(await bench.send({ ref: text, flow }));
      assert.equal(view.ref, text);
      assert.deepEqual(view.flow[0], flow[0]);
    }
  });

  test('stores thousands of requests that come at once', async t => {
    const bench = await open(t);
    const requests = Array.from({ length: 2500 }, () => bench.request());
    const results = await Promise.all(requests.map(request => bench.accept(request)));
    assert.ok(results.every(({ kind }) => kind === 'stored'));
    assert.equal((await bench.store.queue.depth()).ready, 2500);
  });

  test('stores the requests of a group although one of them fails', async t => {
    const bench = await open(t);
    const stored = bench.request();
    await bench.accept(stored);
    const others = [bench.request(), bench.request()] as const;
    const results = await Promise.allSettled([others[0], stored, others[1]].map(each => bench.accept(each)));
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    for (const { requestId } of others) await bench.view(msgKeyOf(requestId, 0));
    assert.equal((await bench.store.queue.depth()).ready, 3);
  });

  test('gives the first answer again for the same key and body, and stores nothing', async t => {
    const bench = await open(t);
    await bench.send({ idempotency: KEY });
    const again = bench.request({ idempotency: { ...KEY, response: 'another answer' } });
    assert.deepEqual(await bench.accept(again), { kind: 'replayed', response: KEY.response });
    assert.equal(await bench.store.messages.find(msgKeyOf(again.requestId, 0)), undefined);
    assert.equal((await bench.store.queue.depth()).ready, 1);
  });

  test('refuses a key that was used with another body', async t => {
    const bench = await open(t);
    await bench.send({ idempotency: KEY });
    const other = bench.request({ idempotency: { ...KEY, bodyHash: 'body-2' } });
    assert.deepEqual(await bench.accept(other), { kind: 'conflict' });
    assert.equal((await bench.store.queue.depth()).ready, 1);
  });

  test('keeps the keys of accounts apart', async t => {
    const bench = await open(t);
    await bench.send({ idempotency: KEY, account: ACME });
    const other = bench.request({ idempotency: { ...KEY, bodyHash: 'body-2' }, account: GLOBEX });
    assert.deepEqual(await bench.accept(other), { kind: 'stored' });
  });

  test('stores one of many requests with the same key at the same time', async t => {
    const bench = await open(t);
    assert.deepEqual(await kindsOf(bench, Array(20).fill('body-1')), { stored: 1, replayed: 19 });
    assert.equal((await bench.store.queue.depth()).ready, 1);
  });

  test('answers one key with two bodies at the same time as if one had come later', async t => {
    const bench = await open(t);
    assert.deepEqual(await kindsOf(bench, ['body-1', 'body-2']), { stored: 1, conflict: 1 });
    assert.equal((await bench.store.queue.depth()).ready, 1);
  });

  test('keeps everything when it is closed and opened again', async t => {
    const bench = await open(t);
    const msgKey = await bench.send({ idempotency: KEY });
    await bench.store.tokens.add({ hash: 'h1', account: ACME, expiresAt: 5, epoch: 0 });
    const delivered = await bench.deliver({ carrier: 'alpha' });
    await bench.poll();
    await bench.reopen();
    await bench.store.ping();
    assert.equal((await bench.view(msgKey)).state, 'submitting');
    assert.equal((await bench.view(delivered)).state, 'delivered');
    assert.equal((await bench.accept(bench.request({ idempotency: KEY }))).kind, 'replayed');
    assert.equal((await bench.store.tokens.find('h1'))?.account, ACME);
    assert.equal((await bench.poll())?.records[0]?.msgKey, delivered);
  });

  test('finishes what was asked before it closes', async t => {
    const bench = await open(t);
    const request = bench.request();
    const accepted = bench.accept(request);
    await bench.reopen();
    assert.deepEqual(await accepted, { kind: 'stored' });
    await bench.view(msgKeyOf(request.requestId, 0));
  });

  test('knows whether a request is stored', async t => {
    const bench = await open(t);
    const [stored, other] = [bench.request(), bench.request()];
    await bench.accept(stored);
    assert.equal(await bench.store.messages.isStored(stored.requestId), true);
    assert.equal(await bench.store.messages.isStored(other.requestId), false);
  });

  test('withdraws a request nobody has begun with, with all that belongs to it', async t => {
    const bench = await open(t);
    const request = bench.request({ recipients: ['01011112222', '01033334444'], ref: 'order 7' });
    const other = await bench.send({ ref: 'order 7' });
    await bench.accept(request);
    await bench.store.search.index(bench.clock.now() + 1000, 100);
    assert.equal((await bench.store.queue.depth()).ready, 3);
    assert.equal(await bench.store.messages.withdraw(request.requestId), true);
    assert.equal((await bench.store.queue.depth()).ready, 1);
    assert.equal(await bench.store.messages.isStored(request.requestId), false);
    for (const { msgKey } of request.messages)
      assert.equal(await bench.store.messages.find(msgKey), undefined);
    assert.deepEqual(
      (await bench.claim()).map(({ msgKey }) => msgKey),
      [other],
    );
    assert.equal(
      await bench.store.messages.withdraw(request.requestId),
      true,
      'a second time changes nothing',
    );
  });

  test('keeps a request of which a step was claimed or has ended', async t => {
    const bench = await open(t);
    const request = bench.request({ recipients: ['01011112222', '01033334444'] });
    await bench.accept(request);
    const [live] = await bench.claim({ limit: 1 });
    assert.ok(live);
    assert.equal(await bench.store.messages.withdraw(request.requestId), false);
    await bench.settle(answer(live, { name: 'receivedDelivered' }));
    assert.equal(await bench.store.messages.withdraw(request.requestId), false);
    assert.equal((await bench.claim()).length, 1, 'the other one is sent too');
  });

  for (const retryAfterMs of [0, 60_000]) {
    test(`withdraws a request whose step was returned, and waits for ${retryAfterMs} ms`, async t => {
      const bench = await open(t);
      const request = bench.request();
      const before = await bench.store.queue.depth();
      await bench.accept(request);
      const [live] = await bench.claim();
      assert.ok(live);
      await bench.settle(answer(live, { name: 'returned', retryAfterMs }));
      assert.equal(await bench.store.messages.withdraw(request.requestId), true);
      assert.deepEqual(await bench.store.queue.depth(), before);
    });
  }

  test('keeps a request of which a step may have been sent, and its repetition was not taken', async t => {
    const bench = await open(t);
    const request = bench.request();
    await bench.accept(request);
    const [live] = await bench.claim();
    assert.ok(live);
    const until = bench.clock.now() + DAY_MS;
    await bench.settle(answer(live, { name: 'repeated', retryAfterMs: 0, until }));
    const [again] = await bench.claim();
    assert.ok(again);
    await bench.settle(answer(again, { name: 'returned', retryAfterMs: 0 }));
    assert.equal(await bench.store.messages.withdraw(request.requestId), false);
  });
}

async function kindsOf(bench: StoreUnderTest, bodies: readonly string[]): Promise<Record<string, number>> {
  const requests = bodies.map(bodyHash => bench.request({ idempotency: { ...KEY, bodyHash } }));
  const results = await Promise.all(requests.map(request => bench.accept(request)));
  const kinds: Record<string, number> = {};
  for (const { kind } of results) kinds[kind] = (kinds[kind] ?? 0) + 1;
  return kinds;
}
