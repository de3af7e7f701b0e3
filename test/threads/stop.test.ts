/** SIGTERM beside connections that would never end by themselves. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import test from 'node:test';
import { connect as connectSecurely } from 'node:tls';
import { selfSigned } from '../harness/certificates.ts';
import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import { unlessInstalled } from '../harness/debian.ts';
import { type Env, type ServerProcess, startServer } from '../harness/process.ts';
import { configFile, scratchDirectory } from '../harness/scratch.ts';
import { Smsc } from '../harness/smsc/smsc.ts';
import { until } from '../harness/until.ts';

const PASSWORD = 'correct horse battery staple';
/** Its answers are larger than the system's buffers. */
const LARGE = 'GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(15);
const HALF = 'POST /v1/send/sms HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\nx: ';
/** Longer than a test may take: a stop must not wait for it. */
const PATIENT = { BONGSU_SHUTDOWN_TIMEOUT: '30m', BONGSU_DEMO_ACCOUNT: `demo:${PASSWORD}` };

/** A hundred: silent ones, ones that send a byte now and then, ones that do not read. */
async function oddConnections(t: test.TestContext, { url }: ServerProcess): Promise<Socket[]> {
  const { hostname: host, port } = new URL(url);
  const sockets = Array.from({ length: 100 }, () => connect(Number(port), host));
  const kinds = Map.groupBy(sockets.keys(), index => index % 3);
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (const socket of sockets) socket.on('error', () => {});
  for (const index of kinds.get(1) ?? []) sockets[index]?.write(HALF);
  const trickle = setInterval(() => {
    for (const index of kinds.get(1) ?? []) if (sockets[index]?.writable) sockets[index].write('1');
  }, 200);
  t.after(() => clearInterval(trickle));
  for (const index of kinds.get(2) ?? []) sockets[index]?.pause().write(LARGE);
  await until('all are connected', () => sockets.every(({ connecting }) => !connecting));
  return sockets;
}

async function hasStopped(server: ServerProcess): Promise<void> {
  let exit: Awaited<ReturnType<ServerProcess['stop']>> | undefined;
  void server.stop().then(ended => {
    exit = ended;
  });
  const ended = await until('the process has ended', () => exit);
  assert.deepEqual(ended, { code: 0, signal: null }, server.stderr());
  assert.match(server.stderr(), /"event":"stopped"/);
  assert.doesNotMatch(server.stderr(), /stopTakesTooLong|stopFailed/);
}

for (const threads of ['0', '2']) {
  test(`a stop does not wait for peers that are silent or do not read, and carriers drain meanwhile (${threads} HTTP threads)`, async t => {
    const smsc = await Smsc.listen({ submit: () => ({ kind: 'silent' }) });
    t.after(() => smsc.close());
    const carrier = `{ kind: smpp, host: 127.0.0.1, port: ${smsc.port}, systemId: bongsu }`;
    const config = configFile(`carriers:\n  sky: ${carrier}\nroutes:\n  - { channel: sms, via: [sky] }\n`);
    const env: Env = { ...PATIENT, BONGSU_HTTP_THREADS: threads, BONGSU_CONFIG: config };
    const server = await startServer(t, { ...env, BONGSU_ADMIN_TOKEN: ADMIN_TOKEN });
    await until('the carrier is bound', () => smsc.receiver);
    await sendOne(server);
    await until('it is submitted', () => smsc.submits.length === 1);
    await oddConnections(t, server);
    const stopped = hasStopped(server);
    await until('it drains', () => server.stderr().includes('"event":"draining"'));
    smsc.answer(0, 'one');
    await stopped;
  });
}

test('a stop does not wait for TLS handshakes that never end', {
  skip: unlessInstalled('openssl'),
}, async t => {
  const { cert, key } = selfSigned();
  const directory = scratchDirectory();
  const files = { BONGSU_TLS_CERT: join(directory, 'cert.pem'), BONGSU_TLS_KEY: join(directory, 'key.pem') };
  writeFileSync(files.BONGSU_TLS_CERT, cert);
  writeFileSync(files.BONGSU_TLS_KEY, key);
  const server = await startServer(t, { ...PATIENT, ...files, BONGSU_HTTP_THREADS: '1' });
  const { hostname: host, port } = new URL(server.url);
  const secured = connectSecurely({ host, port: Number(port), rejectUnauthorized: false });
  secured.on('error', () => {});
  const silent = connect(Number(port), host);
  silent.on('error', () => {});
  await until('both are connected', () => secured.authorizationError && !silent.connecting);
  await hasStopped(server);
});

async function sendOne({ url }: ServerProcess): Promise<void> {
  const headers = { 'x-svc-client-id': 'demo', 'x-svc-client-passwd': PASSWORD };
  const issued = await fetch(`${url}/v1/auth/token`, { method: 'POST', headers });
  const { data } = (await issued.json()) as { data: { token: string } };
  const sent = await fetch(`${url}/v1/send/sms`, {
    method: 'POST',
    headers: { ...bearer(data.token), 'content-type': 'application/json' },
    body: JSON.stringify({ from: '0212345678', to: '01012345678', text: 'hello' }),
  });
  assert.equal(sent.status, 200);
}
