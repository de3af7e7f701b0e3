import assert from 'node:assert/strict';
import test from 'node:test';
import { API_OPERATIONS } from '../../src/http/openapi/document.ts';
import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import { freshStore } from '../harness/engines.ts';
import { testAccount, testGateway } from '../harness/gateway.ts';

const CHANGE = { 'x-bongsu-console': '1' };

test('no operation under /admin answers with data without a proof, nor to the token of an account', async t => {
  const { gateway, client } = await testAccount(t);
  const operations = API_OPERATIONS.filter(({ access }) => access === 'operator');
  assert.ok(operations.length > 25);
  for (const { method, path } of operations) {
    for (const headers of [{}, bearer(client.token), { cookie: `bongsu_session=${client.token}` }]) {
      gateway.clock.advance(5000);
      const url = path.replaceAll(/\{\w+\}/g, 'shop');
      const verb = method.toUpperCase() as 'GET';
      const answer = await gateway.request(verb, url, { headers, ...(method !== 'get' && { body: {} }) });
      assert.equal(answer.body.code, 'A002', `${verb} ${url}: ${answer.text}`);
      assert.deepEqual(Object.keys(answer.body), ['code', 'result']);
    }
  }
});

test('signing in with the token sets a cookie that is not available to scripts and other sites', async t => {
  const gateway = await testGateway(t);
  const answer = await gateway.request('POST', '/admin/v1/session', { body: { token: ADMIN_TOKEN } });
  const cookie = String(answer.headers['set-cookie']);
  assert.match(cookie, /^bongsu_session=\w{32}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=43200$/);
  const session = await gateway.request('GET', '/admin/v1/session', {
    headers: { cookie: cookie.split(';')[0] ?? '' },
  });
  assert.deepEqual([session.body.data.signedIn, session.body.data.mode], [true, 'sandbox']);
});

test('a session of the console downloads no backup', async t => {
  const gateway = await testGateway(t);
  const headers = { cookie: await gateway.signIn(), ...CHANGE };
  const answer = await gateway.request('POST', '/admin/v1/backups', { headers });
  assert.deepEqual([answer.status, answer.body.result], [403, 'A backup needs a token']);
});

test('the cookie is for https only if the gateway is reached by https', async t => {
  const gateway = await testGateway(t, { BONGSU_PUBLIC_URL: 'https://msg.example.com' });
  const answer = await gateway.request('POST', '/admin/v1/session', { body: { token: ADMIN_TOKEN } });
  assert.match(String(answer.headers['set-cookie']), /; Secure$/);
});

test('a request without a sign-in is answered 401', async t => {
  const gateway = await testGateway(t);
  for (const [method, body] of [
    ['GET', undefined],
    ['POST', { token: 'wrong' }],
    ['POST', { code: 'wrong' }],
  ] as const) {
    const answer = await gateway.request(method, '/admin/v1/session', body ? { body } : {});
    assert.deepEqual([answer.status, answer.body.code], [401, 'A002']);
  }
});

test('a one-time code signs in once, within ten minutes', async t => {
  const gateway = await testGateway(t);
  const { consoleCode } = await gateway.gateway.prepareSandbox();
  assert.notEqual(await gateway.signIn({ code: consoleCode }), '');
  assert.equal(await gateway.signIn({ code: consoleCode }), '');

  const { consoleCode: later, consoleCodeExpiresAt } = await gateway.gateway.prepareSandbox();
  gateway.clock.advance(10 * 60_000);
  assert.equal(
    Date.parse(consoleCodeExpiresAt),
    Math.floor(gateway.clock.now() / 1000) * 1000,
    'and says so',
  );
  assert.equal(await gateway.signIn({ code: later }), '');
});

test('a session ends after its time, at sign-out, and with the token that opened it', async t => {
  const store = await freshStore(t);
  const gateway = await testGateway(t, store);
  const isSignedIn = async (on: typeof gateway, cookie: string) =>
    (await on.request('GET', '/admin/v1/queue', { headers: { cookie } })).status === 200;

  const first = await gateway.signIn();
  assert.equal(await isSignedIn(gateway, first), true);
  const out = await gateway.request('DELETE', '/admin/v1/session', { headers: { cookie: first, ...CHANGE } });
  assert.match(String(out.headers['set-cookie']), /^bongsu_session=; .*Max-Age=0/);
  assert.equal(await isSignedIn(gateway, first), false);

  const second = await gateway.signIn();
  gateway.clock.advance(12 * 3_600_000);
  assert.equal(await isSignedIn(gateway, second), false);

  const third = await gateway.signIn();
  await gateway.close();
  const again = await testGateway(t, store, gateway.clock);
  assert.equal(await isSignedIn(again, third), true, 'a restart signs nobody out');
  await again.close();
  const env = { ...store, BONGSU_ADMIN_TOKEN: 'another-token' };
  assert.equal(await isSignedIn(await testGateway(t, env, gateway.clock), third), false);
});

test('production without an admin token has no operator', async t => {
  const store = await freshStore(t);
  const mode = { ...store, BONGSU_MODE: 'production' };
  const before = await testGateway(t, mode);
  const cookie = await before.signIn();
  await before.close();
  const gateway = await testGateway(t, { ...mode, BONGSU_ADMIN_TOKEN: '' });
  for (const headers of [bearer(ADMIN_TOKEN), { cookie }]) {
    assert.equal((await gateway.request('GET', '/admin/v1/queue', { headers })).body.code, 'A002');
  }
  assert.equal(await gateway.signIn(), '');
});

const FOREIGN: readonly (readonly [what: string, headers: Record<string, string>])[] = [
  ['without our header', {}],
  ['from another site', { ...CHANGE, 'sec-fetch-site': 'cross-site' }],
  ['from another host of the site', { ...CHANGE, 'sec-fetch-site': 'same-site' }],
  ['from another origin', { ...CHANGE, origin: 'https://evil.example' }],
  ['from a page without an origin', { ...CHANGE, origin: 'null' }],
];

test('a change by cookie that did not come from the console is refused', async t => {
  const gateway = await testGateway(t);
  const cookie = await gateway.signIn();
  const create = (headers: Record<string, string>, id: string) =>
    gateway.request('POST', '/admin/v1/accounts', { headers: { cookie, ...headers }, body: { id } });
  for (const [what, headers] of FOREIGN) {
    const answer = await create(headers, 'intruder');
    assert.deepEqual([answer.status, answer.body.code], [403, 'A300'], what);
  }
  const listed = await gateway.operator('GET', '/accounts');
  assert.deepEqual(listed.body.data.accounts, []);
  const own = {
    ...CHANGE,
    host: 'localhost:8080',
    origin: 'http://localhost:8080',
    'sec-fetch-site': 'same-origin',
  };
  assert.equal((await create(own, 'shop')).status, 200);
});

test('a page of another site reads nothing by cookie', async t => {
  const gateway = await testGateway(t);
  const cookie = await gateway.signIn();
  const read = (url: string, headers: Record<string, string>) =>
    gateway.request('GET', url, { headers: { cookie, ...headers } });
  for (const url of ['/session', '/queue', '/accounts', '/events', '/files/x/content']) {
    for (const [what, headers] of FOREIGN.slice(1)) {
      const answer = await read(`/admin/v1${url}`, headers);
      assert.deepEqual([answer.status, answer.body.code], [403, 'A300'], `${url} ${what}`);
    }
  }
  // Typed into the address bar, asked by our own page, or by a program that is no browser.
  for (const headers of [{ 'sec-fetch-site': 'none' }, { 'sec-fetch-site': 'same-origin' }, {}]) {
    assert.equal((await read('/admin/v1/queue', headers)).status, 200);
  }
  const byToken = { ...bearer(ADMIN_TOKEN), 'sec-fetch-site': 'cross-site' };
  assert.equal((await gateway.request('GET', '/admin/v1/queue', { headers: byToken })).status, 200);
});

test('another site cannot sign a browser in either', async t => {
  const gateway = await testGateway(t);
  const answer = await gateway.request('POST', '/admin/v1/session', {
    headers: { origin: 'https://evil.example' },
    body: { token: ADMIN_TOKEN },
  });
  assert.equal(answer.status, 403);
  assert.equal(answer.headers['set-cookie'], undefined);
});

test('guesses are limited by address, by header and by sign-in alike', async t => {
  const gateway = await testGateway(t);
  const codes: string[] = [];
  for (let count = 0; count < 40; count++) {
    const headers = { authorization: 'Bearer guess' };
    codes.push((await gateway.request('GET', '/admin/v1/queue', { headers })).body.code);
  }
  assert.deepEqual([codes[0], codes.at(-1)], ['A002', 'A020']);
  const answer = await gateway.request('POST', '/admin/v1/session', { body: { token: ADMIN_TOKEN } });
  assert.deepEqual([answer.status, answer.body.code], [429, 'A020']);
  gateway.clock.advance(10_000);
  assert.notEqual(await gateway.signIn(), '');
});
