/** Where nothing waits for a carrier with room, an accepted message goes to it without having been in the queue. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { MsgKey } from '../../src/domain/ids.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { type NewRequest, StoreFault } from '../../src/store/store.ts';
import { freshStore } from '../harness/engines.ts';
import { type TestGateway, testAccount, testGateway } from '../harness/gateway.ts';
import { accept, ScriptedCarrier } from '../harness/scripted-carrier.ts';
import { until } from '../harness/until.ts';

async function started(t: TestContext, window = 10) {
  const env = await freshStore(t);
  const clock = new ManualClock();
  const carrier = new ScriptedCarrier('simulator', { window });
  const { gateway, client } = await testAccount(t, { env, clock, createCarrier: () => carrier });
  const textsSent = () =>
    carrier.submitted.map(({ submission: { message } }) => 'text' in message && message.text);
  return { env, clock, carrier, gateway, client, textsSent };
}

/** Counts the claims that found something. */
function countClaims(t: TestContext, { gateway }: TestGateway): () => number {
  let found = 0;
  const { queue } = gateway.store;
  const claim = queue.claim.bind(queue);
  t.mock.method(queue, 'claim', async (...order: Parameters<typeof claim>) => {
    const steps = await claim(...order);
    found += steps.length;
    return steps;
  });
  return () => found;
}

test('a message is not claimed from the queue, and its answer is settled', async t => {
  const { carrier, gateway, client } = await started(t);
  carrier.reply = accept;
  const claimed = countClaims(t, gateway);
  const { msgKey = '' } = (await client.sms()).body;
  const { store } = gateway.gateway;
  await until(
    'it is submitted',
    async () => (await store.messages.find(msgKey as MsgKey))?.state === 'submitted',
  );
  await carrier.receive({ attemptId: `${msgKey}-0-1`, reportCode: '10000' });
  assert.equal((await client.reportsOf(msgKey))[0]?.reportCode, '10000');
  assert.equal(claimed(), 0);
});

test('what does not fit the window queues, and nothing overtakes it', async t => {
  const { clock, carrier, client, textsSent } = await started(t, 2);
  for (const text of ['first', 'second', 'third', 'fourth']) {
    clock.advance(1);
    await client.sms({ text });
  }
  await until('the window is full', () => carrier.submitted.length === 2);
  carrier.submitted[0]?.answer({ kind: 'accepted', refs: ['r1'] });
  await until('the third goes out', () => carrier.submitted.length === 3);
  clock.advance(1);
  await client.sms({ text: 'fifth' });
  for (const { submission, answer } of carrier.submitted) answer(accept(submission));
  carrier.reply = accept;
  await until('all go out', () => carrier.submitted.length === 5);
  assert.deepEqual(textsSent(), ['first', 'second', 'third', 'fourth', 'fifth']);
});

test('a request larger than the window queues', async t => {
  const { carrier, gateway, client } = await started(t, 2);
  carrier.reply = accept;
  const claimed = countClaims(t, gateway);
  const destinations = [1, 2, 3].map(last => ({ to: `0101234567${last}` }));
  const messageFlow = [{ sms: { from: '0212345678', text: 'hello' } }];
  await client.call('POST', '/v1/send/omni', { destinations, messageFlow });
  await until('all go out', () => carrier.submitted.length === 3);
  assert.equal(claimed(), 3);
});

test('while the carrier is paused a message queues; then new ones go out after it', async t => {
  const { carrier, gateway, client, textsSent } = await started(t);
  carrier.reply = accept;
  await gateway.holdQueue();
  await client.sms({ text: 'waits' });
  assert.equal(carrier.submitted.length, 0);
  await gateway.releaseQueue();
  await until('it goes out', () => carrier.submitted.length === 1);
  await client.sms({ text: 'comes later' });
  await until('both are out', () => carrier.submitted.length === 2);
  assert.deepEqual(textsSent(), ['waits', 'comes later']);
});

test('a message of which the answer of the store is lost goes out once', async t => {
  const { carrier, clock, gateway, client } = await started(t);
  carrier.reply = accept;
  const { messages } = gateway.gateway.store;
  const store = messages.accept.bind(messages);
  let isLost = true;
  t.mock.method(messages, 'accept', async (request: NewRequest) => {
    const result = await store(request);
    if (!isLost) return result;
    isLost = false;
    throw new StoreFault('mayHaveHappened', 'the answer is lost');
  });
  t.mock.method(messages, 'isStored', async () => {
    throw new StoreFault('mayHaveHappened', 'the store is away');
  });
  const answered = client.sms();
  await until('it is not known', async () => {
    clock.advance(1000);
    return (await Promise.race([answered, turn()])) !== undefined;
  });
  assert.notEqual((await answered).body.code, 'A000');
  await until('it is found and sent', async () => {
    clock.advance(1000);
    await turn();
    return carrier.submitted.length === 1;
  });
  clock.advance(120_000);
  for (let turns = 0; turns < 20; turns++) await turn();
  assert.equal(carrier.submitted.length, 1);
});

test('a message that is stored while the gateway stops goes out after the next start', async t => {
  const { env, clock, carrier, gateway, client } = await started(t);
  const { messages } = gateway.gateway.store;
  const store = messages.accept.bind(messages);
  const mayAnswer = Promise.withResolvers<void>();
  t.mock.method(messages, 'accept', async (request: NewRequest) => {
    const result = await store(request);
    await mayAnswer.promise;
    return result;
  });
  const { queue } = gateway.gateway.store;
  const answered = client.sms();
  await until('it is stored', async () => (await queue.peek(1)).length === 1);
  const closing = gateway.gateway.close();
  await turn();
  mayAnswer.resolve();
  await Promise.allSettled([answered, closing]);
  const before = carrier.submitted.length;
  const next = new ScriptedCarrier('simulator');
  next.reply = accept;
  const second = await testGateway(t, env, clock, { createCarrier: () => next });
  if (before === 0) await until('it goes out', () => next.submitted.length === 1);
  else assert.equal((await second.gateway.store.queue.peek(1))[0]?.state, 'unknown');
});
