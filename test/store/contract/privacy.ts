import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FileKey, type MsgKey, msgKeyOf } from '../../../src/domain/ids.ts';
import { REPETITION_MS } from '../../../src/store/parked.ts';
import { ACME, answer, type OpenStore, type StoreUnderTest, TWO_STEPS } from './store-under-test.ts';

const DELIVERED = { name: 'receivedDelivered' } as const;
const KIM = '01012345678';
const LEE = '01087654321';

async function order(bench: StoreUnderTest, id = 'order-1') {
  await bench.store.privacy.order({
    id,
    orderedAt: bench.clock.now(),
    account: undefined,
    recipient: '010****5678',
    withImages: true,
  });
  return id;
}

async function indexed(bench: StoreUnderTest): Promise<void> {
  bench.clock.advance(60_000);
  while ((await bench.store.search.index(bench.clock.now(), 100)) > 0);
}

async function keysTo(bench: StoreUnderTest, to: string): Promise<MsgKey[]> {
  const { messages } = await bench.store.search.find({ to: [to], limit: 10 });
  return messages.map(({ msgKey }) => msgKey);
}

export function privacyContract(open: OpenStore): void {
  test('an erased message has no recipient, words, text or number in its references and answers', async t => {
    const bench = await open(t);
    const response = JSON.stringify({ code: 'A000', data: { destinations: [{ to: KIM, msgKey: 'KEY' }] } });
    const request = bench.request({ ref: `order-${KIM}`, flow: TWO_STEPS });
    const key = msgKeyOf(request.requestId, 0);
    const idempotency = { key: 'k1', bodyHash: 'b1', response: response.replace('KEY', key) };
    const messages = request.messages.map(message => ({ ...message, words: { name: 'Kim' } }));
    await bench.accept({ ...request, messages, idempotency });
    const [live] = await bench.claim();
    assert.ok(live);
    await bench.settle(answer(live, { name: 'accepted', parts: 1 }, ['r1']));
    await bench.settle(answer(live, DELIVERED));
    await indexed(bench);
    const other = await bench.deliver({ recipients: [LEE] });
    assert.deepEqual(await keysTo(bench, KIM), [key]);
    const before = await bench.store.privacy.traces(key);
    assert.deepEqual(
      before.references.map(({ ref, carrier }) => [carrier, ref]),
      [['alpha', 'r1']],
    );
    assert.equal(before.answers.length, 1);

    const now = bench.clock.now();
    const erased = await bench.store.privacy.erase(await order(bench), [key], now);
    const all = { messages: 1, texts: 1, sharedTexts: 0, refs: 1, references: 1, answers: 1, open: 0 };
    assert.deepEqual(erased, all);
    const view = await bench.view(key);
    assert.deepEqual(
      [view.to, view.words, view.ref, view.textRemovedAt, view.flow],
      ['erased', undefined, undefined, now, [{ channel: 'sms' }, { channel: 'sms' }]],
    );
    assert.deepEqual(await keysTo(bench, KIM), []);
    assert.deepEqual(await keysTo(bench, LEE), [other]);
    const [record] = await bench.inquire(key);
    assert.deepEqual([record?.reportCode, record?.ref], ['10000', undefined]);
    const byRef = await bench.store.search.find({ ref: `order-${KIM}`, limit: 10 });
    assert.equal(byRef.messages.length, 0);
    const replayed = await bench.accept(bench.request({ idempotency }));
    assert.equal(replayed.kind, 'replayed');
    assert.doesNotMatch(JSON.stringify(replayed), new RegExp(KIM));
    const conflict = { ...idempotency, bodyHash: 'b2' };
    assert.equal((await bench.accept(bench.request({ idempotency: conflict }))).kind, 'conflict');

    const again = await bench.store.privacy.erase('order-1', [key], now);
    assert.equal(again.messages, 0, 'it can be repeated');
    // A receipt that is repeated or late finds its message without the number.
    const receivedAt = bench.clock.now() - REPETITION_MS;
    const late = await bench.settle(bench.receipt('r1', DELIVERED, { receivedAt }));
    assert.deepEqual(late.settled, ['ignored']);
  });

  test('a text that others got stays for them, until the last of them is erased', async t => {
    const bench = await open(t);
    const request = bench.request({ recipients: [KIM, LEE], ref: 'campaign' });
    await bench.accept(request);
    for (const live of await bench.claim()) await bench.settle(answer(live, DELIVERED));
    const [kim, lee] = request.messages.map(({ msgKey }) => msgKey) as [MsgKey, MsgKey];
    const id = await order(bench);
    const first = await bench.store.privacy.erase(id, [kim], 1);
    assert.deepEqual([first.texts, first.sharedTexts, first.refs], [0, 1, 0]);
    assert.equal((await bench.view(lee)).textRemovedAt, undefined);
    assert.deepEqual([(await bench.view(kim)).to, (await bench.view(lee)).to], ['erased', LEE]);
    const second = await bench.store.privacy.erase(id, [lee], 2);
    assert.deepEqual([second.texts, second.sharedTexts], [1, 0]);
    assert.equal((await bench.view(lee)).textRemovedAt, 2);
    assert.equal((await bench.view(lee)).ref, 'campaign');
  });

  test('a message on its way is erased when it has ended, and the order ends then', async t => {
    const bench = await open(t);
    const { privacy } = bench.store;
    const live = await bench.submit(['r1']);
    const id = await order(bench);
    const erased = await privacy.erase(id, [live.msgKey], bench.clock.now());
    assert.deepEqual([erased.messages, erased.open], [0, 1]);
    await privacy.endOrders(bench.clock.now());
    assert.equal((await privacy.orders(10))[0]?.isUnderWay, true, 'nobody ends it while it is under way');
    await privacy.lookedThrough(id);
    assert.deepEqual(await privacy.endedSince(undefined, 10), []);
    assert.equal(await privacy.scrub(), true);
    await privacy.endOrders(bench.clock.now());
    const [waiting] = await privacy.orders(10);
    assert.deepEqual([waiting?.open, waiting?.isUnderWay, waiting?.endedAt], [1, false, undefined]);
    assert.equal((await bench.view(live.msgKey)).to, KIM);

    await bench.reopen();
    const { privacy: after } = bench.store;
    await bench.settle(bench.receipt('r1', DELIVERED));
    const mine = { order: id, msgKey: live.msgKey, withImages: true };
    assert.deepEqual(await after.endedSince(undefined, 10), [mine]);
    assert.deepEqual(await after.endedSince(mine, 10), []);
    await after.erase(id, [live.msgKey], bench.clock.now());
    await after.endOrders(bench.clock.now());
    assert.equal((await after.orders(10))[0]?.endedAt, undefined, 'it is in the files of the database yet');
    assert.equal(await after.scrub(), true);
    await after.endOrders(bench.clock.now());
    assert.equal((await bench.view(live.msgKey)).to, 'erased');
    const [ended] = await after.orders(10);
    const expected = { id, account: undefined, recipient: '010****5678', messages: 1, open: 0, rest: 0 };
    assert.deepEqual(ended, {
      ...expected,
      orderedAt: bench.clock.now(),
      isUnderWay: false,
      endedAt: bench.clock.now(),
    });
    assert.deepEqual(await after.endedSince(undefined, 10), []);
  });

  test('an interrupted order never counts as done, and is deleted after its time', async t => {
    const bench = await open(t);
    const { privacy } = bench.store;
    const id = await order(bench);
    await privacy.erase(id, ['there-is-no-such-message' as MsgKey], 1);
    await privacy.leaveRest(id, [{ kind: 'list', key: 'a' }], '+821012345678');
    await privacy.endOrders(5);
    const [left] = await privacy.orders(10);
    assert.deepEqual([left?.endedAt, left?.isUnderWay, left?.open, left?.rest], [undefined, true, 0, 1]);
    await privacy.sweep(bench.clock.now());
    assert.equal((await privacy.orders(10)).length, 1);
    await privacy.sweep(bench.clock.now() + 1);
    assert.deepEqual([await privacy.orders(10), await privacy.rest(undefined, 10)], [[], []]);
  });

  test('the rest of an order is walked until it is done, and keeps it open', async t => {
    const bench = await open(t);
    const { privacy } = bench.store;
    const live = await bench.submit(['r1']);
    const id = await order(bench);
    const [pending, ended] = ['F1', 'F2'].map(key => key as FileKey);
    const other = await bench.deliver({ recipients: [LEE] });
    const images = [
      { kind: 'image', key: live.msgKey, fileKey: pending },
      { kind: 'image', key: other, fileKey: ended },
    ] as const;
    await privacy.leaveRest(id, images);
    await privacy.leaveRest(id, [...images, { kind: 'list', key: 'list-1' }], '+821012345678');
    await privacy.lookedThrough(id);
    const [first, second] = await privacy.rest(undefined, 10);
    assert.deepEqual([first?.fileKey, first?.withImages, first?.number], [ended, true, '+821012345678']);
    assert.deepEqual([second?.kind, second?.key, second?.fileKey], ['list', 'list-1', undefined]);
    assert.deepEqual((await privacy.rest(first, 10)).length, 1);
    if (second) await privacy.restDone(second);
    const [last] = await privacy.rest(undefined, 10);
    assert.deepEqual([last?.fileKey, last?.number], [ended, undefined], 'the number goes with what needs it');
    await bench.settle(bench.receipt('r1', DELIVERED));
    const left = await privacy.rest(undefined, 10);
    assert.deepEqual(left.map(({ fileKey }) => fileKey).toSorted(), [pending, ended]);
    assert.equal(await privacy.scrub(), true);
    await privacy.endOrders(1);
    const [shown] = await privacy.orders(10);
    assert.deepEqual([shown?.rest, shown?.endedAt], [2, undefined]);
    for (const item of left) await privacy.restDone(item);
    await privacy.scrub();
    await privacy.endOrders(2);
    assert.equal((await privacy.orders(10))[0]?.endedAt, 2);
  });

  test('what became of a text is known when its recipient was erased', async t => {
    const bench = await open(t);
    const { privacy } = bench.store;
    const request = bench.request({ recipients: [KIM, LEE] });
    await bench.accept(request);
    for (const live of await bench.claim()) await bench.settle(answer(live, DELIVERED));
    const [kim, lee] = request.messages.map(({ msgKey }) => msgKey) as [MsgKey, MsgKey];
    const id = await order(bench);
    assert.equal(await privacy.textFate(kim), 'there');
    await privacy.erase(id, [kim], 1);
    assert.deepEqual([await privacy.textFate(kim), await privacy.textFate(lee)], ['shared', 'there']);
    await privacy.erase(id, [lee], 1);
    assert.equal(await privacy.textFate(kim), 'removed');
    assert.equal(await privacy.textFate('nobody' as MsgKey), 'removed');
  });

  test('parked receipts and what was set aside are walked by id', async t => {
    const bench = await open(t);
    const { privacy, queue } = bench.store;
    await bench.settle(bench.receipt('x1', DELIVERED, { to: KIM }), bench.receipt('x2', DELIVERED));
    const [first, second] = (await privacy.parked(0, 10)).receipts;
    assert.deepEqual([first?.to, second?.to], [KIM, undefined]);
    const page = await privacy.parked(0, 1);
    assert.deepEqual([page.receipts.length, page.after], [1, first?.parkedId]);
    const rest = await privacy.parked(first?.parkedId ?? 0, 10);
    assert.deepEqual([rest.receipts.length, rest.after], [1, undefined]);
    await privacy.unpark([first?.parkedId ?? 0]);
    assert.deepEqual(
      (await privacy.parked(0, 10)).receipts.map(({ ref }) => ref),
      ['x2'],
    );
    await queue.setAside({ at: 1, reason: 'too long', event: JSON.stringify({ to: KIM }) });
    const [entry] = await privacy.setAside(0, 10);
    assert.equal(entry?.event, JSON.stringify({ to: KIM }));
    await privacy.replaceSetAside(entry?.id ?? 0, '{}');
    assert.equal((await privacy.setAside(0, 10))[0]?.event, '{}');
    assert.deepEqual(await privacy.setAside(entry?.id ?? 0, 10), []);
  });

  test('the references of a message are found among those of many others', async t => {
    const bench = await open(t);
    const before = Array.from({ length: 30 }, (_, index) => `a${index}`);
    for (const ref of before) await bench.submit([ref]);
    bench.clock.advance(2 * 3_600_000);
    const wanted = await bench.submit(['w1', 'w2']);
    bench.clock.advance(1000);
    await bench.settle(answer(wanted, DELIVERED));
    bench.clock.advance(2 * 3_600_000);
    for (const ref of before) await bench.submit([`b${ref}`]);
    const { references } = await bench.store.privacy.traces(wanted.msgKey);
    assert.deepEqual(references.map(({ ref }) => ref).toSorted(), ['w1', 'w2']);
    const erased = await bench.store.privacy.erase(await order(bench), [wanted.msgKey], 1);
    assert.equal(erased.references, 2);
    assert.equal((await bench.view(wanted.msgKey)).account, ACME);
  });
}
