import assert from 'node:assert/strict';
import test from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { until } from '../../../test/harness/until.ts';
import { Problem } from '../../domain/request/problem.ts';
import { answerThread, ThreadCaller } from '../../platform/thread-calls.ts';
import { packAnswer } from './packed-calls.ts';
import { createRemoteDesk, explainInThread } from './remote-desk.ts';

const CALLER = { authorization: 'Bearer x', address: '10.0.0.1' };
const REQUEST = { requestId: 'front-1', method: 'POST', route: '/v1/send/sms' };

test('a bug of the thread is A999 with an id, and the engine is told', () => {
  const notes: unknown[] = [];
  const explain = explainInThread((...note) => notes.push(note.slice(0, 3)));
  const { problem, headers } = explain(new TypeError('a bug'), REQUEST);
  assert.equal(problem.code, 'A999');
  assert.deepEqual(headers, { 'x-request-id': 'front-1' });
  assert.deepEqual(notes, [['failed', 'a bug', 'front-1']]);
});

test('a failure of the engine is answered as the engine says, and not told again', async t => {
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  const failure = { problem: new Problem('A999'), headers: { 'x-request-id': 'call-7' } };
  answerThread(
    port2,
    async () => packAnswer(failure),
    () => {},
  );
  const desk = createRemoteDesk(new ThreadCaller(port1, 10));
  const error = await desk.refusalOf(CALLER).then(
    () => assert.fail('it was answered'),
    (reason: unknown) => reason,
  );
  const explain = explainInThread(() => assert.fail('it is told again'));
  assert.deepEqual(explain(error, REQUEST), failure);
});

test('more calls than may wait are refused with A020, and the engine is not asked', async t => {
  const { port1 } = new MessageChannel();
  t.after(() => port1.close());
  const refusal = await createRemoteDesk(new ThreadCaller(port1, 0)).refusalOf(CALLER);
  assert.equal(refusal?.code, 'A020');
  assert.equal(refusal?.retryAfterSeconds, 1);
});

/** A desk whose engine knows one token. */
function deskOf(t: test.TestContext) {
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  let asked = 0;
  answerThread(
    port2,
    async values => {
      asked++;
      return packAnswer(values.includes('Bearer of-shop') ? 'shop' : { problem: new Problem('A002') });
    },
    () => {},
  );
  return { desk: createRemoteDesk(new ThreadCaller(port1, 10)), asked: () => asked };
}

test('a token that was learnt is recognised, and not asked for again', async t => {
  const { desk, asked } = deskOf(t);
  const caller = { ...CALLER, authorization: 'Bearer of-shop' };
  desk.learn(caller);
  await until('it is recognised', () => desk.recognise(caller.authorization) === 'shop');
  desk.learn(caller);
  desk.learn({ ...CALLER, authorization: undefined });
  // Calls are answered in their order.
  await desk.refusalOf(CALLER);
  assert.equal(asked(), 2);
});

test('a token that the engine does not know is not learnt', async t => {
  const { desk, asked } = deskOf(t);
  desk.learn(CALLER);
  await until('it was asked for', () => asked() === 1);
  await desk.refusalOf(CALLER);
  assert.equal(desk.recognise(CALLER.authorization), undefined);
});
