import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import test from 'node:test';
import { type RawRequest, rawRequest } from '../clients/raw-http.ts';
import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import { skipReason } from '../harness/debian.ts';
import { type ServerProcess, startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';

const PASSWORD = 'correct horse battery staple';
/** More than Node lets wait by itself, 511, and more than twice as many for two threads. */
const MANY = 1_500;
const LONG = 'x'.repeat(5 * 1024 * 1024);
/** The server reads a refused body to its end: a client that never sent it would be waited for. */
const OVER_LIMIT = 'x'.repeat(1024 * 1024 + 1);
const SMS = JSON.stringify({ from: '0212345678', to: '01012345678', text: 'hello' });

async function start(t: test.TestContext, threads: number): Promise<ServerProcess> {
  return startServer(t, {
    BONGSU_HTTP_THREADS: String(threads),
    BONGSU_DEMO_ACCOUNT: `demo:${PASSWORD}`,
    BONGSU_ADMIN_TOKEN: ADMIN_TOKEN,
  });
}

async function tokenOf({ url }: ServerProcess): Promise<string> {
  const headers = { 'x-svc-client-id': 'demo', 'x-svc-client-passwd': PASSWORD };
  const response = await fetch(`${url}/v1/auth/token`, { method: 'POST', headers });
  const { data } = (await response.json()) as { data: { token: string } };
  return data.token;
}

/** As JSON, without what differs between any two answers. */
async function answerOf(url: string, request: RawRequest) {
  const { status, contentType, body } = await rawRequest(url, request);
  return {
    status,
    contentType,
    body: { ...body, msgKey: typeof body.msgKey, data: Object.keys(body.data ?? {}) },
  };
}

function post(
  headers: readonly (readonly [string, string])[],
  body: string | Buffer,
): Omit<RawRequest, 'path'> {
  return { method: 'POST', headers: [...headers, ['Content-Length', String(Buffer.byteLength(body))]], body };
}

const JSON_TYPE = ['Content-Type', 'application/json'] as const;
const CHUNKED = ['Transfer-Encoding', 'chunked'] as const;

/** Each is sent twice: to the path of the contract, and spelled so that the framework answers it. */
function oddSends(token: string): Record<string, Omit<RawRequest, 'path'>> {
  const known = ['Authorization', `Bearer ${token}`] as const;
  const stranger = ['Authorization', 'Bearer nobody'] as const;
  return {
    'a send': post([known, JSON_TYPE], SMS),
    'a scheme in capitals': post([['AUTHORIZATION', `BEARER ${token}`], JSON_TYPE], SMS),
    'a stranger': post([stranger, JSON_TYPE], SMS),
    'nobody at all': post([JSON_TYPE], SMS),
    'a stranger who sends nonsense': post([stranger], 'nonsense'),
    'no type': post([known], SMS),
    'another type': post([known, ['Content-Type', 'text/plain']], SMS),
    'a type with a charset': post([known, ['Content-Type', 'application/json; charset=utf-8']], SMS),
    'broken JSON': post([known, JSON_TYPE], SMS.slice(1)),
    'bytes that are no text': post([known, JSON_TYPE], Buffer.from([0x7b, 0xff, 0x7d])),
    'no body': post([known, JSON_TYPE], ''),
    'a wrong field': post([known, JSON_TYPE], SMS.replace('010', '999')),
    'too many levels': post([known, JSON_TYPE], '['.repeat(500)),
    'a bad key': post([known, JSON_TYPE, ['Idempotency-Key', 'ä']], SMS),
    'in Korean': post([known, JSON_TYPE, ['Accept-Language', 'ko']], SMS.replace('010', '999')),
    'in chunks': {
      method: 'POST',
      headers: [known, JSON_TYPE, CHUNKED],
      body: `5\r\n${SMS.slice(0, 5)}\r\n0\r\n\r\n`,
    },
    'too long': post([known, JSON_TYPE], OVER_LIMIT),
    'waiting to be asked': {
      ...post([known, JSON_TYPE, ['Expect', '100-continue']], SMS),
      awaitsContinue: true,
    },
    'another method': { method: 'PUT', headers: [known] },
  };
}

/** Likewise, of requests for a token. */
function oddTokenRequests(): Record<string, Omit<RawRequest, 'path'>> {
  const id = ['X-SVC-Client-Id', 'demo'] as const;
  const password = ['X-SVC-Client-Passwd', PASSWORD] as const;
  const ask = (...headers: (readonly [string, string])[]) => ({ method: 'POST', headers });
  return {
    'no body': ask(id, password),
    'an empty body': post([id, password], ''),
    'a body that is ignored': post([id, password], 'null'),
    'names in small letters': ask(['x-svc-client-id', 'demo'], ['x-svc-client-passwd', PASSWORD]),
    'a wrong password': ask(id, ['X-SVC-Client-Passwd', 'another']),
    'letters that are not plain': ask(id, ['X-SVC-Client-Passwd', 'pässword']),
    'no password': ask(id),
    'two names': ask(id, id, password),
    'a long password': ask(id, ['X-SVC-Client-Passwd', 'a'.repeat(257)]),
    'another prefix': ask(['X-OTHER-Client-Id', 'demo'], ['X-OTHER-Client-Passwd', PASSWORD]),
    'in Korean': ask(['Accept-Language', 'ko']),
    'in chunks': { ...ask(id, password, CHUNKED), body: '4\r\nnull\r\n0\r\n\r\n' },
    'too long': post([id, password], OVER_LIMIT),
    'for one answer': ask(id, password, ['Connection', 'close']),
    'another method': { method: 'PUT', headers: [id, password] },
  };
}

test('threads that speak HTTP', async t => {
  const servers = { one: await start(t, 0), threads: await start(t, 2) };

  for (const [name, server] of Object.entries(servers)) {
    await t.test(`a send is answered the same with and without the framework (${name})`, async () => {
      const sends = oddSends(await tokenOf(server));
      for (const [what, request] of Object.entries(sends)) {
        const [lean, framework] = await Promise.all(
          ['/v1/send/sms', '//v1/send/sms'].map(path => answerOf(server.url, { ...request, path })),
        );
        assert.deepEqual(lean && withoutPath(lean), framework && withoutPath(framework), what);
      }
    });

    await t.test(
      `a request for a token is answered the same with and without the framework (${name})`,
      async () => {
        for (const [what, request] of Object.entries(oddTokenRequests())) {
          const [lean, framework] = await Promise.all(
            ['/v1/auth/token', '//v1/auth/token'].map(path => answerOf(server.url, { ...request, path })),
          );
          assert.deepEqual(lean && withoutPath(lean), framework && withoutPath(framework), what);
        }
      },
    );

    await t.test(
      `a body over the limit is read, refused, and followed by the next request (${name})`,
      async () => {
        const known = ['Authorization', `Bearer ${await tokenOf(server)}`] as const;
        for (const path of ['/v1/send/sms', '//v1/send/sms', '/v1/report/polling']) {
          const answers = await sendBeforeReading(server.url, { ...post([known, JSON_TYPE], LONG), path });
          assert.deepEqual(answers, [400, 200], path);
        }
        const chunks = `${LONG.length.toString(16)}\r\n${LONG}\r\n0\r\n\r\n`;
        const chunked = { method: 'POST', headers: [known, JSON_TYPE, CHUNKED], body: chunks };
        const path = '/v1/send/sms';
        assert.deepEqual(await sendBeforeReading(server.url, { ...chunked, path }), [400, 200]);
        const last = await rawRequest(server.url, { ...post([known, JSON_TYPE], LONG), path });
        assert.equal(
          last.status,
          400,
          'a client that asks for the end of the connection has its answer, too',
        );
      },
    );

    await t.test(`an upload over the limit is refused, whatever its length (${name})`, async () => {
      const headers = bearer(await tokenOf(server));
      const codes = new Set<string>();
      for (const megabytes of [1, 6, 6, 6, 6, 20]) {
        const body = new FormData();
        body.append('file', new Blob([Buffer.alloc(megabytes * 1024 * 1024)]), 'image.jpg');
        const response = await fetch(`${server.url}/v1/file/mms`, { method: 'POST', headers, body });
        codes.add(((await response.json()) as { code: string }).code);
      }
      assert.deepEqual([...codes], ['A200']);
    });
  }

  const { url } = servers.threads;
  const token = await tokenOf(servers.threads);
  const send = async (headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/v1/send/sms`, {
      method: 'POST',
      headers: { ...bearer(token), 'content-type': 'application/json', ...headers },
      body: SMS,
    });
    return ((await response.json()) as { code: string }).code;
  };
  const operate = async (method: string, path: string, body?: object) => {
    const headers = { ...bearer(ADMIN_TOKEN), ...(body && { 'content-type': 'application/json' }) };
    const response = await fetch(`${url}/admin/v1${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return ((await response.json()) as { code: string }).code;
  };

  await t.test('an account that is blocked sends nothing from that moment on', async () => {
    assert.equal(await send(), 'A000');
    assert.equal(await operate('PATCH', '/accounts/demo', { blocked: true }), 'A000');
    assert.equal(await send(), 'A110');
    assert.equal(await operate('PATCH', '/accounts/demo', { blocked: false }), 'A000');
    assert.equal(await send(), 'A002', 'blocking ends tokens');
  });

  await t.test('a caller cannot choose their address', async () => {
    const own = await tokenOf(servers.threads);
    const headers = { ...bearer(own), 'x-forwarded-for': '203.0.113.9' };
    const settings = { addresses: ['203.0.113.9'] };
    assert.equal(await operate('PATCH', '/accounts/demo', { settings }), 'A000');
    assert.equal(await send(headers), 'A111');
    const poll = await fetch(`${url}/v1/report/polling`, { headers });
    assert.equal(((await poll.json()) as { code: string }).code, 'A111');
    assert.equal(await operate('PATCH', '/accounts/demo', { settings: { addresses: [] } }), 'A000');
    assert.equal(await send(headers), 'A000');
  });

  await t.test('answers and refusals of HTTP threads are counted', async () => {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    assert.match(metrics, /bongsu_http_request_seconds_count\{route="\/v1\/send\/sms",status="200"\} \d/);
    assert.match(metrics, /bongsu_requests_refused_total\{route="\/v1\/send\/sms",code="A111"\} 1\n/);
    assert.match(metrics, /bongsu_http_request_seconds_count\{route="\/v1\/auth\/token",status="200"\} \d/);
    assert.match(metrics, /bongsu_requests_refused_total\{route="\/v1\/auth\/token",code="A100"\} \d/);
  });

  await t.test('the delay and the load of each thread are measured', async () => {
    const threads = await until('all have said it', async () => {
      const metrics = await (await fetch(`${url}/metrics`)).text();
      const named = metrics.matchAll(/^bongsu_event_loop_lag_seconds_count\{thread="([^"]+)"\} [1-9]/gm);
      const found = [...named].map(([, thread]) => thread).sort();
      return (
        found.length === 3 &&
        metrics.includes('bongsu_event_loop_busy_seconds_total{thread="http-2"}') &&
        found
      );
    });
    assert.deepEqual(threads, ['engine', 'http-1', 'http-2']);
  });

  await t.test('busy HTTP threads accept many clients', { skip: whyFewMayWait() }, async () => {
    for (const { url, process } of Object.values(servers)) {
      process.kill('SIGSTOP');
      // The system takes them in, if it may; of the others it would drop the first packet, and they would try again in a second.
      const clients = Array.from({ length: MANY }, () => connect(Number(new URL(url).port), '127.0.0.1'));
      await Promise.all(clients.map(client => once(client, 'connect')));
      process.kill('SIGCONT');
      for (const client of clients) client.destroy();
    }
  });

  await t.test('HTTP threads end while a live stream is open', async () => {
    const live = await fetch(`${url}/admin/v1/events`, { headers: bearer(ADMIN_TOKEN) });
    assert.equal(live.status, 200);
    const own = () => readdirSync(servers.threads.dataDir).filter(name => name === 'engine-socket');
    assert.equal(own().length, 1);
    assert.deepEqual(await servers.threads.stop(), { code: 0, signal: null });
    assert.deepEqual(own(), []);
    assert.match(await live.text(), /^retry: 2000/);
  });
});

/** Reads nothing before it has sent all, and then asks again; the statuses of both answers. */
async function sendBeforeReading(base: string, request: RawRequest): Promise<number[]> {
  const { hostname, port, host } = new URL(base);
  const socket = connect(Number(port), hostname).pause();
  const lines = [['Host', host], ...request.headers].map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${request.method} ${request.path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  await new Promise(resolve => socket.write(request.body ?? '', resolve));
  socket.write(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  let read = '';
  socket.on('data', chunk => {
    read += chunk;
  });
  socket.resume();
  const statuses = () => [...read.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  await until('both are answered', () => statuses().length === 2 || socket.destroyed);
  socket.destroy();
  return statuses();
}

/** On Linux it is a setting; others have their own. */
function whyFewMayWait(): string | false {
  const mayWait =
    process.platform === 'linux' ? Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')) : 0;
  return skipReason(mayWait < 2 * MANY ? 'the system lets fewer clients wait' : undefined);
}

/** A refusal of an unknown path repeats it. */
function withoutPath(answer: object): string {
  return JSON.stringify(answer).replaceAll('//v1/', '/v1/');
}
