import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { scratchDirectory } from '../../../test/harness/scratch.ts';
import { createPassOn } from './pass-on.ts';

/** A thread in front of an engine that answers with the headers it got, if not otherwise; or, without one, in front of nothing. */
async function thread(
  t: TestContext,
  options: { readonly isSecure: boolean; readonly proxyHops: number; readonly hasEngine: boolean },
  answer: RequestListener = ({ headers }, response) => response.end(JSON.stringify(headers)),
) {
  const socketPath = join(scratchDirectory(), 'engine');
  const engine = createServer(answer);
  if (options.hasEngine) await once(engine.listen(socketPath), 'listening');
  const refused: string[] = [];
  const front = createServer(
    createPassOn({
      turns: (_request, begin) => begin(() => {}),
      ...options,
      socketPath,
      isClosing: () => false,
      noteRefusal: code => refused.push(code),
    }),
  ).listen(0, '127.0.0.1');
  await once(front, 'listening');
  let writes = 0;
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
  const ask = async (headers: Record<string, string> = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}/`, { headers });
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
  return { ask, firstPacket, refused, writes: () => writes };
}

const SPOOFED = { 'x-forwarded-proto': 'http' };

test('the engine learns from the thread, and not from the caller, whether TLS was spoken', async t => {
  const secure = await thread(t, { isSecure: true, proxyHops: 0, hasEngine: true });
  assert.equal((await secure.ask())['x-forwarded-proto'], 'https');
  assert.equal((await secure.ask(SPOOFED))['x-forwarded-proto'], 'https');
  const plain = await thread(t, { isSecure: false, proxyHops: 0, hasEngine: true });
  assert.equal((await plain.ask({ 'x-forwarded-proto': 'https' }))['x-forwarded-proto'], undefined);
});

test('a proxy that is trusted knows better', async t => {
  const { ask } = await thread(t, { isSecure: true, proxyHops: 1, hasEngine: true });
  assert.equal((await ask(SPOOFED))['x-forwarded-proto'], 'http');
  assert.equal((await ask())['x-forwarded-proto'], 'https');
});

test('an engine that does not answer is A920, and counted', async t => {
  const { ask, refused } = await thread(t, { isSecure: false, proxyHops: 0, hasEngine: false });
  assert.equal((await ask()).code, 'A920');
  assert.deepEqual(refused, ['A920']);
});

const PLAIN = { isSecure: false, proxyHops: 0, hasEngine: true };

test('an answer whose length is known is written at once', async t => {
  const { ask, writes } = await thread(t, PLAIN);
  await ask();
  assert.equal(writes(), 1);
});

test('of an answer without a known length the head goes at once', async t => {
  const { firstPacket } = await thread(t, PLAIN, (_request, response) => response.flushHeaders());
  assert.match(await firstPacket(), /^HTTP\/1\.1 200 .*\r\n\r\n$/s);
});
