import assert from 'node:assert/strict';
import test from 'node:test';
import { ROLES, type Role } from '../../src/domain/operator/role.ts';
import { API_OPERATIONS, apiDocument } from '../../src/http/openapi/document.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import { freshStore } from '../harness/engines.ts';
import { type Answer, type TestGateway, testAccount, testGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';
import { OPERATIONS_BY_ROLE } from './roles-by-hand.ts';

const DAY_MS = 86_400_000;

test('no operation of operators ignores a parameter or a member that it does not know', async t => {
  const gateway = await testGateway(t);
  for (const { method, path, request } of API_OPERATIONS) {
    if (!path.startsWith('/admin/')) continue;
    const verb = method.toUpperCase() as 'GET';
    const url = path.replaceAll(/\{\w+\}/g, 'unknown');
    const strange = await gateway.request(verb, `${url}?acount=shop`, { headers: bearer(ADMIN_TOKEN) });
    assert.deepEqual([strange.status, strange.body.code], [400, 'A300'], `${verb} ${path}`);
    assert.match(strange.body.result, /^There is no parameter "acount" here/, `${verb} ${path}`);
    if (request?.type !== 'application/json' || request.schema.additionalProperties) continue;
    const body = await gateway.request(verb, url, { headers: bearer(ADMIN_TOKEN), body: { acount: 'shop' } });
    assert.match(body.body.result, /^There is no member "acount" here; expected /, `${verb} ${path}`);
  }
  const deep: [method: 'POST' | 'PATCH', path: string, body: object, name: string][] = [
    ['POST', '/messages/cancel', { filters: { acount: 'shop', channel: 'sms' } }, 'filters.acount'],
    ['PATCH', '/accounts/shop', { settings: { sendrate: 1 } }, 'settings.sendrate'],
    ['POST', '/accounts/shop/optouts', { optOuts: [{ to: '01012345678', form: 'x' }] }, 'optOuts[0].form'],
  ];
  for (const [method, path, body, name] of deep) {
    const { status, body: answer } = await gateway.operator(method, path, body);
    assert.equal(status, 400);
    assert.ok(answer.result.startsWith(`There is no member "${name}" here; expected `), answer.result);
  }
});

test('the API document names the role that a list by hand has', () => {
  const named = ROLES.flatMap(role => OPERATIONS_BY_ROLE[role].map(id => `${id}: ${role}`));
  const documented = API_OPERATIONS.filter(({ access }) => access === 'operator').map(
    ({ operationId, role }) => `${operationId}: ${role}`,
  );
  assert.deepEqual(documented.sort(), named.sort());
});

test('every operation of operators needs the role that the API document names, and no route is forgotten', async t => {
  const { gateway } = await testAccount(t);
  const headersOf: Record<string, Record<string, string>> = { nobody: {} };
  for (const role of ROLES) headersOf[role] = (await gateway.addOperator(`a ${role}`, role)).headers;

  const { paths } = apiDocument();
  let operations = 0;
  for (const { method, path, access } of API_OPERATIONS) {
    if (!path.startsWith('/admin/')) continue;
    const [security] = (paths[path]?.[method]?.security ?? []) as readonly { adminToken?: readonly Role[] }[];
    const least = security?.adminToken?.[0];
    assert.equal(least === undefined, access !== 'operator', `${method} ${path}`);
    if (least === undefined) continue;
    operations += 1;
    const url = path.replaceAll(/\{\w+\}/g, 'unknown');
    const verb = method.toUpperCase() as 'GET';
    for (const [who, headers] of Object.entries(headersOf)) {
      gateway.clock.advance(5000);
      const response = await gateway.gateway.http.inject({
        ...{ method: verb, url, headers, payloadAsStream: true },
        ...(method !== 'get' && { payload: '{}' }),
      });
      const isStream = response.statusCode === 200 && path.endsWith('/events');
      if (isStream) response.stream().destroy();
      const type = String(response.headers['content-type']);
      const text = isStream ? '' : await textOf(response.stream());
      const isFile = !/json$/.test(type);
      // Of long work the last line counts.
      const lastLine = text.trimEnd().split('\n').at(-1) ?? '';
      const body = isStream || isFile ? { code: 'A000', result: '' } : JSON.parse(lastLine);
      const isTooLow = response.statusCode === 403 && body.result.startsWith('This needs the role');
      const what = `${verb} ${url} as ${who}: ${JSON.stringify(body)}`;
      if (who === 'nobody') assert.equal(body.code, 'A002', what);
      else assert.notEqual(body.code, 'A002', what);
      const isEnough: boolean = who !== 'nobody' && ROLES.indexOf(who as Role) >= ROLES.indexOf(least);
      assert.equal(isTooLow, who !== 'nobody' && !isEnough, what);
      if (isTooLow) {
        assert.deepEqual(body, {
          code: 'A300',
          result: `This needs the role "${least}"; yours is "${who}"`,
        });
      }
    }
  }
  assert.ok(operations > 40, `only ${operations} operations`);
});

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk;
  return text;
}

test('the token of a named operator is shown once, stored as a hash, and expires', async t => {
  const gateway = await testGateway(t);
  const call = gateway.operator;
  const added = await call('POST', '/operators', { name: ' 김 철수 ', role: 'viewer', lifetimeDays: 1 });
  const { token, id, ...view } = added.body.data;
  assert.match(token, /^bongsu_op_[0-9A-Z]{32}$/);
  assert.deepEqual(
    [view.name, view.role, view.state, view.createdBy],
    ['김 철수', 'viewer', 'active', 'admin'],
  );
  const headers = bearer(token);
  const queue = async () => (await call('GET', '/queue', undefined, headers)).body.code;

  assert.equal(await queue(), 'A000');
  const listed = await call('GET', '/operators');
  assert.doesNotMatch(listed.text, /bongsu_op_/);
  const [operator] = listed.body.data.operators;
  assert.equal(operator.id, id);
  assert.notEqual(operator.lastUsedAt, null);
  const rows = JSON.stringify(await gateway.gateway.store.operatorTokens.list());
  assert.equal(rows.includes(token.slice('bongsu_op_'.length)), false);

  gateway.clock.advance(DAY_MS - 1);
  assert.equal(await queue(), 'A000');
  gateway.clock.advance(1);
  assert.equal(await queue(), 'A002');
  assert.equal((await call('GET', '/operators')).body.data.operators[0].state, 'expired');
});

test('a token is valid for 90 days by default, and never without a limit', async t => {
  const gateway = await testGateway(t, {}, new ManualClock(0));
  const add = (members: object) =>
    gateway.operator('POST', '/operators', { name: 'kim', role: 'viewer', ...members });
  for (const [code, members] of [
    ['A300', { lifetimeDays: 0 }],
    ['A300', { lifetimeDays: 367 }],
    ['A300', { lifetimeDays: 1.5 }],
    ['A011', { lifetimeDays: '90' }],
    ['A300', { name: '' }],
    ['A300', { name: 'Admin' }],
    ['A300', { name: 'a'.repeat(65) }],
    ['A300', { name: 'a\u0000b' }],
    ['A300', { name: '<b>' }],
    ['A011', { name: 7 }],
    ['A300', { role: 'root' }],
    ['A011', { role: ['admin'] }],
  ] as const) {
    const answer = await add(members);
    assert.deepEqual([answer.status, answer.body.code], [400, code], JSON.stringify(members));
  }
  const { expiresAt } = (await add({})).body.data;
  assert.equal(Date.parse(expiresAt), 90 * DAY_MS);
  assert.match((await add({})).body.result, /already/);
});

test('a revoked token and its sessions are refused from the next call on every node, and its name is free', async t => {
  const store = await freshStore(t);
  const gateway = await testGateway(t, store);
  const kim = await gateway.addOperator('kim', 'operator');
  const cookie = await gateway.signIn({ token: kim.token });
  const codes = async (on: TestGateway) => [
    (await on.operator('GET', '/queue', undefined, kim.headers)).body.code,
    (await on.operator('GET', '/queue', undefined, { cookie })).body.code,
  ];
  const nodes = [gateway];
  // SQLite has one node.
  if (store.BONGSU_DATABASE_URL) nodes.push(await testGateway(t, store, gateway.clock));
  for (const node of nodes) assert.deepEqual(await codes(node), ['A000', 'A000']);
  assert.equal((await gateway.operator('DELETE', `/operators/${kim.id}`)).body.data.state, 'revoked');
  for (const node of nodes) assert.deepEqual(await codes(node), ['A002', 'A002']);
  for (const id of [kim.id, 'nobody', 'x'.repeat(5000)]) {
    assert.equal((await gateway.operator('DELETE', `/operators/${id}`)).status, 404);
  }
  assert.notEqual((await gateway.addOperator('kim', 'viewer')).id, kim.id);
});

test('a session has the name and the role of its operator, and does not outlive the token', async t => {
  const gateway = await testGateway(t);
  const kim = await gateway.addOperator('kim', 'viewer', 1);
  const session = async (cookie: string) =>
    (await gateway.request('GET', '/admin/v1/session', { headers: { cookie } })).body.data;
  const admin = await session(await gateway.signIn());
  assert.deepEqual([admin.name, admin.role], ['admin', 'admin']);
  const cookie = await gateway.signIn({ token: kim.token });
  const own = await session(cookie);
  assert.deepEqual([own.name, own.role], ['kim', 'viewer']);
  gateway.clock.advance(DAY_MS - 3_600_000);
  const late = await gateway.request('POST', '/admin/v1/session', { body: { token: kim.token } });
  assert.match(String(late.headers['set-cookie']), /Max-Age=3600$/);
  gateway.clock.advance(3_600_000);
  assert.equal(await session(String(late.headers['set-cookie']).split(';')[0] ?? ''), undefined);
});

test('named operators stay when the admin token changes, and where there is none', async t => {
  const store = await freshStore(t);
  const before = await testGateway(t, store);
  const kim = await before.addOperator('kim', 'viewer');
  const cookie = await before.signIn({ token: kim.token });
  await before.close();
  const after = await testGateway(t, { ...store, BONGSU_ADMIN_TOKEN: 'another-token' }, before.clock);
  for (const headers of [kim.headers, { cookie }]) {
    assert.equal((await after.operator('GET', '/queue', undefined, headers)).status, 200);
  }
});

test('the stream of events ends when its token is revoked', async t => {
  const gateway = await testGateway(t);
  const kim = await gateway.addOperator('kim', 'viewer');
  const url = await gateway.gateway.listen({ port: 0, host: '127.0.0.1' });
  const response = await fetch(`${url}/admin/v1/events`, { headers: kim.headers });
  let isOver = false;
  const reading = response.text().finally(() => {
    isOver = true;
  });
  gateway.clock.advance(2000);
  await gateway.operator('DELETE', `/operators/${kim.id}`);
  await until('the stream has ended', () => {
    gateway.clock.advance(500);
    return isOver;
  });
  assert.match(await reading, /retry/);
});

test('the audit log says which operator made a change', async t => {
  const gateway = await testGateway(t);
  const kim = await gateway.addOperator('kim', 'admin');
  const call = gateway.operator;
  await call('POST', '/accounts', { id: 'shop' }, kim.headers);
  const cookie = await gateway.signIn({ token: kim.token });
  await call('PATCH', '/accounts/shop', { blocked: true }, { cookie, 'x-bongsu-console': '1' });
  await call('DELETE', `/operators/${kim.id}`);
  const { entries } = (await call('GET', '/audit')).body.data;
  assert.deepEqual(
    entries.map(({ who, name, operatorId, action, target }: Record<string, string>) => [
      ...[who, name, operatorId === kim.id, action, target],
    ]),
    [
      ['token', 'admin', false, 'operator.revoke', 'kim'],
      ['session', 'kim', true, 'account.change', 'shop'],
      ['session', 'kim', true, 'session.open', '127.0.0.1'],
      ['token', 'kim', true, 'account.create', 'shop'],
      ['token', 'admin', false, 'operator.add', 'kim'],
    ],
  );
  assert.doesNotMatch(JSON.stringify(entries), /bongsu_op_/);
});

test('the address of an operator is known after a restart too', async t => {
  const store = await freshStore(t);
  const before = await testGateway(t, store);
  const kim = await before.addOperator('kim', 'viewer');
  const queue = async (on: TestGateway, headers: Record<string, string>) =>
    (await on.operator('GET', '/queue', undefined, headers)).body.code;
  assert.equal(await queue(before, kim.headers), 'A000');
  await before.close();
  const after = await testGateway(t, store, before.clock);
  const guess = { authorization: `Bearer bongsu_op_${'0'.repeat(32)}` };
  const codes = await Promise.all(Array.from({ length: 40 }, () => queue(after, guess)));
  assert.deepEqual([...new Set(codes)].sort(), ['A002', 'A020']);
  assert.equal(await queue(after, kim.headers), 'A000');
  assert.equal(await queue(after, guess), 'A020');
});

test('guesses at tokens of operators are limited, also in parallel, and lock no operator out', async t => {
  const gateway = await testGateway(t);
  const kim = await gateway.addOperator('kim', 'viewer');
  const lee = await gateway.addOperator('lee', 'viewer');
  const queue = (token: string) => gateway.operator('GET', '/queue', undefined, bearer(token));
  assert.equal((await queue(kim.token)).status, 200);
  const guesses = Array.from({ length: 200 }, (_, index) =>
    queue(`bongsu_op_${String(index).padStart(32, '0')}`),
  );
  const codes = (await Promise.all(guesses)).map(({ body }: Answer) => body.code);
  assert.equal(codes.filter(code => code === 'A002').length, 30);
  assert.equal(codes.filter(code => code === 'A020').length, 170);
  assert.equal((await queue(kim.token)).body.code, 'A000', 'known at this address');
  assert.equal((await queue(lee.token)).body.code, 'A020', 'never seen at this address');
  assert.equal((await queue(ADMIN_TOKEN)).body.code, 'A000', 'known at this address');
  gateway.clock.advance(10_000);
  assert.equal((await queue(lee.token)).body.code, 'A000');
});
