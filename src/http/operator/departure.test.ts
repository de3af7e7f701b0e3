import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import test from 'node:test';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { until } from '../../../test/harness/until.ts';
import { LiveFeed } from '../../observe/live-feed.ts';
import type { Operator } from '../../operate/access.ts';
import { ManualClock } from '../../platform/clock.ts';
import { departureOf } from './departure.ts';
import { operatorEventsRoutes } from './events.ts';
import { LongAnswer } from './long-answer.ts';
import { operatorRoute } from './route.ts';
import { StreamedFile } from './streamed-file.ts';

const OPERATOR = { id: 'op', name: 'op', role: 'admin', by: 'token' } as unknown as Operator;

/** A server whose guard and handler wait until they are told to go on; clients that ask and leave. */
async function waitingServer(t: test.TestContext) {
  const clock = new ManualClock();
  const app = Fastify();
  const guards: (() => void)[] = [];
  const handlers: (() => void)[] = [];
  let requests = 0;
  let departures = 0;
  let begun = 0;
  const guard = async (request: FastifyRequest) => {
    requests++;
    request.raw.socket.once('close', () => departures++);
    await new Promise<void>(resolve => guards.push(resolve));
    return OPERATOR;
  };
  const liveFeed = new LiveFeed({ clock, formatTime: String, depth: () => ({}) as never });
  const events = { failed: (what: string, error: unknown) => assert.fail(`${what}: ${error}`) };
  operatorEventsRoutes({ app, liveFeed, guard, clock, events, sightOf: () => 'clear' });
  const route = operatorRoute({
    app,
    guard,
    clock,
    measured: (_route, handle) => handle,
    explainFailure: error => assert.fail(String(error)),
    toolsOf: () => ({}) as never,
  });
  const signals: AbortSignal[] = [];
  const file = Readable.from(['a', 'b']);
  const wait = () => new Promise<void>(resolve => handlers.push(resolve));
  route('POST', '/long', 'admin', async () => {
    begun++;
    await wait();
    return new LongAnswer(async ({ signal }) => {
      signals.push(signal);
      return {};
    });
  });
  route('POST', '/file', 'admin', async (_request, _tools, _operator, departure) => {
    begun++;
    signals.push(departure());
    await wait();
    return new StreamedFile('text/plain', 'file.txt', file);
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(async () => {
    liveFeed.close();
    await app.close();
  });
  const { port } = app.server.address() as AddressInfo;

  async function askAndLeave(line: string, isWaiting: () => boolean): Promise<void> {
    const before = departures;
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`${line} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`);
    await until('the request waits', isWaiting);
    socket.destroy();
    await until('its client has left', () => departures > before);
  }
  const goOn = (waiting: (() => void)[]) => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  return {
    ...{ liveFeed, signals, file, askAndLeave },
    begun: () => begun,
    isAtGuard: () => guards.length === 1,
    isAtHandler: () => handlers.length === 1,
    passGuard: () => goOn(guards),
    passHandler: () => goOn(handlers),
    requests: () => requests,
  };
}

test('a client that leaves while it is being authorised is not begun for', async t => {
  const server = await waitingServer(t);
  for (const line of ['GET /admin/v1/events', 'POST /long', 'POST /file']) {
    await server.askAndLeave(line, server.isAtGuard);
    server.passGuard();
    await new Promise(setImmediate);
    assert.equal(server.liveFeed.hasWatchers, false, line);
    assert.equal(server.begun(), 0, line);
  }
  assert.equal(server.requests(), 3);
});

test('long work and files whose client left before they began end at once', async t => {
  const server = await waitingServer(t);
  for (const line of ['POST /long', 'POST /file']) {
    await server.askAndLeave(line, () => {
      server.passGuard();
      return server.isAtHandler();
    });
    server.passHandler();
  }
  await until('the file is closed', () => server.file.destroyed);
  assert.deepEqual(
    server.signals.map(({ aborted }) => aborted),
    [true],
    'the long work was not begun, the file was told',
  );
});

test('an absence is known although it began before anybody asked', () => {
  const raw = { once: () => assert.fail('nothing follows') };
  const request = { raw: { socket: { destroyed: true } } };
  assert.equal(departureOf({ raw, request } as unknown as FastifyReply).aborted, true);
});
