/** A whole gateway with an HTTP carrier: from the request of a client to the report, by way of callbacks. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { ConfigProblems } from '../../src/config/config.ts';
import { json, type ProviderHandler, startProvider } from '../carriers/http/provider-server.ts';
import { testAccount, testGateway } from '../harness/gateway.ts';
import { image } from '../harness/images.ts';
import { configFile } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

function acmeConfig(url: string, more = ''): string {
  return configFile(
    `
carriers:
  acme:
    kind: http
    allowPrivate: true
    auth:
      basic: { user: bongsu, password: "\${ACME_PASSWORD}" }
    submit:
      url: ${url}/messages
      json:
        to: "{{to.international}}"
        text: "{{text}}"
        files: "{{media?}}"
        callback: "{{callbackUrl}}"
    channels:
      sms: {}
      mms: {}
    outcomes:
      - { status: 2xx, pointer: /id, result: accepted, id: /id }
      - { status: 4xx, result: permanent, reportCode: 23014, code: /code }
    reportCodes: { blocked: 23012 }
    receipt:
      id: /id
      status: /state
      code: /code
      statuses: { done: delivered, undone: failed }
      reportCode: 23014
    callback:
      urlSecret: "\${ACME_PASSWORD}"
      token: { header: x-token, value: token-of-the-provider }
    media:
      url: ${url}/files
      multipart: { image: "{{file}}" }
      id: /id
${more}
routes:
  - { channel: sms, via: [acme] }
  - { channel: mms, via: [acme] }
`,
  );
}

async function withProvider(t: TestContext, handle: ProviderHandler, more = '') {
  const provider = await startProvider(t, handle);
  const { gateway, client } = await testAccount(t, {
    env: {
      BONGSU_CONFIG: acmeConfig(provider.url, more),
      BONGSU_PUBLIC_URL: 'https://gateway.example/',
      ACME_PASSWORD: 'sixteen characters or more',
    },
  });
  const tell = (body: object, path = '/carriers/acme/receipts') =>
    gateway.gateway.http.inject({
      method: 'POST',
      url: path,
      headers: { 'x-token': 'token-of-the-provider', 'content-type': 'application/json' },
      payload: JSON.stringify(body),
    });
  return { provider, gateway, client, tell };
}

test('a message is sent, its receipt comes twice, and there is one report', async t => {
  const { provider, client, tell } = await withProvider(t, (_, response) =>
    json(response, 200, { id: 'p-1' }),
  );
  const { msgKey } = (await client.sms({ text: 'hello there' })).body;
  await until('it is sent', () => provider.requests.length === 1);
  const { callback, ...sent } = JSON.parse(provider.requests[0]?.body ?? '');
  assert.deepEqual(sent, { to: '821012345678', text: 'hello there' });
  assert.match(callback, /^https:\/\/gateway\.example\/carriers\/acme\/receipts\//);
  for (let copy = 0; copy < 2; copy++) {
    assert.equal((await tell({ id: 'p-1', state: 'done' })).statusCode, 200);
  }
  const reports = await client.reportsOf(msgKey);
  assert.deepEqual(
    reports.map(({ reportCode }) => reportCode),
    ['10000'],
  );
});

test('a callback that is faster than the answer is not lost', async t => {
  const { client, tell } = await withProvider(t, async (_, response) => {
    const { statusCode } = await tell({ id: 'p-2', state: 'undone', code: 'blocked' });
    json(response, 200, { id: 'p-2', was: statusCode });
  });
  const { msgKey } = (await client.sms()).body;
  const [report] = await client.reportsOf(msgKey);
  assert.equal(report?.reportCode, '23012');
});

const REPEATABLE = `
    idempotencyHeader: Idempotency-Key
    repeatable: true
    repeatableFor: 1m
`;

test('a submit without an answer is repeated with its id where the provider takes an id once', async t => {
  let answers = 0;
  const { provider, gateway, client, tell } = await withProvider(
    t,
    (_, response) => (++answers <= 2 ? void response.socket?.destroy() : json(response, 200, { id: 'p-1' })),
    REPEATABLE,
  );
  const { msgKey } = (await client.sms()).body;
  await until('it is submitted again, and again', () => {
    if (provider.requests.length < 3) gateway.clock.advance(500);
    return provider.requests.length === 3;
  });
  const keys = provider.requests.map(({ headers }) => headers['idempotency-key']);
  assert.deepEqual(new Set(keys).size, 1);
  assert.equal((await tell({ id: 'p-1', state: 'done' })).statusCode, 200);
  assert.deepEqual(
    (await client.reportsOf(msgKey)).map(({ reportCode }) => reportCode),
    ['10000'],
  );
});

test('a submit that is never answered is repeated less and less often, and not beyond the promise', async t => {
  const { provider, gateway, client } = await withProvider(
    t,
    (_, response) => void response.socket?.destroy(),
    REPEATABLE,
  );
  const { msgKey } = (await client.sms()).body;
  const stateOf = async () => {
    const { body } = await gateway.operator('GET', `/messages/${msgKey}`);
    return body.data.state;
  };
  await until('it is given up', async () => {
    gateway.clock.advance(500);
    return (await stateOf()) === 'unknown';
  });
  const tries = provider.requests.length;
  assert.ok(tries >= 4 && tries <= 7, String(tries));
  gateway.clock.advance(3_600_000);
  await until('time has passed', async () => (await stateOf()) === 'unknown');
  assert.equal(provider.requests.length, tries);
});

test('a refusal of the provider is the report', async t => {
  const { client } = await withProvider(t, (_, response) => json(response, 422, { code: 'odd' }));
  const [report] = await client.reportsOf((await client.sms()).body.msgKey);
  assert.equal(report?.reportCode, '23014');
});

test('an uploaded image goes to the provider before the message that shows it', async t => {
  const { provider, client } = await withProvider(t, (request, response) =>
    json(response, 200, { id: request.path === '/files' ? 'file-9' : 'p-3' }),
  );
  const picture = image('jpg', 100, 100);
  const { fileKey } = await client.upload('MMS', picture);
  const body = { from: '0212345678', to: '01012345678', text: 'look', fileKey: [fileKey] };
  assert.equal((await client.call('POST', '/v1/send/mms', body)).body.code, 'A000');
  await until('both are there', () => provider.at('/messages').length === 1);
  assert.ok(provider.at('/files')[0]?.bytes.includes(picture));
  assert.deepEqual(JSON.parse(provider.at('/messages')[0]?.body ?? '').files, ['file-9']);
});

test("another account's image is uploaded to no provider, even if its key is known", async t => {
  const { provider, gateway, client } = await withProvider(t, (request, response) =>
    json(response, 200, { id: request.path === '/files' ? 'file-9' : 'p-3' }),
  );
  const { fileKey } = await client.upload('MMS', image('jpg', 100, 100));
  const body = { from: '0212345678', to: '01012345678', text: 'look', fileKey: [fileKey] };
  const thief = await gateway.account('thief');
  const steal = async () => {
    const { msgKey } = (await thief.call('POST', '/v1/send/mms', body)).body;
    const [report] = await thief.reportsOf(msgKey);
    return report?.reportCode;
  };
  assert.equal(await steal(), '23034');
  assert.equal(provider.requests.length, 0);
  await client.call('POST', '/v1/send/mms', body);
  await until('its owner may send it', () => provider.at('/messages').length === 1);
  assert.equal(await steal(), '23034', 'also when the provider has it already');
  assert.deepEqual([provider.at('/files').length, provider.at('/messages').length], [1, 1]);
});

test('callbacks are for carriers that are there, and for those who may call', async t => {
  const { gateway, tell } = await withProvider(t, () => {});
  const nobody = await gateway.request('GET', '/carriers/nobody/receipts');
  assert.deepEqual([nobody.status, nobody.body.code], [404, 'A300']);
  const simulator = await gateway.request('GET', '/carriers/simulator/receipts');
  assert.equal(simulator.status, 404);
  const stranger = await gateway.gateway.http.inject({ method: 'POST', url: '/carriers/acme/receipts' });
  assert.equal(stranger.statusCode, 401);
  const forged = await tell({ state: 'done' }, '/carriers/acme/receipts/some-attempt-0-1/forged');
  assert.equal(forged.statusCode, 401);
  const huge = await tell({ id: 'x'.repeat(1024 * 1024) });
  assert.equal(huge.statusCode, 400);
});

test('guesses at a callback are limited by address, and a provider that has called before is not', async t => {
  const { gateway } = await withProvider(t, () => {});
  const call = async (remoteAddress: string, token: string) => {
    const { statusCode } = await gateway.gateway.http.inject({
      method: 'POST',
      url: '/carriers/acme/receipts',
      headers: { 'x-token': token, 'content-type': 'application/json' },
      payload: '{"id":"a","state":"done"}',
      remoteAddress,
    });
    return statusCode;
  };
  const right = 'token-of-the-provider';
  assert.equal(await call('192.0.2.1', right), 200);
  for (const address of ['192.0.2.1', '192.0.2.66']) {
    const guesses = await Promise.all(
      Array.from({ length: 100 }, (_, guess) => call(address, `guess ${guess}`)),
    );
    const evaluated = guesses.filter(status => status === 401).length;
    assert.equal(evaluated, address === '192.0.2.1' ? 100 : 30, address);
  }
  assert.equal(await call('192.0.2.66', right), 429, 'the right one is a guess like the others');
  assert.equal(await call('192.0.2.1', right), 200, 'the provider is not shut out');
  assert.equal(await call('192.0.2.67', right), 200);
  gateway.clock.advance(10_000);
  assert.equal(await call('192.0.2.66', right), 200);
});

test('what is wrong with a carrier is told with its key, and nothing is opened', async t => {
  const path = acmeConfig('https://a.example', '    test: { url: "https://a.example/{{nothing}}" }');
  await assert.rejects(
    testGateway(t, { BONGSU_CONFIG: path, ACME_PASSWORD: 'sixteen characters or more' }),
    (error: unknown) => {
      assert.ok(error instanceof ConfigProblems);
      assert.equal(error.problems.length, 2);
      assert.match(error.problems.join('\n'), /carriers\.acme\.callback\.publicUrl: missing/);
      assert.match(error.problems.join('\n'), /carriers\.acme\.test\.url: there is no \{\{nothing\}\} here/);
      return true;
    },
  );
});
