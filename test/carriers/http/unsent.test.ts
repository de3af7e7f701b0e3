/**
 * Failures before a byte of the request has left are the carrier's trouble: another may have the message. Everything
 * here goes over real sockets, and what the provider saw is counted.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import type { Server as HttpServer, RequestListener } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import net, { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import test, { type TestContext } from 'node:test';
import { promisify } from 'node:util';
import type { SubmitAnswer } from '../../../src/carriers/carrier.ts';
import { selfSigned } from '../../harness/certificates.ts';
import { unlessInstalled } from '../../harness/debian.ts';
import { until } from '../../harness/until.ts';
import { bare, basicKeys, type Keys, makeCarrier, submission, submitOne } from './carrier-under-test.ts';
import { json, startProvider } from './provider-server.ts';

const TROUBLE = { kind: 'temporary', reportCode: '22000', isCarriersFault: true };
const wordsOf = (answer: SubmitAnswer) => ('detail' in answer ? String(answer.detail) : '');
const TAKEN = { kind: 'accepted', refs: ['7'] };
const skip = unlessInstalled('openssl');

/** Listens on a port of its own until the test ends. */
async function listening(t: TestContext, server: Server | HttpServer): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A provider behind TLS, and how many requests reached it. */
async function startTls(t: TestContext, options: ServerOptions) {
  const seen = { requests: 0 };
  const answer: RequestListener = (request, response) => {
    seen.requests++;
    request.resume().on('end', () => json(response, 200, { id: 7 }));
  };
  const port = await listening(t, createHttpsServer(options, answer));
  return { seen, port, url: `https://127.0.0.1:${port}` };
}

async function submitTo(t: TestContext, url: string, keys: Keys = {}) {
  const made = await makeCarrier(t, { ...basicKeys(url), ...keys });
  return { ...made, answer: await submitOne(made.carrier) };
}

test('over TLS with a certificate that is trusted the message is taken', { skip }, async t => {
  const { key, cert } = selfSigned();
  const { url, seen } = await startTls(t, { key, cert });
  const { answer } = await submitTo(t, url, { ca: cert });
  assert.deepEqual([answer, seen.requests], [TAKEN, 1]);
});

test('an expired certificate: nothing has left', { skip }, async t => {
  const { key, cert } = selfSigned(-1);
  const { url, seen } = await startTls(t, { key, cert });
  const { answer } = await submitTo(t, url, { ca: cert });
  assert.deepEqual([bare(answer), seen.requests], [TROUBLE, 0]);
  assert.match(wordsOf(answer), /expired/);
});

test('a certificate that nobody vouches for: nothing has left', { skip }, async t => {
  const { url, seen } = await startTls(t, selfSigned());
  const { answer } = await submitTo(t, url);
  assert.deepEqual([bare(answer), seen.requests], [TROUBLE, 0]);
  assert.match(wordsOf(answer), /self-signed/);
});

test('a certificate of another name: nothing has left', { skip }, async t => {
  const { key, cert } = selfSigned();
  const { port, seen } = await startTls(t, { key, cert });
  const { answer } = await submitTo(t, `https://localhost:${port}`, { ca: cert });
  assert.deepEqual([bare(answer), seen.requests], [TROUBLE, 0]);
});

test('a server that speaks TLS 1.0 only: nothing has left', { skip }, async t => {
  const { key, cert } = selfSigned();
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  const { url, seen } = await startTls(t, { key, cert, ...old });
  const { answer } = await submitTo(t, url, { ca: cert });
  assert.deepEqual([bare(answer), seen.requests], [TROUBLE, 0]);
  assert.match(wordsOf(answer), /version/i);
});

test('a server that speaks no TLS at all: nothing has left', async t => {
  const provider = await startProvider(t, (_, response) => json(response, 200, { id: 7 }));
  const { answer } = await submitTo(t, provider.url.replace('http:', 'https:'));
  assert.deepEqual([bare(answer), provider.requests.length], [TROUBLE, 0]);
});

for (const [name, meet] of [
  ['before the handshake', (socket: Socket) => socket.resetAndDestroy()],
  ['in the handshake', (socket: Socket) => socket.once('data', () => socket.resetAndDestroy())],
  ['politely, in the handshake', (socket: Socket) => socket.once('data', () => socket.end())],
] as const) {
  test(`a connection that is cut ${name}: nothing has left`, async t => {
    const port = await listening(t, createServer(meet));
    const { answer } = await submitTo(t, `https://127.0.0.1:${port}`);
    assert.deepEqual(bare(answer), TROUBLE);
  });
}

test('a name that does not exist: nothing has left', async t => {
  const { answer } = await submitTo(t, 'http://nowhere.invalid');
  assert.deepEqual(bare(answer), TROUBLE);
});

test('no address to call from (EADDRNOTAVAIL): nothing has left', async t => {
  const provider = await startProvider(t, (_, response) => json(response, 200, { id: 7 }));
  const { connect } = net;
  // The kernel refuses to bind to an address that is not ours.
  t.mock.method(net, 'connect', (options: net.TcpNetConnectOpts) =>
    connect({ ...options, localAddress: '192.0.2.1' }),
  );
  const { answer } = await submitTo(t, provider.url);
  assert.deepEqual([bare(answer), provider.requests.length], [TROUBLE, 0]);
  assert.match(wordsOf(answer), /EADDRNOTAVAIL/);
});

test('no file descriptor left (EMFILE): nothing has left', async t => {
  const provider = await startProvider(t, (_, response) => json(response, 200, { id: 7 }));
  const script = `
    import { closeSync, openSync } from 'node:fs';
    import { systemClock } from '${new URL('../../../src/platform/clock.ts', import.meta.url)}';
    import { createOutbound } from '${new URL('../../../src/platform/outbound.ts', import.meta.url)}';
    const outbound = createOutbound({ clock: systemClock, allowPrivate: true });
    const call = url => outbound.call({ method: 'POST', url, headers: {}, timeoutMs: 10000, maxBytes: 1000 });
    await call('http://127.0.0.1:1/');
    const open = [];
    try { for (;;) open.push(openSync('/dev/null')); } catch {}
    const answer = await call('${provider.url}/');
    for (const file of open) closeSync(file);
    console.log(JSON.stringify(answer));
    await outbound.close();
  `;
  const run = `ulimit -n 60; exec "$0" --disable-warning=ExperimentalWarning --input-type=module -e "$1"`;
  const { stdout } = await promisify(execFile)('sh', ['-c', run, process.execPath, script]);
  const answer = JSON.parse(stdout);
  assert.ok(answer.isUnsent && answer.reason.includes('EMFILE'), stdout);
  assert.equal(provider.requests.length, 0);
});

test('a handshake that does not end in time: nothing has left, and nothing leaves later', {
  skip,
}, async t => {
  const { key, cert } = selfSigned();
  const tls = await startTls(t, { key, cert });
  const held: (() => void)[] = [];
  const port = await listening(
    t,
    createServer(socket => {
      held.push(() => {
        const onward = net.connect(tls.port, '127.0.0.1').on('error', () => {});
        onward.on('close', () => closed.resolve());
        socket.pipe(onward).pipe(socket);
      });
    }),
  );
  const closed = Promise.withResolvers<void>();
  const keys = { ca: cert, timeout: '3s' };
  const { carrier, clock } = await makeCarrier(t, { ...basicKeys(`https://127.0.0.1:${port}`), ...keys });
  const answering = submitOne(carrier);
  await until('it has connected', () => held.length > 0);
  clock.advance(3000);
  const answer = await answering;
  assert.deepEqual(bare(answer), TROUBLE);
  assert.match(wordsOf(answer), /no connection within 3000 ms/);
  for (const release of held) release();
  await carrier.close();
  await closed.promise;
  assert.equal(tls.seen.requests, 0);
});

test('calls that wait for a free connection when their time is over have not left', async t => {
  const provider = await startProvider(t, () => {});
  const keys = { ...basicKeys(provider.url), window: 1, timeout: '3s' };
  const { carrier, clock } = await makeCarrier(t, keys);
  const answering = Promise.all(carrier.submit([submission(), submission()]));
  await until('the first is on its way', () => provider.requests.length === 1);
  clock.advance(3000);
  assert.deepEqual((await answering).map(bare), [{ kind: 'unknown', isUnanswered: true }, TROUBLE]);
  assert.equal(provider.requests.length, 1);
});

test('HTTP/2: a session that ends when the request comes is in doubt, and nothing is sent again', {
  skip,
}, async t => {
  const { key, cert } = selfSigned();
  const requests: string[] = [];
  const server = createSecureServer({ key, cert });
  server.on('stream', (stream, headers) => {
    requests.push(String(headers[':method']));
    stream.session?.destroy();
  });
  server.on('sessionError', () => {});
  const port = await listening(t, server);
  const { answer } = await submitTo(t, `https://127.0.0.1:${port}`, { ca: cert });
  assert.deepEqual([bare(answer), requests], [{ kind: 'unknown', isUnanswered: true }, ['POST']]);
});

test('a kept connection that the provider closes when the request comes is in doubt', async t => {
  const paths: string[] = [];
  let count = 0;
  const port = await listening(
    t,
    createServer(socket => {
      socket.on('data', chunk => {
        paths.push(chunk.toString().slice(0, 4));
        const body = '{"id":7}';
        if (++count === 1) {
          socket.write(
            `HTTP/1.1 200 OK\r\nconnection: keep-alive\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
          );
        } else socket.end();
      });
    }),
  );
  const { carrier, answer } = await submitTo(t, `http://127.0.0.1:${port}`);
  assert.deepEqual(answer, TAKEN);
  assert.deepEqual(bare(await submitOne(carrier)), { kind: 'unknown', isUnanswered: true });
  assert.deepEqual(paths, ['POST', 'POST'], 'and it was not sent a second time');
});
