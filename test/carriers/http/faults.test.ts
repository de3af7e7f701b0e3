/** Everything a provider can do wrong, and what becomes of the message: never a guess. */
import assert from 'node:assert/strict';
import { type AddressInfo, createServer } from 'node:net';
import test, { type TestContext } from 'node:test';
import { until } from '../../harness/until.ts';
import { gated } from '../gated.ts';
import { bare, basicKeys, callback, type Keys, makeCarrier, submitOne } from './carrier-under-test.ts';
import { json, type ProviderHandler, startProvider } from './provider-server.ts';

async function against(t: TestContext, handle: ProviderHandler, keys: Keys = {}) {
  const provider = await startProvider(t, handle);
  return { provider, ...(await makeCarrier(t, { ...basicKeys(provider.url), ...keys })) };
}

const UNANSWERED = { kind: 'unknown', isUnanswered: true };
const unforeseen = (status: number) => ({
  kind: 'unknown',
  fault: `the provider answered with status ${status}${status >= 500 ? '' : ', which matches no rule'}`,
});
const TROUBLE = { kind: 'temporary', reportCode: '22000', isCarriersFault: true };

const ANSWERS: [string, ProviderHandler, object][] = [
  ['a good answer is accepted', (_, r) => json(r, 200, { id: 42 }), { kind: 'accepted', refs: ['42'] }],
  [
    'a refusal with a code of the table has our code',
    (_, r) => json(r, 400, { code: 'NO_SUCH_NUMBER' }),
    { kind: 'permanent', reportCode: '23001', detail: 'status 400: NO_SUCH_NUMBER' },
  ],
  [
    'a refusal with another code has the code of the rule',
    (_, r) => json(r, 400, { code: 'WHATEVER' }),
    { kind: 'permanent', reportCode: '23000', detail: 'status 400: WHATEVER' },
  ],
  [
    'an earlier rule goes before a later one',
    (_, r) => json(r, 400, { code: 'BUSY' }),
    { kind: 'temporary', reportCode: '22001', detail: 'status 400' },
  ],
  ['a status without a rule is unknown', (_, r) => json(r, 422, {}), unforeseen(422)],
  ['an error of the server is unknown', (_, r) => json(r, 500, { id: 1 }), unforeseen(500)],
  ['a success without the id is unknown', (_, r) => json(r, 200, { ok: true }), unforeseen(200)],
  ['a success that is no JSON is unknown', (_, r) => void r.end('{"id": 4'), unforeseen(200)],
  ['an empty success is unknown', (_, r) => void r.end(), unforeseen(200)],
  [
    'an answer cut off in its headers is unknown',
    (_, r) => void r.socket?.end('HTTP/1.1 200 OK\r\ncontent-le'),
    UNANSWERED,
  ],
  [
    'an answer cut off in its body is unknown',
    (_, r) => void r.socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"id":"42"}'),
    UNANSWERED,
  ],
  ['a connection closed without an answer is unknown', (_, r) => void r.socket?.end(), UNANSWERED],
  ['an answer that is no HTTP is unknown', (_, r) => void r.socket?.end('SMTP ready\r\n\r\n'), UNANSWERED],
  [
    'an answer that is too long is unknown',
    (_, r) => json(r, 200, { id: 'x', more: 'y'.repeat(300_000) }),
    UNANSWERED,
  ],
  [
    'too many requests are the trouble of the carrier',
    (_, r) => json(r, 429, {}, { 'retry-after': '7' }),
    { ...TROUBLE, detail: 'status 429', retryAfterMs: 7000 },
  ],
  [
    'too many requests without a time lower the pace',
    (_, r) => json(r, 429, {}),
    { ...TROUBLE, detail: 'status 429', isThrottled: true },
  ],
  [
    'a refused login is the trouble of the carrier',
    (_, r) => json(r, 401, {}),
    { ...TROUBLE, detail: 'status 401' },
  ],
];

for (const [name, handle, expected] of ANSWERS) {
  test(name, async t => {
    const { carrier } = await against(t, handle);
    const { pauseMs: _, ...answer } = await submitOne(carrier);
    assert.deepEqual(expected === UNANSWERED ? bare(answer) : answer, expected);
  });
}

test('a redirect is not followed, and unknown', async t => {
  const { carrier, provider } = await against(t, (_, response) => {
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  assert.deepEqual(await submitOne(carrier), unforeseen(307));
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
    assert.deepEqual(bare(await answering), UNANSWERED);
  });
}

test('a provider that cannot be reached surely took nothing', async t => {
  const closed = createServer().listen(0, '127.0.0.1');
  await new Promise(resolve => closed.once('listening', resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise(resolve => closed.close(resolve));
  const { carrier } = await makeCarrier(t, basicKeys(`http://127.0.0.1:${port}`));
  assert.deepEqual(bare(await submitOne(carrier)), TROUBLE);
});

test('a private address is not called unless it is allowed', async t => {
  const { carrier, provider } = await against(t, (_, r) => json(r, 200, { id: 1 }), { allowPrivate: false });
  assert.deepEqual(bare(await submitOne(carrier)), TROUBLE);
  assert.equal(provider.requests.length, 0);
});

test('after failures in a row it rests for a pause, then tries one message, then is up', async t => {
  let status = 500;
  const scene = await against(t, (_, r) => json(r, status, { id: 1 }), {
    breaker: { failures: 3, pause: '10s' },
  });
  const { carrier, clock } = scene;
  const gate = gated(scene);
  const submit = async () => gate.hear(await submitOne(carrier));
  for (let call = 0; call < 3; call++) await submit();
  assert.deepEqual([gate.room(), gate.status().state], [0, 'down']);
  assert.match(gate.status().detail, /answered with status 500/);
  clock.advance(10_000);
  assert.deepEqual([gate.room(), gate.status().state], [1, 'waiting']);
  await submit();
  clock.advance(19_999);
  assert.equal(gate.room(), 0, 'the pause grows');
  clock.advance(1);
  status = 200;
  await submit();
  assert.deepEqual([gate.status().state, gate.room()], ['up', 2]);
});

for (const status of [500, 502, 503, 504]) {
  test(`five answers ${status} without a rule are five faults, and their messages are unknown`, async t => {
    const scene = await against(t, (_, r) => json(r, status, {}));
    const gate = gated(scene);
    for (let call = 0; call < 5; call++) {
      assert.ok(gate.room() > 0, `after ${call}`);
      const answer = await submitOne(scene.carrier);
      assert.deepEqual(answer, unforeseen(status));
      gate.hear(answer);
    }
    assert.deepEqual([gate.room(), gate.isAvailable()], [0, false]);
  });
}

test('a 5xx that a rule calls temporary or unknown is a fault, one that it calls permanent is not', async t => {
  for (const [result, isFault] of [
    ['temporary', true],
    ['unknown', true],
    ['permanent', false],
  ] as const) {
    const outcomes = [{ status: '5xx', result, reportCode: '23000' }];
    const scene = await against(t, (_, r) => json(r, 500, {}), { outcomes });
    const gate = gated(scene);
    for (let call = 0; call < 5; call++) gate.hear(await submitOne(scene.carrier));
    assert.equal(gate.room() === 0, isFault, result);
  }
});

test('a refusal of a message says nothing against the provider', async t => {
  const scene = await against(t, (_, r) => json(r, 400, {}));
  const gate = gated(scene);
  for (let call = 0; call < 6; call++) {
    const answer = await submitOne(scene.carrier);
    assert.equal(answer.kind, 'permanent');
    gate.hear(answer);
  }
  assert.equal(gate.status().state, 'up');
});

test('a provider that asks for a pause gets it', async t => {
  const scene = await against(t, (_, r) => json(r, 503, {}, { 'retry-after': '30' }));
  const gate = gated(scene);
  const answer = await submitOne(scene.carrier);
  assert.deepEqual(answer, { ...unforeseen(503), pauseMs: 30_000 });
  gate.hear(answer);
  assert.deepEqual([gate.status().state, gate.room(), gate.isAvailable()], ['slowed', 0, true]);
  scene.clock.advance(30_000);
  assert.deepEqual([gate.status().state, gate.room() > 0], ['up', true]);
});

test('a provider that throttles stays up, however often it says so', async t => {
  const scene = await against(t, (_, r) => json(r, 429, {}));
  const gate = gated(scene);
  for (let call = 0; call < 6; call++) gate.hear(await submitOne(scene.carrier));
  assert.equal(gate.status().state, 'up');
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
  assert.deepEqual(bare(await submitOne(carrier)), TROUBLE, 'and takes nothing more');
});

test('a test succeeds with any answer, or with a good answer to the configured request', async t => {
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

test('what a carrier reports about a fault contains no secret, text or number', async t => {
  const secret = 'a-very-secret-word';
  const { carrier, host, provider } = await against(t, (_, r) => json(r, 500, { text: 'hello' }), {
    auth: { basic: { user: 'me', password: secret }, hmac: { secrets: [secret] } },
    receipt: { id: '/id', status: '/status', statuses: { OK: 'delivered' } },
    callback: { token: { header: 'x-token', value: secret } },
  });
  const told = () => JSON.stringify([host.details, carrier.status(), answer]);
  const answer = await submitOne(carrier);
  for (const json of [{ status: '01012345678' }, { status: 'hello 01012345678' }]) {
    await carrier.handleCallback(callback({ headers: { 'x-token': secret }, json }));
  }
  await carrier.handleCallback(callback({ headers: { 'x-token': 'guess' } }));
  assert.deepEqual(host.notices, ['receiptStatusUnknown', 'receiptStatusUnknown', 'callbackRefused']);
  const tested = JSON.stringify(await carrier.test());
  for (const hidden of [secret, 'hello', '01012345678', '/messages', 'guess']) {
    assert.ok(!`${told()} ${tested}`.includes(hidden), hidden);
  }
  assert.ok(provider.requests[0]?.body.includes('01012345678'), 'the provider itself was told');
});
