import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import test, { type TestContext } from 'node:test';
import { until } from '../../test/harness/until.ts';
import { successAnswer } from './envelope.ts';
import { HeldBytes } from './held-bytes.ts';
import { createNodeServer } from './node-server.ts';

const ONE = '127.0.0.2';
const ANOTHER = '127.0.0.3';

test('an address holds as much as it leaves free', () => {
  const held = new HeldBytes(1_000_000);
  const take = (address: string, kilobytes: number) => held.take(() => address, kilobytes * 1000);
  const first = take(ONE, 300);
  assert.ok(first && take(ONE, 200));
  assert.equal(take(ONE, 10), undefined);
  assert.ok(take(ANOTHER, 250));
  assert.equal(take(ANOTHER, 10), undefined);
  first();
  // Only once.
  first();
  assert.equal(take(ONE, 360), undefined);
  assert.ok(take(ONE, 350));
});

test('what is small is not counted, nor what another thread of ours passes on', () => {
  const held = new HeldBytes(100);
  assert.ok(held.take(() => ONE, 4096));
  assert.equal(
    held.take(() => ONE, 4097),
    undefined,
  );
  assert.ok(held.take(() => '', 1_000_000));
});

/** Answers nothing by itself; requests to /plain are read past Node. */
async function startServer(t: TestContext, mostHeldBytes: number) {
  const state = { busy: 0 };
  const answers: (() => void)[] = [];
  const { server } = createNodeServer(
    { maxConnections: 1000, requestTimeoutMs: 60_000, mostHeldBytes },
    { broken: () => {}, busy: () => state.busy++, closed: () => {} },
    (_request, response: ServerResponse) => answers.push(() => response.end('{"by":"node"}')),
    {
      isClosing: () => false,
      headerNames: [],
      answerPlain({ target }, _socket, answer) {
        if (target !== '/plain') return false;
        answers.push(() => answer(successAnswer('{"by":"us"}', undefined)));
        return true;
      },
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  /** Sends it on a connection of its own. */
  function send(localAddress: string, bytes: string) {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    const sent = { socket, received: '', isClosed: false };
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sent.isClosed = true;
    });
    socket.on('data', chunk => {
      sent.received += chunk;
    });
    socket.write(bytes);
    return sent;
  }
  async function begins(localAddress: string, bytes: string) {
    const wanted = answers.length + 1;
    const sent = send(localAddress, bytes);
    await until('it begins', () => answers.length === wanted);
    return sent;
  }
  async function isRefused(localAddress: string, bytes: string): Promise<void> {
    const wanted = state.busy + 1;
    const { received } = await answered(send(localAddress, bytes));
    assert.match(received, /^HTTP\/1.1 429 .*retry-after: 1\r\n.*"code":"A020"/s);
    assert.equal(state.busy, wanted);
  }
  async function answered<Sent extends { readonly received: string }>(sent: Sent): Promise<Sent> {
    await until('it is answered', () => sent.received.includes('}'));
    return sent;
  }
  return { answers, send, begins, isRefused, answered };
}

const head = (path: string, line: string) => `POST ${path} HTTP/1.1\r\nhost: x\r\n${line}\r\n\r\n`;
const unfinished = (length: number) => `${head('/node', `content-length: ${length}`)}x`;
const whole = (path: string, length: number) => head(path, `content-length: ${length}`) + 'x'.repeat(length);

test('a body that has no room beside those on their way is refused, and that of another address is not', async t => {
  const { answers, begins, isRefused, answered } = await startServer(t, 100_000);
  const first = await begins(ONE, unfinished(30_000));
  await begins(ONE, unfinished(20_000));
  await isRefused(ONE, unfinished(5_000));
  await begins(ONE, whole('/node', 10));
  await begins(ANOTHER, unfinished(20_000));
  answers[0]?.();
  await answered(first);
  await begins(ONE, unfinished(20_000));
});

test('so is a body that does not say how long it is', async t => {
  const { begins, isRefused } = await startServer(t, 2.5 * 1024 * 1024);
  const chunked = head('/node', 'transfer-encoding: chunked');
  await begins(ONE, chunked);
  await isRefused(ONE, chunked);
});

test('and one that came whole, past Node; it is counted until it is answered or its client has gone', async t => {
  const { answers, send, begins, isRefused, answered } = await startServer(t, 20_000);
  const plain = whole('/plain', 8_000);
  const first = await begins(ONE, plain);
  await isRefused(ONE, plain);
  answers[0]?.();
  await answered(first);
  const second = await begins(ONE, plain);
  await isRefused(ONE, plain);
  second.socket.destroy();
  await until('its place is free', async () => {
    const began = answers.length;
    const next = send(ONE, plain);
    await until('it begins, or is refused', () => answers.length > began || next.received !== '');
    return answers.length > began;
  });
});

test('who sends more than there is room for before it has an answer is closed', async t => {
  const { begins } = await startServer(t, 20_000);
  const client = await begins(ONE, whole('/plain', 2));
  client.socket.write('x'.repeat(30_000));
  await until('it is closed', () => client.isClosed);
});
