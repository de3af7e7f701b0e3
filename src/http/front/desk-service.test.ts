import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import test from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { until } from '../../../test/harness/until.ts';
import type { Access, IssuedToken, TokenClient } from '../../accept/access.ts';
import { Problem } from '../../domain/request/problem.ts';
import { ThreadCaller } from '../../platform/thread-calls.ts';
import { type DeskServiceDeps, serveDesk } from './desk-service.ts';
import { createRemoteDesk } from './remote-desk.ts';

const CREDENTIALS = { id: 'shop', password: 'correct horse' };
const ISSUED: IssuedToken = { schema: 'Bearer', token: 'abc', expiresAt: 0 };

/** A desk in one thread of HTTP, and the requests for tokens that have reached the engine. */
function deskOf(t: test.TestContext) {
  const asked: {
    id: string;
    password: string;
    client: TokenClient;
    answer: (a: IssuedToken | Problem) => void;
  }[] = [];
  const issueToken: Access['issueToken'] = (id, password, client) =>
    new Promise(answer => asked.push({ id, password, client, answer }));
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  const deps = { access: { issueToken }, formatTime: () => 'soon' };
  serveDesk(port2, deps as unknown as DeskServiceDeps);
  return { desk: createRemoteDesk(new ThreadCaller(port1, 10)), asked };
}

function callerOf() {
  const socket = new EventEmitter() as Socket;
  return { address: '10.0.0.1', socket };
}

test('a request for a token reaches the engine with its credentials and address, and its answer comes back', async t => {
  const { desk, asked } = deskOf(t);
  const answers = ['issued', 'refused'].map(() => desk.issueToken(CREDENTIALS, callerOf()));
  await until('both are there', () => asked.length === 2);
  const [first, second] = asked;
  assert.deepEqual(
    [first?.id, first?.password, first?.client.address],
    ['shop', 'correct horse', '10.0.0.1'],
  );
  first?.answer(ISSUED);
  second?.answer(new Problem('A020', 'Too many', { retryAfterSeconds: 5 }));
  const [issued, refused] = await Promise.all(answers);
  assert.match(String(issued), /"data":\{"schema":"Bearer","expired":"soon","token":"abc"\}/);
  assert.deepEqual(refused, new Problem('A020', 'Too many', { retryAfterSeconds: 5 }));
});

test('the engine is told which callers have gone', async t => {
  const { desk, asked } = deskOf(t);
  const callers = [callerOf(), callerOf()];
  const answers = callers.map(caller => desk.issueToken(CREDENTIALS, caller));
  await until('both are there', () => asked.length === 2);
  callers[0]?.socket.emit('close');
  await until('it knows', () => asked[0]?.client.isWanted() === false);
  assert.equal(asked[1]?.client.isWanted(), true);
  for (const { answer } of asked) answer(new Problem('A100'));
  await Promise.all(answers);
});

test('many requests on one connection add one listener for its end', async t => {
  const { desk, asked } = deskOf(t);
  const caller = callerOf();
  const answers = Array.from({ length: 5 }, () => desk.issueToken(CREDENTIALS, caller));
  await until('all are there', () => asked.length === 5);
  assert.equal(caller.socket.listenerCount('close'), 1);
  asked[0]?.answer(ISSUED);
  await answers[0];
  caller.socket.emit('close');
  await until('the engine knows', () => asked.slice(1).every(({ client }) => !client.isWanted()));
  for (const { answer } of asked) answer(new Problem('A100'));
  await Promise.all(answers);
});
