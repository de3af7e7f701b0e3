import assert from 'node:assert/strict';
import { connect } from 'node:net';
import test from 'node:test';
import { API_OPERATIONS } from '../../src/http/openapi/document.ts';
import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import { type TestGateway, testAccount, testGateway } from '../harness/gateway.ts';

/** Sends raw bytes to a listening gateway and returns everything it answers until it closes. */
async function raw(gateway: TestGateway, bytes: string): Promise<string> {
  const url = await gateway.gateway.listen({ host: '127.0.0.1', port: 0 });
  const port = Number(new URL(url).port);
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let answer = '';
    socket.on('data', chunk => {
      answer += chunk.toString();
      if (answer.includes('}')) socket.end();
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

const UNKNOWN: ['GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH', string][] = [
  ['GET', '/'],
  ['GET', '/v1'],
  ['GET', '/v1/send/sms'],
  ['PUT', '/v1/send/sms'],
  ['PATCH', '/v1/report/polling'],
  ['POST', '/v1/report/polling'],
  ['GET', '/v1/auth/token'],
  ['POST', '/v1/send/pigeon'],
  ['GET', '/V1/report/polling'],
  ['GET', '/v1/report/inquiry/'],
  ['GET', '/%ZZ'],
  ['GET', `/${'x'.repeat(3000)}`],
];

test('unknown paths and methods are 404 with A300, as JSON', async t => {
  const { client } = await testAccount(t);
  for (const [method, url] of UNKNOWN) {
    const answer = await client.call(method, url);
    assert.ok([404, 400].includes(answer.status), `${method} ${url}: ${answer.status}`);
    assert.equal(answer.body.code, 'A300');
    assert.equal(answer.headers['content-type'], 'application/json');
    assert.deepEqual(Object.keys(answer.body), ['code', 'result']);
  }
});

test('no answer may be kept by a cache or taken for a page by a browser', async t => {
  const { gateway, client } = await testAccount(t);
  const answers = [
    await client.poll(),
    await client.sms(),
    await client.sms({ to: '' }),
    await gateway.request('GET', '/v1/report/polling'),
    await gateway.request('GET', '/nowhere'),
    await gateway.request('GET', '/%ZZ'),
    await gateway.request('GET', '/admin/v1/queue'),
    await gateway.request('GET', '/healthz'),
  ];
  for (const { headers, text } of answers) {
    const both = [headers['cache-control'], headers['x-content-type-options']];
    assert.deepEqual(both, ['no-store', 'nosniff'], text);
  }
});

test('duplicate and trailing slashes are tolerated', async t => {
  const { client } = await testAccount(t);
  for (const url of ['//v1/report/polling', '/v1/report/polling/', '/v1//report//polling//']) {
    assert.equal((await client.call('GET', url)).body.code, 'A000', url);
  }
});

test('GET and DELETE may carry a content type and an empty body', async t => {
  const { client } = await testAccount(t);
  const headers = { 'content-type': 'application/json', 'content-length': '0' };
  assert.equal((await client.call('GET', '/v1/report/polling', undefined, headers)).body.code, 'A000');
  assert.equal((await client.call('DELETE', '/v1/report/polling/x', '', headers)).body.code, 'A805');
});

test('any Accept header will do', async t => {
  const { client } = await testAccount(t);
  for (const accept of [
    'application/json',
    '*/*',
    'text/html',
    'multipart/form-data, application/json',
    'x',
  ]) {
    assert.equal((await client.call('GET', '/v1/report/polling', undefined, { accept })).status, 200);
  }
});

const BROKEN: [string, string][] = [
  ['no HTTP at all', 'hello\r\n\r\n'],
  ['a bad header', 'GET / HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n'],
  ['an invalid content length', 'POST /v1/send/sms HTTP/1.1\r\nhost: x\r\ncontent-length: abc\r\n\r\n'],
  ['a header of 64 KB', `GET / HTTP/1.1\r\nhost: x\r\nlong: ${'x'.repeat(65_536)}\r\n\r\n`],
  ['an expectation it does not know', 'POST /v1/send/sms HTTP/1.1\r\nhost: x\r\nexpect: cake\r\n\r\n'],
  ['a method it does not know', 'PROPFIND / HTTP/1.1\r\nhost: x\r\n\r\n'],
];
for (const [what, bytes] of BROKEN) {
  test(`a request with ${what} is answered with JSON, and the server lives on`, async t => {
    const gateway = await testGateway(t);
    const answer = await raw(gateway, bytes);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    assert.match(head, /^HTTP\/1\.1 40[034] /);
    assert.match(head.toLowerCase(), /content-type: application\/json/);
    assert.match(head.toLowerCase(), /cache-control: no-store\r\nx-content-type-options: nosniff/);
    assert.equal(JSON.parse(body).code, 'A300');
    assert.equal((await gateway.request('GET', '/healthz')).status, 200);
    const metrics = await gateway.gateway.http.inject({ url: '/metrics' });
    assert.match(metrics.body, /bongsu_requests_refused_total\{route="none",code="A300"\} 1\n/);
  });
}

test('a request that names no host is served', async t => {
  const answer = await raw(await testGateway(t), 'GET /v1/report/polling HTTP/1.1\r\n\r\n');
  assert.match(answer, /"code":"A002"/);
});

test('a client that waits for 100-continue gets it', async t => {
  const { gateway, client } = await testAccount(t);
  const body = JSON.stringify({ from: '0212345678', to: '01012345678', text: 'hi' });
  const head = `POST /v1/send/sms HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${client.token}\r\ncontent-type: application/json`;
  const answer = await raw(
    gateway,
    `${head}\r\nexpect: 100-continue\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  assert.match(answer, /^HTTP\/1\.1 100 Continue/);
  assert.match(answer, /"code":"A000"/);
});

test('our own fault is A999 with a request id in a header, and tells nothing else', async t => {
  const { gateway, client } = await testAccount(t);
  await client.poll();
  const broken = t.mock.method(gateway.gateway.store.reports, 'poll', async () => {
    throw new Error('disk on fire at /var/secret');
  });
  const answer = await client.poll();
  assert.equal(answer.status, 500);
  assert.deepEqual(answer.body, { code: 'A999', result: 'Unknown error' });
  assert.ok(answer.headers['x-request-id']);
  broken.mock.restore();
  assert.equal((await client.poll()).status, 200);
});

test('a NUL in any parameter of a path or query is refused on either engine', async t => {
  const { gateway, client } = await testAccount(t);
  let count = 0;
  for (const { method, path, parameters = [], request, access, operationId } of API_OPERATIONS) {
    if (access === 'everyone' || operationId === 'watchEvents') continue;
    const headers = access === 'operator' ? bearer(ADMIN_TOKEN) : bearer(client.token);
    const isUpload = request?.type === 'multipart/form-data';
    const [body] = Object.values(isUpload ? {} : (request?.examples ?? {}));
    for (const odd of parameters.filter(parameter => parameter.in !== 'header')) {
      const examples = new Map(parameters.map(({ name, example }) => [name, encodeURIComponent(example)]));
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        name === odd.name ? 'a%00' : (examples.get(name) ?? ''),
      );
      const url = odd.in === 'query' ? `${filled}?${odd.name}=a%00` : filled;
      const verb = method.toUpperCase() as 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
      const answer = await gateway.request(verb, url, {
        headers,
        ...(body !== undefined && { body: body as object }),
      });
      assert.ok(answer.status < 500, `${verb} ${url}: ${answer.text}`);
      if (access === 'operator' && !isUpload)
        assert.equal(answer.body.code, 'A300', `${verb} ${url}: ${answer.text}`);
      count += 1;
    }
  }
  assert.ok(count > 30, `${count} parameters`);
});

test('a path with segments of dots reaches no route, however they are written', async t => {
  const gateway = await testGateway(t);
  for (const path of ['/admin/v1/accounts/..%2f..%2fv1', '/v1/report/inquiry/..%5cx']) {
    const answer = await gateway.request('GET', path, { headers: bearer(ADMIN_TOKEN) });
    assert.equal(answer.status, 400, path);
    assert.match(answer.body.result, /^A path must not have segments of dots/);
  }
});
