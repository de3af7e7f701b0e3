import assert from 'node:assert/strict';
import test from 'node:test';
import { setEnvironmentData } from 'node:worker_threads';
import Fastify from 'fastify';
import { pino } from 'pino';
import { until } from '../../test/harness/until.ts';
import { createLogger } from '../platform/logger.ts';
import { ThreadBell } from '../platform/thread-bell.ts';
import { listenInThreads } from './http-threads.ts';
import { SpawnedHttpThread } from './spawned-http-thread.ts';

const SILENT = createLogger('silent');
const OPTIONS = {
  host: '127.0.0.1',
  port: 0,
  maxConnections: 1,
  mostPassedOn: 1,
  requestTimeoutMs: 1000,
  shutdownTimeoutMs: 1000,
  proxies: { hops: 0, networks: undefined },
  headerPrefixes: [],
};

/** Does this when it is told to listen. */
function program(whenTold: string): URL {
  return programOf(
    `import { parentPort } from 'node:worker_threads'; parentPort.once('message', () => { ${whenTold} });`,
  );
}

/** Says that it listens, and then does this. */
function listening(then: string): URL {
  return program(`parentPort.postMessage({ kind: 'listening', address: { port: 1 } }); ${then}`);
}

function programOf(source: string): URL {
  return new URL(`data:text/javascript,${encodeURIComponent(source)}`);
}

function startWith(t: test.TestContext, url: URL, onLost: () => void, log = SILENT) {
  return listenIn(t, new SpawnedHttpThread(url), onLost, log);
}

function listenIn(t: test.TestContext, thread: SpawnedHttpThread, onLost: () => void, log = SILENT) {
  const http = Fastify();
  t.after(() => http.close());
  // Nothing is asked of it.
  const desk = {} as Parameters<typeof listenInThreads>[2]['desk'];
  return listenInThreads([thread], OPTIONS, {
    http,
    desk,
    log,
    bell: new ThreadBell(),
    onLost,
  });
}

test('the end of a thread that throws is reported', async t => {
  // When it is told to, for an error may overtake the news that it listens.
  const url = listening('parentPort.once("message", () => { throw new Error("a bug"); });');
  await new Promise<void>((resolve, reject) => {
    startWith(t, url, resolve).then(threads => threads.renew({ key: '', cert: '' }), reject);
  });
});

test('the end of a thread that returns unasked is reported', async t => {
  await new Promise<void>((resolve, reject) => {
    startWith(t, listening(''), resolve).catch(reject);
  });
});

test('a thread that throws before it listens says why', async t => {
  for (const url of [programOf('throw new Error("a bug");'), program('throw new Error("a bug");')]) {
    await assert.rejects(
      startWith(t, url, () => {}),
      { message: 'a bug' },
    );
  }
});

test('a thread that ended before it was told to listen says why', async t => {
  const ended = new SharedArrayBuffer(4);
  setEnvironmentData('ended', ended);
  const url = programOf(`
    import { getEnvironmentData } from 'node:worker_threads';
    const ended = new Int32Array(getEnvironmentData('ended'));
    process.on('exit', () => Atomics.store(ended, 0, 1));
    throw new Error('a bug');
  `);
  const thread = new SpawnedHttpThread(url);
  await until('it has ended', () => Atomics.load(new Int32Array(ended), 0) === 1);
  await assert.rejects(
    listenIn(t, thread, () => {}),
    { message: 'a bug' },
  );
  await until('its line is closed', () => !process.getActiveResourcesInfo().includes('MessagePort'));
});

test('a thread that ends on request is not reported', async t => {
  const url = listening("parentPort.on('message', () => parentPort.postMessage({ kind: 'closed' }));");
  const threads = await startWith(t, url, () => assert.fail('it is missed'));
  await threads.close();
});

test('a thread that throws while it closes is in the log', async t => {
  const lines: string[] = [];
  const log = pino({ level: 'fatal' }, { write: line => lines.push(line) });
  const url = listening("parentPort.on('message', () => { throw new Error('a bug at the end'); });");
  const threads = await startWith(t, url, () => assert.fail('it is missed'), log);
  await threads.close();
  await until('it is in the log', () => lines.some(line => line.includes('a bug at the end')));
});

test('a thread that nobody told to listen ends when it is closed', async () => {
  await new SpawnedHttpThread(program('')).close();
});

test('a thread that cannot listen says why', async t => {
  const url = program(
    "parentPort.postMessage({ kind: 'cannotListen', code: 'EADDRINUSE', message: 'taken' });",
  );
  await assert.rejects(
    startWith(t, url, () => {}),
    { code: 'EADDRINUSE', message: 'taken' },
  );
});
