import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { scratchDirectory } from '../../../test/harness/scratch.ts';
import { until } from '../../../test/harness/until.ts';
import type { IsProxy } from '../../platform/trusted-proxies.ts';
import { createPassOn } from './pass-on.ts';

/** A thread in front of an engine that answers with the headers it got, if not otherwise; or, without one, in front of nothing. */
async function thread(
  t: TestContext,
  options: { readonly isSecure: boolean; readonly isProxy: IsProxy; readonly hasEngine: boolean },
  {
    answer = ({ headers }, response) => void response.end(JSON.stringify(headers)),
    socketPath = join(scratchDirectory(), 'engine'),
  }: { readonly answer?: RequestListener; readonly socketPath?: string } = {},
) {
  const engine = createServer(answer);
  if (options.hasEngine) await once(engine.listen(socketPath), 'listening');
  const refused: string[] = [];
  let successes = 0;
  const front = createServer(
    createPassOn({
      turns: (_request, begin) => begin(() => {}),
      ...options,
      socketPath,
      isClosing: () => false,
      onSuccess: () => successes++,
      noteRefusal: code => refused.push(code),
    }),
  ).listen(0, '127.0.0.1');
  await once(front, 'listening');
  let writes = 0;
  let asked = 0;
  front.on('request', () => asked++);
  front.on('connection', (socket: Socket) => {
    for (const name of ['_write', '_writev'] as const) {
      const write = socket[name]?.bind(socket) as (...values: unknown[]) => void;
      socket[name] = (...values: unknown[]) => {
        writes++;
        write(...values);
      };
    }
  });
  t.after(() => {
    for (const server of [front, engine]) server.close().closeAllConnections();
  });
  const { port } = front.address() as AddressInfo;
  const ask = async (headers: Record<string, string> = {}, path = '/') => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    return (await response.json()) as Record<string, string>;
  };
  /** What comes first of an answer. */
  const firstPacket = async () => {
    const socket = connect(port, '127.0.0.1');
    t.after(() => socket.destroy());
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    const [packet] = await once(socket, 'data');
    return String(packet);
  };
  return { ask, asked: () => asked, successes: () => successes, firstPacket, refused, writes: () => writes };
}

const SPOOFED = { 'x-forwarded-proto': 'http' };

test('the engine learns from the thread, and not from the caller, whether TLS was spoken', async t => {
  const secure = await thread(t, { isSecure: true, isProxy: () => false, hasEngine: true });
  assert.equal((await secure.ask())['x-forwarded-proto'], 'https');
  assert.equal((await secure.ask(SPOOFED))['x-forwarded-proto'], 'https');
  const plain = await thread(t, { isSecure: false, isProxy: () => false, hasEngine: true });
  assert.equal((await plain.ask({ 'x-forwarded-proto': 'https' }))['x-forwarded-proto'], undefined);
});

test('a proxy that is trusted knows better', async t => {
  const { ask } = await thread(t, { isSecure: true, isProxy: (_address, hop) => hop === 0, hasEngine: true });
  assert.equal((await ask(SPOOFED))['x-forwarded-proto'], 'http');
  assert.equal((await ask())['x-forwarded-proto'], 'https');
});

test('an engine that does not answer is A920, and counted', async t => {
  const { ask, refused } = await thread(t, { isSecure: false, isProxy: () => false, hasEngine: false });
  assert.equal((await ask()).code, 'A920');
  assert.deepEqual(refused, ['A920']);
});

const PLAIN = { isSecure: false, isProxy: () => false, hasEngine: true };

test('an answer whose length is known is written at once', async t => {
  const { ask, writes } = await thread(t, PLAIN);
  await ask();
  assert.equal(writes(), 1);
});

test('of an answer without a known length the head goes at once', async t => {
  const { firstPacket } = await thread(t, PLAIN, {
    answer: (_request, response) => response.flushHeaders(),
  });
  assert.match(await firstPacket(), /^HTTP\/1\.1 200 .*\r\n\r\n$/s);
});

test('a success by the contract is reported with its caller', async t => {
  let status = 403;
  const answer: RequestListener = (_request, response) => response.writeHead(status).end('{}');
  const { ask, successes } = await thread(t, PLAIN, { answer });
  await ask({}, '/v1/report/polling');
  assert.equal(successes(), 0, 'it was refused');
  status = 200;
  await ask({}, '/healthz');
  assert.equal(successes(), 0, 'that is for everybody');
  await ask({}, '/v1/report/polling');
  assert.equal(successes(), 1);
});

/** An engine at work: it listens, and takes nobody in until it is told to. Two may wait for that. */
const BUSY_ENGINE = `
  const { workerData, parentPort } = require('node:worker_threads');
  require('node:http').createServer((_request, response) => response.end('{}')).listen(
    { path: workerData.socketPath, backlog: 1 },
    () => {
      parentPort.postMessage('listening');
      Atomics.wait(workerData.gate, 0, 0);
    },
  );`;

test('a busy engine accepts more later than the limit of waiting calls', async t => {
  const socketPath = join(scratchDirectory(), 'engine');
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const engine = new Worker(BUSY_ENGINE, { eval: true, workerData: { socketPath, gate } });
  t.after(() => engine.terminate());
  await once(engine, 'message');
  const { ask, asked, refused } = await thread(t, { ...PLAIN, hasEngine: false }, { socketPath });
  const answers = Array.from({ length: 200 }, () => ask());
  await until('all have asked', () => asked() === answers.length);
  for (let turns = 0; turns < 10; turns++) await nextTurn();
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
  for (const answer of await Promise.all(answers)) assert.deepEqual(answer, {});
  assert.deepEqual(refused, []);
});
