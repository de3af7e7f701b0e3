import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MsgKey, msgKeyOf, type RequestId } from '../../../src/domain/ids.ts';
import { ACME, answer, DAY_MS, type OpenStore, type StoreUnderTest, TWO_STEPS } from './store-under-test.ts';

const DELIVERED = { name: 'receivedDelivered' } as const;

async function removeTexts(bench: StoreUnderTest, acceptedBefore = bench.clock.now()): Promise<void> {
  while (await bench.store.upkeep.removeTexts({ now: bench.clock.now(), acceptedBefore }));
}

/** A request with a word for each recipient, delivered to all of them. */
async function sendWords(bench: StoreUnderTest, recipients: readonly string[]): Promise<MsgKey[]> {
  const request = bench.request({ recipients });
  const messages = request.messages.map(message => ({ ...message, words: { name: 'Kim' } }));
  await bench.accept({ ...request, messages });
  for (const live of await bench.claim()) await bench.settle(answer(live, DELIVERED));
  return messages.map(({ msgKey }) => msgKey);
}

export function textsContract(open: OpenStore): void {
  test('texts and words of old messages are removed, and nothing else of them', async t => {
    const bench = await open(t);
    const before = await bench.deliver({ flow: TWO_STEPS, ref: 'order-1' });
    const keys = await sendWords(bench, ['01012345678', '01087654321']);
    const whole = await bench.view(before);
    bench.clock.advance(DAY_MS);
    const cutoff = bench.clock.now();
    const young = await bench.deliver();
    await removeTexts(bench, cutoff);
    const now = bench.clock.now();
    const flow = [{ channel: 'sms' }, { channel: 'sms' }];
    assert.deepEqual(await bench.view(before), { ...whole, flow, textRemovedAt: now });
    for (const key of keys) {
      const { words, textRemovedAt } = await bench.view(key);
      assert.deepEqual([words, textRemovedAt], [undefined, now]);
    }
    const { flow: kept, textRemovedAt } = await bench.view(young);
    assert.deepEqual([kept.length, 'text' in (kept[0] ?? {}), textRemovedAt], [1, true, undefined]);
    const found = await bench.store.search.find({ account: ACME, channel: 'sms', limit: 10 });
    assert.equal(found.messages.length, 4);
    assert.deepEqual(found.messages.at(-1)?.channels, ['sms', 'sms']);
    assert.equal((await bench.inquire(before)).length, 1);
  });

  test('the text of a message that was stored behind the walk is removed, too', async t => {
    const bench = await open(t);
    const requestId = bench.requestIdAt(bench.clock.now());
    bench.clock.advance(DAY_MS);
    await bench.deliver();
    bench.clock.advance(1);
    await removeTexts(bench);
    const late = await bench.deliver({ requestId });
    assert.equal((await bench.view(late)).textRemovedAt, undefined);
    bench.clock.advance(DAY_MS);
    await removeTexts(bench);
    assert.equal((await bench.view(late)).textRemovedAt, bench.clock.now());
  });

  test('a message on its way keeps its text until some time after its end', async t => {
    const bench = await open(t);
    const live = await bench.submit(['r1'], { flow: TWO_STEPS, recipients: ['01012345678', '01012345679'] });
    const ended = await bench.deliver();
    bench.clock.advance(DAY_MS);
    await removeTexts(bench);
    assert.equal((await bench.view(live.msgKey)).textRemovedAt, undefined);
    assert.deepEqual((await bench.view(live.msgKey)).flow, TWO_STEPS);
    assert.notEqual((await bench.view(ended)).textRemovedAt, undefined);
    // Its fallback is sent with its text.
    await bench.settle(answer(live, { name: 'receivedFailed', reportCode: '22000' }));
    bench.clock.advance(1);
    const [fallback] = await bench.claim({ carrier: 'beta' });
    assert.deepEqual(fallback?.flow, TWO_STEPS);
    if (fallback) await bench.settle(answer(fallback, DELIVERED));
    bench.clock.advance(3_600_000);
    await removeTexts(bench);
    assert.equal(
      (await bench.view(live.msgKey)).textRemovedAt,
      undefined,
      'the other recipient is on its way',
    );
    const other = { ...live, msgKey: msgKeyOf(live.msgKey.slice(0, -3) as RequestId, 1) };
    await bench.settle(answer(other, DELIVERED));
    bench.clock.advance(3_600_000);
    await removeTexts(bench);
    assert.equal((await bench.view(live.msgKey)).textRemovedAt, bench.clock.now());
  });

  test('texts are removed however many there are, and each is looked at once', async t => {
    const bench = await open(t);
    const requests = Array.from({ length: 1300 }, () => bench.request());
    await Promise.all(requests.map(request => bench.accept(request)));
    const claimed = await bench.claim({ limit: 3000 });
    await bench.settle(...claimed.map(live => answer(live, DELIVERED)));
    bench.clock.advance(DAY_MS);
    const order = { now: bench.clock.now(), acceptedBefore: bench.clock.now() };
    assert.equal(await bench.store.upkeep.removeTexts(order), true);
    await removeTexts(bench);
    for (const index of [0, 1100, 1299]) {
      const key = msgKeyOf(requests[index]?.requestId ?? ('' as RequestId), 0);
      assert.equal((await bench.view(key)).textRemovedAt, order.now);
    }
    bench.clock.advance(DAY_MS);
    assert.equal(await bench.store.upkeep.removeTexts({ ...order, now: bench.clock.now() }), false);
  });

  test('long texts are read a few at a time, and all are removed', async t => {
    const bench = await open(t);
    const text = 'x'.repeat(900_000);
    const keys: MsgKey[] = [];
    for (let index = 0; index < 8; index++) {
      keys.push(await bench.deliver({ flow: [{ channel: 'sms', from: '0212345678', text }] }));
    }
    bench.clock.advance(DAY_MS);
    const order = { now: bench.clock.now(), acceptedBefore: bench.clock.now() };
    assert.equal(await bench.store.upkeep.removeTexts(order), true);
    const removedAt = async (key: MsgKey) => (await bench.view(key)).textRemovedAt;
    assert.equal(await removedAt(keys[7] as MsgKey), undefined);
    await removeTexts(bench);
    for (const key of keys) assert.equal(await removedAt(key), order.now);
  });

  test('the texts of a campaign go a few requests at a time, however many recipients each has', async t => {
    const bench = await open(t);
    const recipients = Array.from({ length: 600 }, (_, index) => `0101234${String(index).padStart(4, '0')}`);
    const requests: RequestId[] = [];
    for (let index = 0; index < 3; index++) {
      const request = bench.request({ recipients });
      requests.push(request.requestId);
      const messages = request.messages.map(message => ({ ...message, words: { name: 'Kim' } }));
      await bench.accept({ ...request, messages });
      await bench.settle(...(await bench.claim({ limit: 1000 })).map(live => answer(live, DELIVERED)));
    }
    bench.clock.advance(DAY_MS);
    const order = { now: bench.clock.now(), acceptedBefore: bench.clock.now() };
    const wordsOf = async (at: number) =>
      (await bench.view(msgKeyOf(requests[at] ?? ('' as RequestId), 599))).words?.name;
    assert.equal(await bench.store.upkeep.removeTexts(order), true);
    assert.deepEqual([await wordsOf(0), await wordsOf(1), await wordsOf(2)], [undefined, undefined, 'Kim']);
    await removeTexts(bench);
    assert.equal(await wordsOf(2), undefined);
    // Texts were to be kept longer for a while: the walk begins again before them, and passes them at once.
    await bench.store.upkeep.removeTexts({ ...order, acceptedBefore: order.acceptedBefore - 3 * DAY_MS });
    assert.equal(await bench.store.upkeep.removeTexts(order), false);
  });

  test('what is accepted after the clock was set back loses its text, too', async t => {
    const bench = await open(t);
    await bench.deliver();
    bench.clock.advance(DAY_MS);
    await removeTexts(bench);
    bench.clock.advance(-3 * DAY_MS);
    await removeTexts(bench, bench.clock.now() - 1);
    const key = await bench.deliver();
    bench.clock.advance(1000);
    await removeTexts(bench);
    assert.equal((await bench.view(key)).textRemovedAt, bench.clock.now());
  });
}
