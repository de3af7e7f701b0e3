import assert from 'node:assert/strict';
import test from 'node:test';
import type { AccountId } from '../../src/domain/ids.ts';
import { bearer } from '../harness/credentials.ts';
import { freshStore } from '../harness/engines.ts';
import { type Answer, PASSWORD, type TestGateway, testAccount, testGateway } from '../harness/gateway.ts';
import { image } from '../harness/images.ts';
import { Multipart } from '../harness/multipart.ts';
import { until } from '../harness/until.ts';

const OFFICE = '192.0.2.0/24';
const INSIDE = '192.0.2.7';
const OUTSIDE = '198.51.100.7';
const BEHIND_PROXY = { BONGSU_PROXY_HOPS: '1' };
const SHOP = 'shop' as AccountId;

function askToken(gateway: TestGateway, password: string, address: string, id = 'shop'): Promise<Answer> {
  const headers = { 'x-svc-client-id': id, 'x-svc-client-passwd': password, 'x-forwarded-for': address };
  return gateway.request('POST', '/v1/auth/token', { headers });
}

async function pollFrom(gateway: TestGateway, token: string, address: string): Promise<string> {
  const headers = { ...bearer(token), 'x-forwarded-for': address };
  return (await gateway.request('GET', '/v1/report/polling', { headers })).body.code;
}

async function allow(gateway: TestGateway, ...addresses: readonly string[]): Promise<void> {
  await gateway.gateway.accounts.change(SHOP, { settings: { addresses } });
}

test('a token is issued only at an allowed address; elsewhere the answer does not depend on the password', async t => {
  const { gateway } = await testAccount(t, { env: BEHIND_PROXY });
  await allow(gateway, OFFICE);
  assert.equal((await askToken(gateway, PASSWORD, INSIDE)).body.code, 'A000');
  const refused = [403, 'A111', 'The account cannot be used from 198.51.100.7'];
  for (const password of [PASSWORD, 'a guess']) {
    const answer = await askToken(gateway, password, OUTSIDE);
    assert.deepEqual(answer.refusal, refused);
  }
  assert.equal((await askToken(gateway, 'a guess', INSIDE)).body.code, 'A100');
});

test('guesses from addresses that are not allowed use up no limit of the account or the address', async t => {
  const { gateway } = await testAccount(t, { env: BEHIND_PROXY });
  await gateway.account('cafe');
  await allow(gateway, OFFICE);
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) => askToken(gateway, `guess ${index}`, OUTSIDE)),
  );
  assert.deepEqual([...new Set(answers.map(({ body }) => body.code))], ['A111']);
  assert.equal((await askToken(gateway, 'a guess', INSIDE)).body.code, 'A100');
  assert.equal((await askToken(gateway, PASSWORD, INSIDE)).body.code, 'A000');
  assert.equal((await askToken(gateway, 'a guess', OUTSIDE, 'cafe')).body.code, 'A100');
});

test('a token works only at allowed addresses, for every call, from the moment the list is set', async t => {
  const { gateway, client } = await testAccount(t, { env: BEHIND_PROXY });
  assert.equal(await pollFrom(gateway, client.token, OUTSIDE), 'A000');
  await allow(gateway, '203.0.113.1', OFFICE, '2001:db8::/32');
  const calls: readonly (readonly ['GET' | 'POST' | 'DELETE', string, object?])[] = [
    ['GET', '/v1/report/polling'],
    ['DELETE', '/v1/report/polling/x'],
    ['GET', '/v1/report/inquiry/x'],
    ['POST', '/v1/send/sms', { from: '0212345678', to: '01012345678', text: 'hello' }],
    ['POST', '/v1/send/omni', {}],
    ['POST', '/v1/form', { messageForm: [{ sms: { from: '0212345678', text: 'hello' } }] }],
    ['POST', '/v1/file/MMS', Multipart.ofFile(image('jpg', 640, 480))],
  ];
  for (const [method, path, body] of calls) {
    const codeFrom = async (address: string) => {
      const headers = { ...bearer(client.token), 'x-forwarded-for': address };
      return (await gateway.request(method, path, { headers, ...(body && { body }) })).body.code;
    };
    assert.equal(await codeFrom(OUTSIDE), 'A111', path);
    assert.notEqual(await codeFrom(INSIDE), 'A111', path);
  }
  assert.equal(await pollFrom(gateway, client.token, '::ffff:192.0.2.9'), 'A000');
  assert.equal(await pollFrom(gateway, client.token, '2001:db8:1::9'), 'A000');
  assert.equal(await pollFrom(gateway, client.token, '2001:db9::9'), 'A111');
  assert.equal(await pollFrom(gateway, client.token, 'unknown'), 'A111');
  await allow(gateway);
  assert.equal(await pollFrom(gateway, client.token, OUTSIDE), 'A000');
});

test('what a proxy writes around an address is ignored', async t => {
  const { gateway, client } = await testAccount(t, { env: BEHIND_PROXY });
  await allow(gateway, OFFICE, '2001:db8::/32');
  for (const inside of [`${INSIDE}:50123`, '[2001:db8::1]:443', '[2001:db8::1]', `${OUTSIDE}, ${INSIDE}:1`]) {
    assert.equal((await askToken(gateway, PASSWORD, inside)).body.code, 'A000', inside);
    assert.equal(await pollFrom(gateway, client.token, inside), 'A000', inside);
  }
  for (const outside of [`${OUTSIDE}:443`, '[2001:db9::1]:443', `${INSIDE}, ${OUTSIDE}:1`, '[]:1', ':1']) {
    assert.equal((await askToken(gateway, PASSWORD, outside)).body.code, 'A111', outside);
    assert.equal(await pollFrom(gateway, client.token, outside), 'A111', outside);
  }
});

test('only a caller with a valid token learns that its address is not allowed', async t => {
  const { gateway, client } = await testAccount(t, { env: BEHIND_PROXY });
  await allow(gateway, OFFICE);
  assert.equal(await pollFrom(gateway, 'no token', OUTSIDE), 'A002');
  await gateway.gateway.accounts.revokeTokens(SHOP);
  assert.equal(await pollFrom(gateway, client.token, OUTSIDE), 'A002');
});

test('without a proxy the connection counts, whatever a header says', async t => {
  const { gateway, client } = await testAccount(t);
  await allow(gateway, OFFICE);
  assert.equal(await pollFrom(gateway, client.token, INSIDE), 'A111');
  assert.equal((await askToken(gateway, PASSWORD, INSIDE)).body.code, 'A111');
  await allow(gateway, '127.0.0.1');
  assert.equal(await pollFrom(gateway, client.token, OUTSIDE), 'A000');
});

test('the operator sets the list, a wrong entry is named, and it binds the account but not the operator', async t => {
  const { gateway, client } = await testAccount(t);
  const call = gateway.operator;
  const wrong = await call('PATCH', '/accounts/shop', { settings: { addresses: [OFFICE, '10.0.0.1/8'] } });
  assert.equal(wrong.body.code, 'A300');
  assert.match(wrong.body.result, /: "10.0.0.1\/8" has bits after its prefix of 8$/);
  const set = await call('PATCH', '/accounts/shop', { settings: { addresses: [OFFICE] } });
  assert.deepEqual(set.body.data.settings.addresses, [OFFICE]);
  assert.equal(await pollFrom(gateway, client.token, ''), 'A111');
  const body = { from: '0212345678', to: '01012345678', text: 'hello' };
  assert.equal((await call('POST', '/accounts/shop/send/sms', body)).body.code, 'A000');
  const entries = (await call('GET', '/audit')).body.data.entries;
  const change = entries.find(({ action }: { action: string }) => action === 'account.change');
  assert.deepEqual(change.details.settings, { addresses: [OFFICE] });
});

test('a list that is set at one node holds at the others', async t => {
  const store = await freshStore(t, 'postgres');
  const here = await testGateway(t, store);
  const there = await testGateway(t, store);
  const { token } = await here.account('shop');
  assert.equal(await pollFrom(there, token, ''), 'A000');
  await allow(here, OFFICE);
  assert.equal(await pollFrom(here, token, ''), 'A111');
  await until('the other node knows', async () => (await pollFrom(there, token, '')) === 'A111');
});
