import assert from 'node:assert/strict';
import test from 'node:test';
import type { AccountId } from '../../src/domain/ids.ts';
import { hashPassword } from '../../src/platform/password.ts';
import { StoreFault } from '../../src/store/store-fault.ts';
import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import { freshStore } from '../harness/engines.ts';
import { PASSWORD, type TestGateway, testAccount, testGateway } from '../harness/gateway.ts';

const OWN = '192.0.2.1';
const OTHER = '198.51.100.7';
const IDS = ['shop', 'branch', 'kiosk'] as const;
const CHEAPEST = { N: 2, r: 1, p: 1 };
const BEHIND_PROXY = { BONGSU_PROXY_HOPS: '1' };

async function askToken(gateway: TestGateway, id: string, password: string, address = OWN): Promise<string> {
  const headers = { 'x-svc-client-id': id, 'x-svc-client-passwd': password, 'x-forwarded-for': address };
  return (await gateway.request('POST', '/v1/auth/token', { headers })).body.code;
}

async function askOperator(gateway: TestGateway, token: string, address = OWN): Promise<string> {
  const headers = { ...bearer(token), 'x-forwarded-for': address };
  return (await gateway.request('GET', '/admin/v1/queue', { headers })).body.code;
}

function inParallel(count: number, ask: (index: number) => Promise<string>): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => ask(index)));
}

function countOf(codes: readonly string[], code: string): number {
  return codes.filter(one => one === code).length;
}

test('guesses in parallel are limited like guesses one after the other', async t => {
  const { gateway } = await testAccount(t, { env: BEHIND_PROXY });
  const codes = await inParallel(200, index => askToken(gateway, 'shop', `guess ${index}`));
  assert.deepEqual([countOf(codes, 'A100'), countOf(codes, 'A020')], [20, 180]);
  assert.equal(await askToken(gateway, 'shop', 'one more'), 'A020');
  gateway.clock.advance(5000);
  assert.equal(await askToken(gateway, 'shop', 'one more'), 'A100');
});

test('guesses at many accounts from one address are limited together', async t => {
  const gateway = await testGateway(t, BEHIND_PROXY);
  for (const id of IDS) await gateway.account(id);
  const codes = await inParallel(54, index => askToken(gateway, IDS[index % 3] ?? '', `guess ${index}`));
  assert.deepEqual([countOf(codes, 'A100'), countOf(codes, 'A020')], [50, 4]);
  assert.equal(await askToken(gateway, 'shop', 'guess', OTHER), 'A100');
  gateway.clock.advance(4999);
  assert.equal(await askToken(gateway, 'kiosk', 'one more'), 'A020');
  gateway.clock.advance(1);
  assert.equal(await askToken(gateway, 'kiosk', 'one more'), 'A100');
});

test('constant guesses from one address do not keep other addresses from getting a token', async t => {
  const { gateway } = await testAccount(t, { env: BEHIND_PROXY });
  let checked = 0;
  for (let second = 0; second < 300; second++) {
    const codes = [
      await askToken(gateway, 'shop', `a ${second}`, OTHER),
      await askToken(gateway, 'shop', `b ${second}`, OTHER),
    ];
    checked += countOf(codes, 'A100');
    gateway.clock.advance(1000);
  }
  assert.equal(checked, 20 + 59, 'twenty at once, then one in five seconds');
  assert.equal(await askToken(gateway, 'shop', PASSWORD, '203.0.113.1'), 'A000');
  assert.equal(await askToken(gateway, 'shop', 'mistyped', '203.0.113.2'), 'A100');
  assert.equal(await askToken(gateway, 'shop', PASSWORD, '203.0.113.2'), 'A000');
});

test('many addresses with failed guesses leave room for addresses without one', async t => {
  const { gateway } = await testAccount(t, { env: BEHIND_PROXY });
  for (let address = 1; address <= 20; address++) {
    await inParallel(20, index => askToken(gateway, 'shop', `guess ${index}`, `198.51.100.${address}`));
  }
  assert.equal(await askToken(gateway, 'shop', 'one more', '198.51.100.3'), 'A020');
  assert.equal(await askToken(gateway, 'shop', PASSWORD), 'A000');
});

test('all addresses of an IPv6 /64 are one', async t => {
  const gateway = await testGateway(t, BEHIND_PROXY);
  for (const id of IDS) await gateway.account(id);
  const codes = await inParallel(54, index =>
    askToken(gateway, IDS[index % 3] ?? '', `guess ${index}`, `2001:db8::${index + 1}`),
  );
  assert.deepEqual([countOf(codes, 'A100'), countOf(codes, 'A020')], [50, 4]);
  assert.equal(await askToken(gateway, 'shop', 'guess', '2001:db8:0:1::1'), 'A100');
});

test('the right password does not count as a guess: many workers may use it at the same time', async t => {
  const store = { ...(await freshStore(t)), ...BEHIND_PROXY };
  const { gateway: first } = await testAccount(t, { env: store });
  await first.close();
  const gateway = await testGateway(t, store);
  const codes = await inParallel(100, () => askToken(gateway, 'shop', PASSWORD));
  assert.equal(countOf(codes, 'A000'), 100);
});

test("the owner is not locked out by others' guesses, not even after a restart", async t => {
  const store = { ...(await freshStore(t)), ...BEHIND_PROXY };
  const { gateway: first } = await testAccount(t, { env: store });
  assert.equal(await askToken(first, 'shop', PASSWORD), 'A000');
  await inParallel(30, index => askToken(first, 'shop', `guess ${index}`, OTHER));
  assert.equal(await askToken(first, 'shop', PASSWORD), 'A000');
  await first.close();

  const gateway = await testGateway(t, store);
  const codes = await inParallel(30, index => askToken(gateway, 'shop', `guess ${index}`, OTHER));
  // On PostgreSQL the limits are those of all nodes, and outlive this one.
  assert.ok(countOf(codes, 'A020') >= 10);
  assert.equal(await askToken(gateway, 'shop', PASSWORD), 'A000');
  assert.equal(
    await askToken(gateway, 'shop', PASSWORD, OTHER),
    'A020',
    'a right guess is not told from a wrong one',
  );
});

test('guesses from an address of the owner do not lock the owner out once the process knows it', async t => {
  const { gateway } = await testAccount(t, { env: BEHIND_PROXY });
  assert.equal(await askToken(gateway, 'shop', PASSWORD), 'A000');
  const codes = await inParallel(60, index => askToken(gateway, 'shop', `guess ${index}`));
  assert.equal(countOf(codes, 'A000'), 0);
  assert.equal(await askToken(gateway, 'shop', PASSWORD), 'A000');
});

test('after a new password no address counts as an address of the owner', async t => {
  const { gateway } = await testAccount(t, { env: BEHIND_PROXY });
  assert.equal(await askToken(gateway, 'shop', PASSWORD), 'A000');
  const passwordHash = await hashPassword('another password', CHEAPEST);
  await gateway.gateway.store.accounts.update('shop' as AccountId, account => ({ ...account, passwordHash }));
  await inParallel(30, index => askToken(gateway, 'shop', `guess ${index}`));
  assert.equal(await askToken(gateway, 'shop', 'another password'), 'A020');
});

test('parallel guesses at the admin token are limited like sequential ones', async t => {
  const gateway = await testGateway(t, BEHIND_PROXY);
  const codes = await inParallel(100, index => askOperator(gateway, `guess ${index}`));
  assert.deepEqual([countOf(codes, 'A002'), countOf(codes, 'A020')], [30, 70]);
  assert.equal(await askOperator(gateway, ADMIN_TOKEN), 'A020');
  assert.equal(await askOperator(gateway, ADMIN_TOKEN, OTHER), 'A000');
});

test('guesses at a generated admin token, which the store keeps, are limited as well', async t => {
  const gateway = await testGateway(t, { ...BEHIND_PROXY, BONGSU_ADMIN_TOKEN: '' });
  await gateway.gateway.prepareSandbox();
  const codes = await inParallel(100, index => askOperator(gateway, `guess ${index}`));
  assert.deepEqual([countOf(codes, 'A002'), countOf(codes, 'A020')], [30, 70]);
});

test('failures of others do not lock an operator out at an address that they have used', async t => {
  const store = { ...(await freshStore(t)), ...BEHIND_PROXY };
  const first = await testGateway(t, store);
  assert.equal(await askOperator(first, ADMIN_TOKEN), 'A000');
  await first.close();
  const gateway = await testGateway(t, store);
  const codes = await inParallel(60, index => askOperator(gateway, `guess ${index}`));
  assert.deepEqual([countOf(codes, 'A002'), countOf(codes, 'A020')], [30, 30]);
  assert.equal(await askOperator(gateway, ADMIN_TOKEN), 'A000');
});

test('a new password has at least eight characters, and an older, shorter one stays valid', async t => {
  const gateway = await testGateway(t);
  for (const password of ['a', '1234567']) {
    const answer = await gateway.operator('POST', '/accounts', { id: 'shop', password });
    assert.equal(answer.body.code, 'A300');
    assert.match(answer.body.result, /8 to 256/);
  }
  assert.equal(
    (await gateway.operator('POST', '/accounts', { id: 'shop', password: '12345678' })).body.code,
    'A000',
  );
  await gateway.account('old');
  const passwordHash = await hashPassword('a', CHEAPEST);
  await gateway.gateway.store.accounts.update('old' as AccountId, account => ({ ...account, passwordHash }));
  assert.notEqual(await gateway.token('old', 'a'), '');
});

test('calls with a token that the store cannot look up do not count as guesses', async t => {
  const gateway = await testGateway(t, BEHIND_PROXY);
  const { token } = await gateway.addOperator('kim', 'viewer');
  const { operatorTokens } = gateway.gateway.store;
  const look = t.mock.method(operatorTokens, 'findByHash', async () => {
    throw new StoreFault('didNotHappen', 'the store is away');
  });
  const codes = await inParallel(60, () => askOperator(gateway, token));
  assert.equal(countOf(codes, 'A920'), 60);
  look.mock.restore();
  assert.equal(await askOperator(gateway, 'a guess'), 'A002');
  assert.equal(await askOperator(gateway, token), 'A000');
});
