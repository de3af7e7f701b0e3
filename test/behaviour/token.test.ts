import assert from 'node:assert/strict';
import test from 'node:test';
import type { AccountId } from '../../src/domain/ids.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { sha256 } from '../../src/platform/hashing.ts';
import { bearer } from '../harness/credentials.ts';
import { freshStore } from '../harness/engines.ts';
import { type TestGateway, testAccount, testGateway } from '../harness/gateway.ts';
import { storedBytes } from '../harness/stored-bytes.ts';

const HOUR = 3_600_000;
const PASSWORD = 'correct horse battery staple';

function credentials(id: string, password = PASSWORD): Record<string, string> {
  return { 'X-SVC-Client-Id': id, 'X-SVC-Client-Passwd': password };
}

async function pollWith(gateway: TestGateway, token = ''): Promise<string> {
  const headers = bearer(token);
  return (await gateway.request('GET', '/v1/report/polling', { headers })).body.code;
}

test('issues a token with exactly the members of the specification', async t => {
  const { gateway } = await testAccount(t);
  const answer = await gateway.request('POST', '/v1/auth/token', { headers: credentials('shop') });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['content-type'], 'application/json');
  assert.deepEqual(Object.keys(answer.body), ['code', 'result', 'data']);
  assert.deepEqual(Object.keys(answer.body.data), ['schema', 'expired', 'token']);
  assert.equal(answer.body.data.schema, 'Bearer');
  assert.equal(answer.body.data.expired, '2026-01-06T12:00:00+09:00');
});

test('any number of tokens are valid at once', async t => {
  const { gateway, client } = await testAccount(t);
  const tokens = [client.token, await gateway.token('shop'), await gateway.token('shop')];
  assert.equal(new Set(tokens).size, 3);
  for (const token of tokens) {
    const headers = bearer(token);
    assert.equal((await gateway.request('GET', '/v1/report/polling', { headers })).body.code, 'A000');
  }
});

test('a token expires 24 hours after issue, and stays expired after its row is swept', async t => {
  const { gateway, client } = await testAccount(t);
  gateway.clock.advance(24 * HOUR - 1);
  assert.equal((await client.poll()).body.code, 'A000');
  gateway.clock.advance(1);
  const expired = await client.poll();
  assert.deepEqual(expired.refusal, [401, 'A001', 'Expired token']);
  gateway.clock.advance(72 * HOUR);
  assert.equal((await client.poll()).body.code, 'A001');
  assert.equal((await gateway.token('shop')).length > 0, true);
  assert.equal((await client.poll()).body.code, 'A001');
});

test('tokens survive a restart', async t => {
  const store = await freshStore(t);
  const clock = new ManualClock();
  const { gateway: first, client } = await testAccount(t, { env: store, clock });
  await first.close();
  const second = await testGateway(t, store, clock);
  const headers = bearer(client.token);
  assert.equal((await second.request('GET', '/v1/report/polling', { headers })).body.code, 'A000');
});

const REFUSED_CREDENTIALS: [string, Record<string, string>][] = [
  ['a wrong password', credentials('shop', 'wrong')],
  ['an unknown account', credentials('nobody')],
  ['no headers at all', {}],
  ['an id without a password', { 'X-SVC-Client-Id': 'shop' }],
  ['an empty password', credentials('shop', '')],
  ['an id that is no id', credentials("shop'; DROP TABLE account; --")],
  ['another vendor prefix than configured', { 'X-IB-Client-Id': 'shop', 'X-IB-Client-Passwd': PASSWORD }],
];
test('wrong or missing credentials are A100', async t => {
  const { gateway } = await testAccount(t);
  for (const [what, headers] of REFUSED_CREDENTIALS) {
    await t.test(`answers A100 to ${what}`, async () => {
      const answer = await gateway.request('POST', '/v1/auth/token', { headers });
      assert.equal(answer.status, 401);
      assert.deepEqual(answer.body, { code: 'A100', result: 'Invalid authentication information' });
    });
  }
});

const TOLERATED_BODIES: [string, { headers?: Record<string, string>; body?: string }][] = [
  ['no body', {}],
  ['an empty body called JSON', { headers: { 'content-type': 'application/json' } }],
  ['{}', { headers: { 'content-type': 'application/json' }, body: '{}' }],
  ['null', { headers: { 'content-type': 'application/json' }, body: 'null' }],
  ['broken JSON', { headers: { 'content-type': 'application/json' }, body: '{"' }],
  ['a form', { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'a=b' }],
];
for (const [what, options] of TOLERATED_BODIES) {
  test(`issues a token to a request with ${what}`, async t => {
    const { gateway } = await testAccount(t);
    const headers = { ...credentials('shop'), ...options.headers };
    assert.equal(
      (await gateway.request('POST', '/v1/auth/token', { ...options, headers })).body.code,
      'A000',
    );
  });
}

test('credential headers are read under every configured prefix, in any letter case', async t => {
  const { gateway } = await testAccount(t, { env: { BONGSU_HEADER_PREFIXES: 'SVC,IB' } });
  for (const prefix of ['SVC', 'svc', 'IB', 'Ib']) {
    const headers = { [`X-${prefix}-Client-Id`]: 'shop', [`X-${prefix}-Client-Passwd`]: PASSWORD };
    assert.equal((await gateway.request('POST', '/v1/auth/token', { headers })).body.code, 'A000', prefix);
  }
});

const BAD_TOKENS = [
  undefined,
  '',
  'Bearer',
  'Bearer ',
  'Bearer nonsense',
  'Basic abc',
  `Bearer ${'x'.repeat(5000)}`,
];
test('a missing, malformed or unknown token is A002 everywhere', async t => {
  const gateway = await testGateway(t);
  for (const authorization of BAD_TOKENS) {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    for (const [method, url] of [
      ['POST', '/v1/send/sms'],
      ['POST', '/v1/send/international'],
      ['GET', '/v1/report/polling'],
      ['DELETE', '/v1/report/polling/x'],
      ['GET', '/v1/report/inquiry/x'],
    ] as const) {
      const answer = await gateway.request(method, url, { headers });
      assert.deepEqual(answer.refusal, [403, 'A002', 'Invalid token'], url);
    }
  }
});

test('the scheme word is read in any letter case', async t => {
  const { gateway, client } = await testAccount(t);
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
    const headers = { authorization: `${scheme} ${client.token}` };
    assert.equal((await gateway.request('GET', '/v1/report/polling', { headers })).body.code, 'A000');
  }
});

test('a token is looked up once, however its header is spelled', async t => {
  const { gateway, client } = await testAccount(t);
  const lookUps = t.mock.method(gateway.gateway.store.tokens, 'find');
  for (let blanks = 1; blanks <= 50; blanks++) {
    const headers = { authorization: `Bearer${' '.repeat(blanks)}${client.token}` };
    assert.equal((await gateway.request('GET', '/v1/report/polling', { headers })).body.code, 'A000');
  }
  assert.equal(lookUps.mock.callCount(), 1);
});

test('a blocked account is refused at once, its live tokens too, and needs a new one when unblocked', async t => {
  const { gateway, client } = await testAccount(t);
  assert.equal((await client.poll()).body.code, 'A000');
  await gateway.gateway.accounts.change('shop' as AccountId, { blocked: true });
  const blocked = await client.poll();
  assert.deepEqual([blocked.status, blocked.body.code], [403, 'A110']);
  const token = await gateway.request('POST', '/v1/auth/token', { headers: credentials('shop') });
  assert.deepEqual([token.status, token.body.code], [403, 'A110']);
  await gateway.gateway.accounts.change('shop' as AccountId, { blocked: false });
  assert.equal((await client.poll()).body.code, 'A002');
  assert.equal(await pollWith(gateway, await gateway.token('shop')), 'A000');
});

test('a new password and revoked tokens end all tokens of an account, and of no other', async t => {
  const { gateway, client: shop } = await testAccount(t);
  const other = await gateway.account('other');
  const { accounts } = gateway.gateway;
  const ends: [string, () => Promise<unknown>, password: string][] = [
    [
      'a new password',
      () => accounts.setPassword('shop' as AccountId, 'another password'),
      'another password',
    ],
    ['revoked tokens', () => accounts.revokeTokens('shop' as AccountId), 'another password'],
  ];
  let token = shop.token;
  for (const [what, end, password] of ends) {
    const second = await gateway.token('shop', token === shop.token ? PASSWORD : password);
    for (const live of [token, second]) assert.equal(await pollWith(gateway, live), 'A000', what);
    await end();
    for (const ended of [token, second]) assert.equal(await pollWith(gateway, ended), 'A002', what);
    token = await gateway.token('shop', password);
    assert.equal(await pollWith(gateway, token), 'A000', what);
  }
  assert.equal((await other.poll()).body.code, 'A000');
});

test('a change that is no block leaves the tokens alone', async t => {
  const { gateway, client } = await testAccount(t);
  await gateway.gateway.accounts.change('shop' as AccountId, { blocked: false, settings: { callRate: 50 } });
  assert.equal((await client.poll()).body.code, 'A000');
});

test('an account has a limited number of tokens, and the oldest end', async t => {
  const gateway = await testGateway(t, { BONGSU_TOKENS_PER_ACCOUNT: '10' });
  const other = await gateway.account('other');
  const tokens = [(await gateway.account('shop')).token];
  for (let count = 0; count < 14; count++) {
    gateway.clock.advance(1000);
    tokens.push(await gateway.token('shop'));
    assert.equal(await pollWith(gateway, tokens.at(-1)), 'A000');
  }
  const codes = await Promise.all(tokens.map(token => pollWith(gateway, token)));
  assert.deepEqual(codes, [...Array(5).fill('A002'), ...Array(10).fill('A000')]);
  assert.equal((await other.poll()).body.code, 'A000');
});

test('a changed password takes effect at once', async t => {
  const { gateway } = await testAccount(t);
  await gateway.gateway.accounts.setPassword('shop' as AccountId, 'another password');
  const old = await gateway.request('POST', '/v1/auth/token', { headers: credentials('shop') });
  assert.equal(old.body.code, 'A100');
  assert.notEqual(await gateway.token('shop', 'another password'), '');
});

test('steady use of a token for every call is not limited, a flood is', async t => {
  const { gateway } = await testAccount(t, { env: { BONGSU_TOKEN_RATE: '10' } });
  for (let call = 0; call < 60; call++) {
    gateway.clock.advance(100);
    assert.notEqual(await gateway.token('shop'), '');
  }
  const codes: string[] = [];
  for (let call = 0; call < 60; call++) {
    const answer = await gateway.request('POST', '/v1/auth/token', { headers: credentials('shop') });
    codes.push(`${answer.status} ${answer.body.code} ${answer.headers['retry-after'] ?? ''}`.trim());
  }
  assert.equal(codes[0], '200 A000');
  assert.equal(codes.at(-1), '429 A020 1');
});

test('guesses are limited, and do not lock out callers with the password', async t => {
  const { gateway } = await testAccount(t);
  const statuses = new Set<number>();
  for (let guess = 0; guess < 25; guess++) {
    const headers = credentials('shop', `guess ${guess}`);
    statuses.add((await gateway.request('POST', '/v1/auth/token', { headers })).status);
  }
  assert.deepEqual(statuses, new Set([401, 429]));
  assert.notEqual(await gateway.token('shop'), '');
});

test('only hashes of passwords and tokens are on disk', async t => {
  const store = await freshStore(t);
  const { gateway, client } = await testAccount(t, { env: store });
  const stored = await storedBytes(store);
  assert.ok(stored.placesOf([sha256(client.token)]).length > 0, 'what is there is found');
  assert.deepEqual(stored.placesOf([client.token, PASSWORD]), []);
  const account = await gateway.gateway.store.accounts.find('shop' as AccountId);
  assert.match(account?.passwordHash ?? '', /^scrypt\$/);
  assert.equal(await gateway.gateway.store.tokens.find(client.token), undefined);
});
