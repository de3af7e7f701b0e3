import assert from 'node:assert/strict';
import test from 'node:test';
import type { AccountId } from '../../src/domain/ids.ts';
import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import { testAccount, testGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';

test('the health paths answer HEAD as they answer GET, without the body', async t => {
  const { gateway } = await testGateway(t);
  const address = await gateway.listen({ host: '127.0.0.1', port: 0 });
  for (const path of ['/healthz', '/readyz', '/metrics']) {
    const answer = await fetch(`${address}${path}`, { method: 'HEAD' });
    const { statusCode, headers } = await gateway.http.inject({ method: 'GET', url: path });
    assert.deepEqual([answer.status, await answer.text()], [statusCode, ''], path);
    assert.equal(answer.headers.get('content-type'), headers['content-type'], path);
  }
});

test('/healthz tells that the process lives, /readyz that the store answers', async t => {
  const gateway = await testGateway(t);
  assert.equal((await gateway.request('GET', '/healthz')).status, 200);
  assert.equal((await gateway.request('GET', '/readyz')).status, 200);
  t.mock.method(gateway.gateway.store, 'ping', async () => {
    throw new Error('gone');
  });
  const notReady = await gateway.request('GET', '/readyz');
  assert.equal(notReady.status, 503);
  assert.deepEqual(notReady.body, { code: 'A920', result: 'Not ready: the store does not answer' });
  assert.equal((await gateway.request('GET', '/healthz')).status, 200);
});

test('/readyz tells that the queue does not move', async t => {
  const { gateway, client } = await testAccount(t);
  const claim = Promise.withResolvers<never[]>();
  t.mock.method(gateway.gateway.store.queue, 'claim', () => claim.promise);
  await gateway.holdQueue();
  await client.sms();
  await gateway.releaseQueue();
  await until('it is not ready', async () => {
    gateway.clock.advance(10_000);
    const answer = await gateway.request('GET', '/readyz');
    return answer.status === 503 && answer.body.result === 'Not ready: the queue does not move';
  });
  claim.resolve([]);
});

test('/metrics, which needs no token, names no account, number, sender or text', async t => {
  const gateway = await testGateway(t);
  const client = await gateway.account('named-account', { reportMode: 'webhook', fileLimit: 0 });
  const { msgKey } = (await client.sms({ text: 'a text of its own', ref: 'reference-1' })).body;
  await client.reportsOf(msgKey);
  await client.sms({ to: 'no number' });
  await client.call('POST', '/v1/form', { messageForm: [] });
  await client.call('GET', '/v1/report/inquiry/named-path');
  await gateway.token('named-account', 'a wrong password');
  const { body } = await gateway.gateway.http.inject({ url: '/metrics' });
  assert.match(body, /^bongsu_messages_accepted_total\{channel="sms"\} 1$/m);
  assert.doesNotMatch(body, /named-|01012345678|0212345678|text of its own|reference-1/);
  assert.ok(!body.includes(String(msgKey)));
});

test('a flood of calls for /metrics is answered with what was there a moment ago', async t => {
  const { gateway, client } = await testAccount(t);
  const read = async () => (await gateway.gateway.http.inject({ url: '/metrics' })).body;
  for (let call = 0; call < 250; call++) await read();
  await client.sms();
  const accepted = /^bongsu_messages_accepted_total\{channel="sms"\} 1$/m;
  assert.doesNotMatch(await read(), accepted);
  gateway.clock.advance(1000);
  assert.match(await read(), accepted);
});

test('/metrics counts accepts, submits, outcomes, commits and the queue', async t => {
  const { gateway, client } = await testAccount(t);
  await client.reportsOf((await client.sms()).body.msgKey);
  await client.reportsOf((await client.international({ to: '+14155550001' })).body.msgKey);
  gateway.clock.advance(1000);
  const response = await until('the queue is measured', async () => {
    const answer = await gateway.gateway.http.inject({ method: 'GET', url: '/metrics' });
    return answer.body.includes('bongsu_queue_depth{') && answer;
  });
  for (const line of [
    'bongsu_messages_accepted_total{channel="sms"} 1',
    'bongsu_messages_accepted_total{channel="international"} 1',
    'bongsu_submits_total{carrier="simulator",answer="accepted"} 2',
    'bongsu_steps_ended_total{service="SMS",code="10000"} 1',
    'bongsu_steps_ended_total{service="INTERNATIONAL",code="23001"} 1',
    'bongsu_queue_depth{phase="ready"}',
    'bongsu_queue_head_age_seconds',
    'bongsu_commit_batch_size_count',
    'bongsu_http_request_seconds_count{route="/v1/send/sms",status="200"} 1',
  ]) {
    assert.ok(response.body.includes(line), line);
  }
});

test('nothing under /admin answers without the admin token', async t => {
  const { gateway, client } = await testAccount(t);
  for (const authorization of ['', 'Bearer wrong', `Bearer ${client.token}`]) {
    for (const url of ['/admin/v1/queue', '/admin/v1/messages/x', '/admin/v1/simulator/chaos']) {
      const answer = await gateway.request('GET', url, { headers: { authorization } });
      assert.deepEqual([answer.status, answer.body.code], [403, 'A002'], url);
    }
  }
  assert.equal((await gateway.operator('GET', '/queue')).status, 200);
  const unknown = await gateway.operator('GET', '/messages/x');
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'A300']);
});

test('the admin token is no token of an account', async t => {
  const gateway = await testGateway(t);
  const headers = bearer(ADMIN_TOKEN);
  assert.equal((await gateway.request('GET', '/v1/report/polling', { headers })).body.code, 'A002');
});

test('without a configured one, the sandbox generates an admin token once', async t => {
  const gateway = await testGateway(t, { BONGSU_ADMIN_TOKEN: '' });
  const first = await gateway.gateway.prepareSandbox();
  const headers = bearer(first.adminToken ?? '');
  assert.equal((await gateway.request('GET', '/admin/v1/queue', { headers })).status, 200);
  assert.equal((await gateway.gateway.prepareSandbox()).adminToken, undefined);
});

test('the demo account is created once, with a generated or a given password', async t => {
  const gateway = await testGateway(t);
  const first = await gateway.gateway.prepareSandbox();
  assert.equal(first.demoId, 'demo');
  assert.notEqual(await gateway.token('demo', first.demoPassword), '');
  assert.equal((await gateway.gateway.prepareSandbox()).demoPassword, undefined);

  const given = await testGateway(t, { BONGSU_DEMO_ACCOUNT: 'me:my password' });
  await given.gateway.prepareSandbox();
  assert.notEqual(await given.token('me', 'my password'), '');
});

test('production has no simulated network unless it is configured', async t => {
  const { client } = await testAccount(t, { env: { BONGSU_MODE: 'production' } });
  const answer = await client.sms();
  assert.deepEqual(answer.body, {
    code: 'A325',
    result: 'no carrier is configured for "sms" to this recipient',
  });
});

test('an account that is gone from the store has no valid token', async t => {
  const { gateway, client } = await testAccount(t);
  t.mock.method(gateway.gateway.store.accounts, 'find', async (id: AccountId) =>
    id ? undefined : undefined,
  );
  assert.equal((await client.poll()).body.code, 'A002');
});
