/** HTTPS by the gateway itself: with threads that speak HTTP, as a process, and without them. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, type RequestOptions, request as requestTo } from 'node:https';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test from 'node:test';
import type { TLSSocket } from 'node:tls';
import { ConfigProblems, loadConfig } from '../../src/config/config.ts';
import { CHANNELS } from '../../src/domain/channels/channel.ts';
import type { Certificate } from '../../src/platform/certificate.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { selfSigned } from '../harness/certificates.ts';
import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import { unlessInstalled } from '../harness/debian.ts';
import { testGateway } from '../harness/gateway.ts';
import { startServer } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const PASSWORD = 'correct horse battery staple';
const SMS = JSON.stringify({ from: '0212345678', to: '01012345678', text: 'hello' });
const skip = unlessInstalled('openssl');

interface Files {
  readonly env: Readonly<Record<string, string>>;
  /** Writes them anew, as whoever renews a certificate does. */
  write(certificate: Certificate): void;
}

function certificateFiles(first: Certificate): Files {
  const directory = scratchDirectory();
  const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  const write = (certificate: Certificate) => {
    writeFileSync(cert, certificate.cert);
    writeFileSync(key, certificate.key);
  };
  write(first);
  const env = {
    BONGSU_TLS_CERT: cert,
    BONGSU_TLS_KEY: key,
    BONGSU_DEMO_ACCOUNT: `demo:${PASSWORD}`,
    BONGSU_ADMIN_TOKEN: ADMIN_TOKEN,
  };
  return { env, write };
}

/** Without `ca` any certificate will do. */
async function call(url: string, ca: string | undefined, options: RequestOptions & { body?: string } = {}) {
  const { body, ...rest } = options;
  const trust = ca === undefined ? { rejectUnauthorized: false } : { ca };
  const request = requestTo(url, { agent: false, ...trust, ...rest }).end(body);
  const [response] = await once(request, 'response');
  const { fingerprint256 } = (response.socket as TLSSocket).getPeerCertificate();
  return {
    status: response.statusCode as number,
    cookie: String(response.headers['set-cookie']),
    fingerprint: fingerprint256,
    body: JSON.parse(await text(response)),
  };
}

async function fetchHeaders(url: string) {
  const request = requestTo(url, { agent: false, rejectUnauthorized: false }).end();
  const [response] = await once(request, 'response');
  response.resume();
  return response.headers;
}

/** A send, and a call that the framework answers and that tells the scheme it sees. */
async function assertServes(url: string, ca: string): Promise<void> {
  const credentials = { 'x-svc-client-id': 'demo', 'x-svc-client-passwd': PASSWORD };
  const token = await call(`${url}/v1/auth/token`, ca, { method: 'POST', headers: credentials });
  const headers = { ...bearer(token.body.data.token), 'content-type': 'application/json' };
  const sent = await call(`${url}/v1/send/sms`, ca, { method: 'POST', headers, body: SMS });
  assert.equal(sent.body.code, 'A000');
  const tooLong = await call(`${url}/v1/send/sms`, ca, {
    method: 'POST',
    headers,
    body: 'x'.repeat(5_000_000),
  });
  assert.equal(tooLong.body.code, 'A300');
  const session = await call(`${url}/admin/v1/session`, ca, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: ADMIN_TOKEN }),
  });
  assert.equal(session.status, 200);
  assert.match(session.cookie, /; Secure/);
}

/** What a peer gets that does not speak TLS. */
async function saidTo(url: string, bytes: string): Promise<string> {
  const socket = peer(url);
  socket.write(bytes);
  return text(socket);
}

function peer(url: string): Socket {
  return connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
}

test('a process with threads speaks TLS, and renews its certificate on SIGHUP', { skip }, async t => {
  const [first, second] = [selfSigned(), selfSigned()];
  const files = certificateFiles(first);
  const server = await startServer(t, { ...files.env, BONGSU_HTTP_THREADS: '2' });
  const { url } = server;
  assert.match(url, /^https:/);
  await assertServes(url, first.cert);
  assert.doesNotMatch(await saidTo(url, 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'), /HTTP/);

  const keepsOpen = new Agent({ keepAlive: true });
  t.after(() => keepsOpen.destroy());
  const ofOldTls = { maxVersion: 'TLSv1.2', minVersion: 'TLSv1.2' } as const;
  const withGcm = await call(`${url}/healthz`, undefined, {
    ...ofOldTls,
    ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  });
  assert.equal(withGcm.status, 200);
  await assert.rejects(
    call(`${url}/healthz`, undefined, { ...ofOldTls, ciphers: 'ECDHE-ECDSA-AES128-SHA256' }),
  );
  const page = await fetchHeaders(`${url}/console/`);
  assert.equal(page['strict-transport-security'], 'max-age=63072000');
  assert.equal(page['cross-origin-opener-policy'], 'same-origin');
  const before = await call(`${url}/healthz`, undefined, { agent: keepsOpen });
  const reloads = () => server.stderr().split(/"event":"reload(?:ed|Refused)"/).length - 1;

  files.write({ ...second, key: first.key });
  server.process.kill('SIGHUP');
  await until('the log tells of it', () => reloads() === 1);
  assert.match(
    server.stderr(),
    /"reloadRefused","problems":\["BONGSU_TLS_KEY: not a key in PEM format, or not/,
  );
  assert.equal((await call(`${url}/healthz`, undefined)).fingerprint, before.fingerprint);

  files.write(second);
  server.process.kill('SIGHUP');
  await until('the log tells of it', () => reloads() === 2);
  // Two threads have the port, and each is told on its own.
  await until('ten new connections have it', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => call(`${url}/healthz`, undefined)));
    return answers.every(({ fingerprint }) => fingerprint !== before.fingerprint);
  });
  const kept = await call(`${url}/healthz`, undefined, { agent: keepsOpen });
  assert.equal(kept.fingerprint, before.fingerprint, 'a connection goes on as it began');
  keepsOpen.destroy();
  await assertServes(url, second.cert);

  const silent = peer(url);
  await once(silent, 'connect');
  assert.deepEqual(await server.stop(), { code: 0, signal: null }, 'it waits for no handshake');
});

test('a gateway without HTTP threads speaks TLS, and renews its certificate on SIGHUP', { skip }, async t => {
  const [first, second] = [selfSigned(), selfSigned()];
  const files = certificateFiles(first);
  const env = { ...files.env, BONGSU_HTTP_THREADS: '0', BONGSU_MAX_CONNECTIONS: '4' };
  const { gateway } = await testGateway(t, env, new ManualClock(Date.now()));
  await gateway.prepareSandbox();
  const url = await gateway.listen({ host: '127.0.0.1', port: 0 });
  assert.match(url, /^https:/);
  await assertServes(url, first.cert);
  assert.doesNotMatch(await saidTo(url, 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'), /HTTP/);
  const { fingerprint } = await call(`${url}/healthz`, undefined);

  files.write({ ...second, cert: 'nothing' });
  await assert.rejects(gateway.reload(loadConfig(env, CHANNELS)), (error: unknown) => {
    assert.ok(error instanceof ConfigProblems);
    assert.match(error.problems[0] ?? '', /^BONGSU_TLS_CERT: not a certificate in PEM format/);
    return true;
  });
  files.write(second);
  await gateway.reload(loadConfig(env, CHANNELS));
  assert.notEqual((await call(`${url}/healthz`, undefined)).fingerprint, fingerprint);

  const { body: metrics } = await gateway.http.inject({ url: '/metrics' });
  const [, expires] = /^bongsu_tls_certificate_expires_timestamp_seconds (\d+)$/m.exec(metrics) ?? [];
  assert.equal(Number(expires) * 1000, Date.parse(new X509Certificate(second.cert).validTo));

  // Peers that never end their handshake make room like others, and the gateway does not wait for them at its end.
  const silent = Array.from({ length: 9 }, () => peer(url));
  t.after(() => silent.forEach(socket => void socket.destroy()));
  await Promise.all(silent.map(socket => once(socket, 'connect')));
  await until('some are closed', () => silent.filter(({ destroyed }) => destroyed).length >= 5);
  await assertServes(url, second.cert);
});

test('a server whose certificate cannot be read does not start', async t => {
  const env = { BONGSU_TLS_CERT: '/nowhere/cert.pem', BONGSU_TLS_KEY: '/nowhere/key.pem' };
  await assert.rejects(testGateway(t, env), (error: unknown) => {
    assert.ok(error instanceof ConfigProblems);
    assert.match(error.problems[0] ?? '', /^BONGSU_TLS_CERT: cannot read \/nowhere\/cert\.pem \(ENOENT/);
    return true;
  });
});
