import assert from 'node:assert/strict';
import test from 'node:test';
import Fastify from 'fastify';
import { createLogger } from '../platform/logger.ts';
import { ThreadBell } from '../platform/thread-bell.ts';
import { startHttpThreads } from './http-threads.ts';

const OPTIONS = {
  threads: 1,
  host: '127.0.0.1',
  port: 0,
  maxConnections: 1,
  mostPassedOn: 1,
  requestTimeoutMs: 1000,
  proxyHops: 0,
  headerPrefixes: [],
};

/** Says that it listens, and then does what it is told. */
function program(then: string): URL {
  const listening = "{ kind: 'listening', address: { port: 1 } }";
  const source = `import { parentPort } from 'node:worker_threads'; parentPort.postMessage(${listening}); ${then}`;
  return new URL(`data:text/javascript,${encodeURIComponent(source)}`);
}

async function startWith(t: test.TestContext, url: URL, onLost: () => void) {
  const http = Fastify();
  t.after(() => http.close());
  // Nothing is asked of it.
  const desk = {} as Parameters<typeof startHttpThreads>[1]['desk'];
  return startHttpThreads(OPTIONS, {
    http,
    desk,
    log: createLogger('silent'),
    bell: new ThreadBell(),
    onLost,
    program: url,
  });
}

test('a thread that throws is not done without', async t => {
  // When it is told to, for an error may overtake the news that it listens.
  const url = program('parentPort.once("message", () => { throw new Error("a bug"); });');
  await new Promise<void>((resolve, reject) => {
    startWith(t, url, resolve).then(threads => threads.renew({ key: '', cert: '' }), reject);
  });
});

test('a thread that returns unasked is not done without', async t => {
  await new Promise<void>((resolve, reject) => {
    startWith(t, program(''), resolve).catch(reject);
  });
});

test('a thread that throws before it listens says why', async t => {
  const url = new URL(`data:text/javascript,${encodeURIComponent('throw new Error("a bug");')}`);
  await assert.rejects(
    startWith(t, url, () => {}),
    { message: 'a bug' },
  );
});

test('a thread that ends because it is asked to is not missed', async t => {
  const close = "parentPort.on('message', () => parentPort.postMessage({ kind: 'closed' }));";
  const threads = await startWith(t, program(close), () => assert.fail('it is missed'));
  await threads.close();
});

test('a thread that cannot listen says why', async t => {
  const url = new URL(
    `data:text/javascript,${encodeURIComponent(
      "import { parentPort } from 'node:worker_threads'; parentPort.postMessage({ kind: 'cannotListen', code: 'EADDRINUSE', message: 'taken' });",
    )}`,
  );
  await assert.rejects(
    startWith(t, url, () => {}),
    { code: 'EADDRINUSE', message: 'taken' },
  );
});
