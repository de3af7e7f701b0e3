import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { type FrontClient, startFront } from '../../../test/harness/front.ts';
import { until } from '../../../test/harness/until.ts';
import { successAnswer } from '../envelope.ts';
import { HeldBytes } from './held-bytes.ts';

const ONE = '127.0.0.2';
const ANOTHER = '127.0.0.3';

test('an address may use as much memory as it leaves free', () => {
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

test('small bodies and bodies that another HTTP thread passes on are not counted', () => {
  const held = new HeldBytes(100);
  assert.ok(held.take(() => ONE, 4096));
  assert.equal(
    held.take(() => ONE, 4097),
    undefined,
  );
  assert.ok(held.take(() => '', 1_000_000));
});

/** Answers nothing by itself; requests to /plain are read by the front. */
async function startServer(t: TestContext, mostHeldBytes: number) {
  const answers: (() => void)[] = [];
  const { client, state } = await startFront(t, {
    mostHeldBytes,
    listener: (_request, response) => answers.push(() => response.end('{"by":"node"}')),
    answerPlain: () =>
      new Promise(resolve => {
        answers.push(() => resolve(successAnswer('{"by":"front"}', undefined)));
      }),
  });
  /** Sends it on a connection of its own. */
  async function send(localAddress: string, bytes: string): Promise<FrontClient> {
    const sent = await client(localAddress);
    sent.socket.write(bytes);
    return sent;
  }
  async function begins(localAddress: string, bytes: string): Promise<FrontClient> {
    const wanted = answers.length + 1;
    const sent = await send(localAddress, bytes);
    await until('it begins', () => answers.length === wanted);
    return sent;
  }
  async function isRefused(localAddress: string, bytes: string): Promise<void> {
    const wanted = state.busy + 1;
    const { received } = await answered(await send(localAddress, bytes));
    assert.match(received, /^HTTP\/1.1 429 .*retry-after: 1\r\n.*"code":"A020"/s);
    assert.equal(state.busy, wanted);
  }
  async function answered(sent: FrontClient): Promise<FrontClient> {
    await until('it is answered', () => sent.received.includes('}'));
    return sent;
  }
  return { answers, send, begins, isRefused, answered };
}

const head = (path: string, line: string) => `POST ${path} HTTP/1.1\r\nhost: x\r\n${line}\r\n\r\n`;
const unfinished = (length: number) => `${head('/node', `content-length: ${length}`)}x`;
const whole = (path: string, length: number) => head(path, `content-length: ${length}`) + 'x'.repeat(length);

test('a body that exceeds the memory limit is refused, and a body from another address is accepted', async t => {
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

test('a body without a declared length that exceeds the memory limit is refused', async t => {
  const { begins, isRefused } = await startServer(t, 2.5 * 1024 * 1024);
  const chunked = head('/node', 'transfer-encoding: chunked');
  await begins(ONE, chunked);
  await isRefused(ONE, chunked);
});

test('a body that the front reads counts until it is answered or its client has gone', async t => {
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
    const next = await send(ONE, plain);
    await until('it begins, or is refused', () => answers.length > began || next.received !== '');
    return answers.length > began;
  });
});

test('a body that the front collects counts from its head on', async t => {
  const { send, begins, isRefused } = await startServer(t, 20_000);
  const slow = await send(ONE, whole('/plain', 8_000).slice(0, -1));
  await until('it is read', () => slow.socket.bytesWritten > 8_000);
  await begins(ANOTHER, whole('/plain', 2));
  await isRefused(ONE, whole('/plain', 8_000));
  slow.socket.write('x');
});

test('a client that sends more than the limit before it has an answer is disconnected', async t => {
  const { begins } = await startServer(t, 20_000);
  const client = await begins(ONE, whole('/plain', 2));
  client.socket.write('x'.repeat(30_000));
  await until('it is closed', () => client.isClosed);
});
