/** Everything a provider can do wrong, and what becomes of the message: never a guess. */
import assert from 'node:assert/strict';
import { type AddressInfo, createServer } from 'node:net';
import test, { type TestContext } from 'node:test';
import { until } from '../../harness/until.ts';
import { basicKeys, callback, type Keys, makeCarrier, submission, submitOne } from './carrier-under-test.ts';
import { json, type ProviderHandler, startProvider } from './provider-server.ts';

async function against(t: TestContext, handle: ProviderHandler, keys: Keys = {}) {
  const provider = await startProvider(t, handle);
  return { provider, ...(await makeCarrier(t, { ...basicKeys(provider.url), ...keys })) };
}

const TROUBLE = { kind: 'temporary', reportCode: '22000', isCarriersFault: true };

const ANSWERS: [string, ProviderHandler, object][] = [
  ['a good answer is accepted', (_, r) => json(r, 200, { id: 42 }), { kind: 'accepted', refs: ['42'] }],
  [
    'a refusal with a code of the table has our code',
    (_, r) => json(r, 400, { code: 'NO_SUCH_NUMBER' }),
    { kind: 'permanent', reportCode: '23001' },
  ],
  [
    'a refusal with another code has the code of the rule',
    (_, r) => json(r, 400, { code: 'WHATEVER' }),
    { kind: 'permanent', reportCode: '23000' },
  ],
  [
    'an earlier rule goes before a later one',
    (_, r) => json(r, 400, { code: 'BUSY' }),
    { kind: 'temporary', reportCode: '22001' },
  ],
  ['a status without a rule is unknown', (_, r) => json(r, 418, {}), { kind: 'unknown' }],
  ['an error of the server is unknown', (_, r) => json(r, 500, { id: 1 }), { kind: 'unknown' }],
  ['a success without the id is unknown', (_, r) => json(r, 200, { ok: true }), { kind: 'unknown' }],
  ['a success that is no JSON is unknown', (_, r) => void r.end('{"id": 4'), { kind: 'unknown' }],
  ['an empty success is unknown', (_, r) => void r.end(), { kind: 'unknown' }],
  [
    'an answer cut off in its headers is unknown',
    (_, r) => void r.socket?.end('HTTP/1.1 200 OK\r\ncontent-le'),
    { kind: 'unknown' },
  ],
  [
    'an answer cut off in its body is unknown',
    (_, r) => void r.socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"id":"42"}'),
    { kind: 'unknown' },
  ],
  ['a connection closed without an answer is unknown', (_, r) => void r.socket?.end(), { kind: 'unknown' }],
  [
    'an answer that is no HTTP is unknown',
    (_, r) => void r.socket?.end('SMTP ready\r\n\r\n'),
    { kind: 'unknown' },
  ],
  [
    'an answer that is too long is unknown',
    (_, r) => json(r, 200, { id: 'x', more: 'y'.repeat(300_000) }),
    { kind: 'unknown' },
  ],
  [
    'too many requests are the trouble of the carrier',
    (_, r) => json(r, 429, {}, { 'retry-after': '7' }),
    { ...TROUBLE, retryAfterMs: 7000 },
  ],
  [
    'too many requests without a time lower the pace',
    (_, r) => json(r, 429, {}),
    { ...TROUBLE, isThrottled: true },
  ],
  ['a refused login is the trouble of the carrier', (_, r) => json(r, 401, {}), TROUBLE],
];

for (const [name, handle, expected] of ANSWERS) {
  test(name, async t => {
    const { carrier } = await against(t, handle);
    assert.deepEqual(await submitOne(carrier), expected);
  });
}

test('a redirect is not followed, and unknown', async t => {
  const { carrier, provider } = await against(t, (_, response) => {
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  assert.deepEqual(await submitOne(carrier), { kind: 'unknown' });
  assert.equal(provider.requests.length, 1);
});

for (const [name, handle] of [
  ['no answer in time', () => {}],
  ['headers that never end', (_, r) => void r.socket?.write('HTTP/1.1 200 OK\r\nx-slow: ')],
  ['a body that never ends', (_, r) => void r.writeHead(200).write('{')],
] satisfies [string, ProviderHandler][]) {
  test(`${name}: unknown after the timeout`, async t => {
    const { carrier, provider, clock } = await against(t, handle, { timeout: '5s' });
    const answering = submitOne(carrier);
    await until('the request arrived', () => provider.requests.length > 0);
    clock.advance(5000);
    assert.deepEqual(await answering, { kind: 'unknown' });
  });
}

test('a provider that cannot be reached surely took nothing', async t => {
  const closed = createServer().listen(0, '127.0.0.1');
  await new Promise(resolve => closed.once('listening', resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise(resolve => closed.close(resolve));
  const { carrier } = await makeCarrier(t, basicKeys(`http://127.0.0.1:${port}`));
  assert.deepEqual(await submitOne(carrier), TROUBLE);
});

test('a private address is not called unless it is allowed', async t => {
  const { carrier, provider } = await against(t, (_, r) => json(r, 200, { id: 1 }), { allowPrivate: false });
  assert.deepEqual(await submitOne(carrier), TROUBLE);
  assert.equal(provider.requests.length, 0);
});

test('after failures in a row it is down for a pause, then tries one message, then is up', async t => {
  let status = 500;
  const { carrier, provider, host, clock } = await against(t, (_, r) => json(r, status, { id: 1 }), {
    breaker: { failures: 3, pause: '10s' },
  });
  for (let call = 0; call < 3; call++) assert.equal((await submitOne(carrier)).kind, 'unknown');
  assert.equal(carrier.status().state, 'down');
  assert.match(carrier.status().detail, /answered 500/);
  assert.deepEqual(await submitOne(carrier), { ...TROUBLE, retryAfterMs: 10_000 });
  assert.equal(provider.requests.length, 3, 'nothing is sent while it is down');

  clock.advance(10_000);
  assert.equal(carrier.status().state, 'up');
  const [probe, second] = await Promise.all(carrier.submit([submission(), submission()]));
  assert.equal(probe?.kind, 'unknown');
  assert.deepEqual(second, { ...TROUBLE, retryAfterMs: 20_000 }, 'the pause grows');
  assert.equal(provider.requests.length, 4, 'one message was tried');

  clock.advance(20_000);
  status = 200;
  const answers = await Promise.all(carrier.submit([submission(), submission(), submission()]));
  assert.ok(answers.every(({ kind }) => kind === 'accepted'));
  assert.deepEqual(host.notices, ['down', 'up', 'down', 'up']);
  assert.ok(host.statusChanges >= 4);
});

test('a refusal of a message says nothing against the provider', async t => {
  const { carrier } = await against(t, (_, r) => json(r, 400, {}), { breaker: { failures: 1 } });
  for (let call = 0; call < 3; call++) assert.equal((await submitOne(carrier)).kind, 'permanent');
  assert.equal(carrier.status().state, 'up');
});

test('a provider that asks for a pause gets it', async t => {
  const { carrier, provider, clock, host } = await against(t, (_, r) =>
    json(r, 503, {}, { 'retry-after': '30' }),
  );
  assert.deepEqual(await submitOne(carrier), { kind: 'unknown' });
  assert.equal(carrier.status().state, 'slowed');
  assert.deepEqual(await submitOne(carrier), { ...TROUBLE, retryAfterMs: 30_000 });
  assert.equal(provider.requests.length, 1);
  const before = host.statusChanges;
  clock.advance(30_000);
  assert.equal(carrier.status().state, 'up');
  assert.ok(host.statusChanges > before, 'the lane is told that it may send again');
});

test('a provider that throttles stays up, however often it says so', async t => {
  const { carrier, provider } = await against(t, (_, r) => json(r, 429, {}), { breaker: { failures: 2 } });
  for (let call = 0; call < 5; call++) await submitOne(carrier);
  assert.equal(carrier.status().state, 'up');
  assert.equal(provider.requests.length, 5);
});

test('close waits for the answers under way', async t => {
  const { carrier, provider } = await against(t, () => {});
  let isAnswered = false;
  const answering = submitOne(carrier).then(answer => {
    isAnswered = true;
    return answer;
  });
  provider.handle = (_, response) => json(response, 200, { id: 7 });
  await carrier.close();
  assert.ok(isAnswered);
  assert.deepEqual(await answering, { kind: 'accepted', refs: ['7'] });
  assert.deepEqual(await submitOne(carrier), TROUBLE, 'and takes nothing more');
});

test('a sign of life is any answer, or a good one to the request for it', async t => {
  const { carrier, provider } = await against(t, (_, r) => json(r, 404, {}));
  const plain = await carrier.test();
  assert.ok(plain.isOk && plain.detail.includes('404'), plain.detail);
  const asked = await makeCarrier(t, {
    ...basicKeys(provider.url),
    test: { url: `${provider.url}/balance?key=s3cret` },
  });
  const refused = await asked.carrier.test();
  assert.ok(!refused.isOk && !refused.detail.includes('s3cret'), refused.detail);
});

test('what it tells of its troubles holds no secret, no text and no number', async t => {
  const secret = 'a-very-secret-word';
  const { carrier, host, provider } = await against(t, (_, r) => json(r, 500, { text: 'hello' }), {
    auth: { basic: { user: 'me', password: secret }, hmac: { secrets: [secret] } },
    breaker: { failures: 1, pause: '1ms' },
    receipt: { id: '/id', status: '/status', statuses: { OK: 'delivered' } },
    callback: { token: { header: 'x-token', value: secret } },
  });
  const told = () => JSON.stringify([host.details, carrier.status()]);
  await submitOne(carrier);
  for (const json of [{ status: '01012345678' }, { status: 'hello 01012345678' }]) {
    await carrier.handleCallback(callback({ headers: { 'x-token': secret }, json }));
  }
  await carrier.handleCallback(callback({ headers: { 'x-token': 'guess' } }));
  assert.deepEqual(host.notices, ['down', 'receiptStatusUnknown', 'receiptStatusUnknown', 'callbackRefused']);
  const answer = JSON.stringify(await carrier.test());
  for (const hidden of [secret, 'hello', '01012345678', '/messages', 'guess']) {
    assert.ok(!`${told()} ${answer}`.includes(hidden), hidden);
  }
  assert.ok(provider.requests[0]?.body.includes('01012345678'), 'the provider itself was told');
});
