import assert from 'node:assert/strict';
import test from 'node:test';
import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import { freshStore } from '../harness/engines.ts';
import { type TestGateway, testGateway } from '../harness/gateway.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CHANGE = { 'x-bongsu-console': '1' };

async function invite(gateway: TestGateway, name: string, members: object = {}) {
  const body = { name, role: 'operator', ...members };
  const answer = await gateway.operator('POST', '/invitations', body);
  assert.equal(answer.body.code, 'A000', answer.text);
  return answer.body.data;
}

function accept(gateway: TestGateway, code: unknown, headers: Record<string, string> = {}) {
  return gateway.request('POST', '/admin/v1/invitations/accept', { headers, body: { code } });
}

async function listed(gateway: TestGateway, name: string) {
  const { operators } = (await gateway.operator('GET', '/operators')).body.data;
  return operators.find((operator: { name: string }) => operator.name === name);
}

test('an invitation works once: it signs the operator in and gives them a token that nobody else has seen', async t => {
  const gateway = await testGateway(t, { BONGSU_PUBLIC_URL: 'https://msg.example.com/' });
  const invited = await invite(gateway, 'kim', { lifetimeDays: 30 });
  assert.match(invited.code, /^bongsu_in_[0-9A-Z]{32}$/);
  assert.equal(invited.link, `https://msg.example.com/console/#invite=${invited.code}`);
  assert.equal(invited.state, 'invited');
  assert.equal(Date.parse(invited.expiresAt) - Date.parse(invited.createdAt), 72 * HOUR_MS);
  const code = bearer(invited.code);
  assert.equal((await gateway.operator('GET', '/queue', undefined, code)).body.code, 'A002', 'no token');
  assert.equal(await gateway.signIn({ token: invited.code }), '');

  gateway.clock.advance(HOUR_MS);
  const answer = await accept(gateway, invited.code);
  const { token, expiresAt, name, role } = answer.body.data;
  assert.deepEqual([name, role], ['kim', 'operator']);
  assert.equal(Date.parse(expiresAt), Math.floor((gateway.clock.now() + 30 * DAY_MS) / 1000) * 1000);
  assert.match(String(answer.headers['set-cookie']), /HttpOnly; SameSite=Strict; .*; Secure$/);
  const cookie = String(answer.headers['set-cookie']).split(';')[0] ?? '';
  const session = (await gateway.request('GET', '/admin/v1/session', { headers: { cookie } })).body.data;
  assert.deepEqual([session.name, session.role], ['kim', 'operator']);
  const headers = bearer(token);
  assert.equal((await gateway.operator('GET', '/queue', undefined, headers)).body.code, 'A000');
  const { id, state } = await listed(gateway, 'kim');
  assert.deepEqual([id, state], [invited.id, 'active']);

  const again = await accept(gateway, invited.code);
  assert.deepEqual([again.status, again.body.code], [401, 'A002']);
  const { entries } = (await gateway.operator('GET', '/audit')).body.data;
  assert.deepEqual(
    entries.map(({ name, action, target }: Record<string, string>) => [name, action, target]),
    [
      ['kim', 'operator.join', 'kim'],
      ['admin', 'operator.invite', 'kim'],
    ],
  );
  const stored = JSON.stringify([entries, await gateway.gateway.store.operatorTokens.list()]);
  assert.doesNotMatch(stored, /bongsu_(in|op)_/);
});

test('an expired, withdrawn or unknown invitation is refused', async t => {
  const gateway = await testGateway(t);
  const [kim, lee] = [await invite(gateway, 'kim'), await invite(gateway, 'lee')];
  const taken = await gateway.operator('POST', '/invitations', { name: 'kim', role: 'viewer' });
  assert.match(taken.body.result, /already/);
  await gateway.operator('DELETE', `/operators/${lee.id}`);
  gateway.clock.advance(72 * HOUR_MS);
  const wrong = [kim.code, lee.code, `bongsu_in_${'0'.repeat(32)}`, 'x'.repeat(5000), ADMIN_TOKEN, ''];
  for (const code of wrong) assert.equal((await accept(gateway, code)).body.code, 'A002', String(code));
  for (const code of [undefined, 7, { $gt: '' }]) {
    assert.equal((await accept(gateway, code)).body.code, 'A300');
  }
  const foreign = await accept(gateway, kim.code, { origin: 'https://evil.example' });
  assert.equal(foreign.status, 403);
  assert.equal((await listed(gateway, 'kim')).state, 'expired');
  assert.equal((await invite(gateway, 'kim')).state, 'invited', 'the name is free again');
});

test('guesses at invitations are limited', async t => {
  const gateway = await testGateway(t);
  const guesses = Array.from({ length: 60 }, () => accept(gateway, `bongsu_in_${'0'.repeat(32)}`));
  const codes = new Set((await Promise.all(guesses)).map(({ body }) => body.code));
  assert.deepEqual([...codes].sort(), ['A002', 'A020']);
});

test('a changed role applies from the next call, also in a session, and nobody changes their own', async t => {
  const gateway = await testGateway(t);
  const call = gateway.operator;
  const kim = await gateway.addOperator('kim', 'viewer');
  const boss = await gateway.addOperator('boss', 'admin');
  const headers = { cookie: await gateway.signIn({ token: kim.token }), ...CHANGE };
  const pause = async () => (await call('POST', '/carriers/simulator/pause', undefined, headers)).body.code;
  assert.equal(await pause(), 'A300');
  const changed = await call('PATCH', `/operators/${kim.id}`, { role: 'operator' }, boss.headers);
  assert.equal(changed.body.data.role, 'operator');
  assert.equal(await pause(), 'A000');
  const own = await call('PATCH', `/operators/${boss.id}`, { role: 'viewer' }, boss.headers);
  assert.match(own.body.result, /own role/);
  assert.equal((await call('PATCH', '/operators/nobody', { role: 'viewer' })).status, 404);
  assert.equal((await call('PATCH', `/operators/${kim.id}`, { role: 'root' })).body.code, 'A300');
  const [, change] = (await call('GET', '/audit')).body.data.entries;
  assert.deepEqual(
    [change.name, change.action, change.target, change.details],
    ['boss', 'operator.change', 'kim', { id: kim.id, role: 'operator' }],
  );
});

test('sessions are listed with place and time; operators see and end their own, admins all', async t => {
  const store = await freshStore(t);
  const gateway = await testGateway(t, store);
  const nodes = [gateway];
  // SQLite has one node.
  if (store.BONGSU_DATABASE_URL) nodes.push(await testGateway(t, store, gateway.clock));
  const [kim, lee] = [
    await gateway.addOperator('kim', 'viewer'),
    await gateway.addOperator('lee', 'operator'),
  ];
  const open = async (token: string, agent: string) => {
    gateway.clock.advance(1000);
    const headers = { 'user-agent': agent };
    const answer = await gateway.request('POST', '/admin/v1/session', { headers, body: { token } });
    return { cookie: String(answer.headers['set-cookie']).split(';')[0] ?? '', ...CHANGE };
  };
  const admin = await open(ADMIN_TOKEN, 'Firefox');
  const [first, second] = [await open(kim.token, 'Chrome\u00e9'), await open(kim.token, 'x'.repeat(500))];
  const other = await open(lee.token, 'Safari');
  const call = gateway.operator;
  const sessions = async (headers: Record<string, string>) =>
    (await call('GET', '/sessions', undefined, headers)).body.data.sessions;

  assert.deepEqual(
    (await sessions(admin)).map(({ name, agent, isOwn }: Record<string, unknown>) => [name, agent, isOwn]),
    [
      ['lee', 'Safari', false],
      ['kim', 'x'.repeat(200), false],
      ['kim', 'Chrome', false],
      ['admin', 'Firefox', true],
    ],
  );
  const own = await sessions(first);
  assert.deepEqual(
    own.map(({ name, isOwn, address }: Record<string, unknown>) => [name, isOwn, address]),
    [
      ['kim', false, '127.0.0.1'],
      ['kim', true, '127.0.0.1'],
    ],
  );
  assert.equal((await sessions(kim.headers)).length, 2, 'by token too');
  assert.doesNotMatch(JSON.stringify(own), new RegExp(first.cookie.split('=')[1] ?? ''));
  gateway.clock.advance(60_000);
  const used = (await sessions(first)).find(({ isOwn }: { isOwn: boolean }) => isOwn);
  assert.equal((await sessions(first))[1].usedAt > used.openedAt, true);

  const [leesSession] = await sessions(other);
  const end = (id: string, headers: Record<string, string>) =>
    call('DELETE', `/sessions/${id}`, undefined, headers);
  assert.equal((await end(leesSession.id, first)).status, 404, 'not his');
  for (const id of ['nothing', 'x'.repeat(16), '%25%25%25%25%25%25%25%25%25%25%25%25%25%25%25%25']) {
    assert.equal((await end(id, admin)).status, 404);
  }
  assert.equal((await end(own[0].id, first)).body.data.name, 'kim');
  assert.equal((await end(leesSession.id, admin)).body.code, 'A000');
  const isIn = async (on: TestGateway, headers: Record<string, string>) =>
    (await on.request('GET', '/admin/v1/queue', { headers })).status === 200;
  for (const node of nodes) {
    assert.deepEqual(await Promise.all([first, second, other, admin].map(headers => isIn(node, headers))), [
      true,
      false,
      false,
      true,
    ]);
  }
  const [byAdmin, byKim] = (await call('GET', '/audit')).body.data.entries;
  assert.deepEqual(
    [byAdmin, byKim].map(({ name, action, target, details }) => [name, action, target, details]),
    [
      ['admin', 'session.close', '127.0.0.1', { by: 'operator', name: 'lee', session: leesSession.id }],
      ['kim', 'session.close', '127.0.0.1', { by: 'operator', name: 'kim', session: own[0].id }],
    ],
  );

  await call('DELETE', `/operators/${kim.id}`);
  const names = (await sessions(admin)).map(({ name }: { name: string }) => name);
  assert.deepEqual(names, ['admin'], 'those of a revoked operator are over');
});

test('a link to the console signs in once, on any node, as whoever made it', async t => {
  const store = await freshStore(t);
  const gateway = await testGateway(t, store);
  const other = store.BONGSU_DATABASE_URL ? await testGateway(t, store, gateway.clock) : gateway;
  const call = gateway.operator;
  const kim = await gateway.addOperator('kim', 'viewer');
  const make = async () => {
    const answer = await call('POST', '/session/links', {}, kim.headers);
    return /^http:\/\/.*\/console\/#code=(\w{32})$/.exec(answer.body.data.link)?.[1] ?? '';
  };
  const open = (code: string, node = other) => node.request('POST', '/admin/v1/session', { body: { code } });

  const code = await make();
  const [unused] = (await call('GET', '/sessions')).body.data.sessions;
  assert.deepEqual([unused.name, unused.agent], ['kim', 'a link that was not opened yet']);
  const asCookie = { cookie: `bongsu_session=${code}` };
  assert.equal((await call('GET', '/queue', undefined, asCookie)).body.code, 'A002', 'a code is no session');
  const opened = await Promise.all([open(code), open(code, gateway)]);
  assert.deepEqual(opened.map(({ status }) => status).toSorted(), [200, 401]);
  const cookie =
    String(opened.find(({ status }) => status === 200)?.headers['set-cookie']).split(';')[0] ?? '';
  const session = await gateway.request('GET', '/admin/v1/session', { headers: { cookie } });
  assert.deepEqual([session.body.data.name, session.body.data.role], ['kim', 'viewer']);
  const again = await call('POST', '/session/links', {}, { cookie, 'x-bongsu-console': '1' });
  assert.deepEqual(
    [again.status, again.body.result],
    [403, 'A sign-in link needs a token; a session cannot create one'],
  );

  const ended = await make();
  const rows = (await call('GET', '/sessions')).body.data.sessions;
  const link = rows.find(({ agent }: { agent: string }) => agent?.includes('not opened'));
  await call('DELETE', `/sessions/${link.id}`);
  assert.equal((await open(ended)).status, 401);
  const late = await make();
  gateway.clock.advance(10 * 60_000);
  assert.equal((await open(late)).status, 401);
  const revoked = await make();
  await call('DELETE', `/operators/${kim.id}`);
  assert.equal((await open(revoked)).status, 401);
  const { entries } = (await call('GET', '/audit')).body.data;
  assert.ok(
    entries.some(({ action, name }: Record<string, string>) => action === 'session.link' && name === 'kim'),
  );
});
