import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { createPassOn } from './pass-on.ts';

/** A thread in front of an engine that answers with the headers it got; or, without one, in front of nothing. */
async function thread(
  t: TestContext,
  options: { readonly isSecure: boolean; readonly proxyHops: number; readonly hasEngine: boolean },
) {
  const directory = mkdtempSync(join(tmpdir(), 'bongsu-pass-on-'));
  const socketPath = join(directory, 'engine');
  const engine = createServer((request, response) => response.end(JSON.stringify(request.headers)));
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
  t.after(() => {
    for (const server of [front, engine]) server.close().closeAllConnections();
    rmSync(directory, { recursive: true, force: true });
  });
  const { port } = front.address() as AddressInfo;
  const ask = async (headers: Record<string, string> = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}/`, { headers });
    return (await response.json()) as Record<string, string>;
  };
  return { ask, refused };
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
