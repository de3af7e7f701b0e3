import assert from 'node:assert/strict';
import test from 'node:test';
import { openOperator } from '../../src/composition/operator-tools.ts';
import { loadConfig } from '../../src/config/config.ts';
import { CHANNELS } from '../../src/domain/channels/channel.ts';
import type { AccountId } from '../../src/domain/ids.ts';
import { freshStore } from '../harness/engines.ts';
import { testGateway } from '../harness/gateway.ts';
import { filePart, image, MULTIPART_TYPE, multipart } from '../harness/images.ts';
import { BY_TOKEN, operatorOf, signIn } from '../harness/operator.ts';

test('an account is made, changed, blocked and given a new password', async t => {
  const gateway = await testGateway(t);
  const call = operatorOf(gateway);
  const made = await call('POST', '/accounts', { id: 'shop', settings: { sendRate: 5 } });
  assert.match(made.body.data.password, /^[0-9A-Z]{20}$/);
  assert.notEqual(await gateway.token('shop', made.body.data.password), '');
  assert.match((await call('POST', '/accounts', { id: 'shop' })).body.result, /already/);

  const changed = await call('PATCH', '/accounts/shop', { settings: { channels: ['sms'], sendRate: null } });
  assert.deepEqual(changed.body.data.settings.channels, ['sms']);
  assert.equal(changed.body.data.settings.sendRate, null);
  const wrong = await call('PATCH', '/accounts/shop', { settings: { callRate: 0 } });
  assert.deepEqual(wrong.body, {
    code: 'A300',
    result: '"settings.callRate" must be a whole number from 1, or null for no limit',
  });

  const { password } = (await call('POST', '/accounts/shop/password')).body.data;
  assert.equal(await gateway.token('shop', made.body.data.password), '');
  assert.notEqual(await gateway.token('shop', password), '');
  assert.equal((await call('PATCH', '/accounts/shop', { blocked: true })).body.data.blocked, true);
  assert.equal(await gateway.token('shop', password), '');
  assert.equal((await call('GET', '/accounts/nobody')).status, 404);

  const shown = (await call('GET', '/accounts')).text + (await call('GET', '/audit')).text;
  for (const secret of [password, made.body.data.password, 'scrypt']) assert.ok(!shown.includes(secret));
});

test('every change is in the audit log, with who made it and how', async t => {
  const gateway = await testGateway(t);
  const call = operatorOf(gateway);
  await call('POST', '/accounts', { id: 'shop' });
  const cookie = await signIn(gateway);
  const headers = { cookie, 'x-bongsu-console': '1' };
  await call('PATCH', '/accounts/shop', { settings: { adGuard: true } }, headers);
  await call('PUT', '/accounts/shop/registry/sender/0212345678', { number: '0212345678' });
  await call('PUT', '/simulator/chaos', { errorRate: 0.5 });
  await call('PATCH', '/accounts/shop', { settings: { adGuard: 'yes' } });
  await call('POST', '/accounts/shop/check/sms', {});
  const { entries, next } = (await call('GET', '/audit')).body.data;
  assert.deepEqual(
    entries.map(({ who, action, target }: Record<string, string>) => [who, action, target]),
    [
      ['token', 'chaos.set', ''],
      ['token', 'registry.put', 'shop/sender/0212345678'],
      ['session', 'account.change', 'shop'],
      ['session', 'session.open', '127.0.0.1'],
      ['token', 'account.create', 'shop'],
    ],
  );
  assert.equal(next, null);
  assert.deepEqual(entries[2].details, { settings: { adGuard: true } });
  const first = (await call('GET', '/audit?limit=2')).body.data;
  const rest = (await call('GET', `/audit?limit=5&cursor=${first.next}`)).body.data;
  assert.deepEqual([...first.entries, ...rest.entries], entries);
});

test('changes by the command line are in the audit log too', async t => {
  const store = await freshStore(t);
  const gateway = await testGateway(t, store);
  const { accounts, registry, carriers, webhooks, close } = await openOperator(
    loadConfig({ ...store, BONGSU_LOG: 'silent' }, CHANNELS),
  );
  const shop = 'shop' as AccountId;
  await accounts.create(shop, 'a secret password', { sendRate: 5 });
  await accounts.change(shop, { blocked: true });
  await accounts.setPassword(shop, 'another secret password');
  await accounts.change('nobody' as AccountId, { blocked: true });
  await registry.put('shop', [{ kind: 'sender', number: '0212345678' }]);
  await registry.remove('shop', 'sender', '0212345678');
  await carriers.pause('simulator');
  await carriers.pause('nobody knows it');
  await webhooks.rotate('shop');
  await close();
  const answer = await operatorOf(gateway)('GET', '/audit');
  assert.deepEqual(
    answer.body.data.entries.map(({ who, action, target, details }: Record<string, unknown>) => [
      who,
      action,
      target,
      details,
    ]),
    [
      ['cli', 'webhook.rotate', 'shop', {}],
      ['cli', 'carrier.pause', 'simulator', {}],
      ['cli', 'registry.remove', 'shop', { kind: 'sender', key: '0212345678' }],
      ['cli', 'registry.put', 'shop', { entries: 1, kinds: ['sender'] }],
      ['cli', 'account.password', 'shop', {}],
      ['cli', 'account.change', 'shop', { blocked: true }],
      ['cli', 'account.create', 'shop', { sendRate: 5 }],
    ],
  );
  assert.doesNotMatch(answer.text, /secret/);
});

test('the operator sends, uploads and collects reports for an account', async t => {
  const gateway = await testGateway(t);
  const client = await gateway.account('shop');
  const call = operatorOf(gateway);
  const body = { from: '0212345678', to: '01012345678', text: 'hello', ref: 'r1' };
  const sent = await call('POST', '/accounts/shop/send/sms', body);
  assert.deepEqual(Object.keys(sent.body), ['code', 'result', 'msgKey', 'ref']);
  const key = { 'idempotency-key': 'once', ...BY_TOKEN };
  const once = await call('POST', '/accounts/shop/send/sms', body, key);
  assert.equal((await call('POST', '/accounts/shop/send/sms', body, key)).text, once.text);
  await client.reportsOf(sent.body.msgKey);
  await client.reportsOf(once.body.msgKey);

  const batch = (await call('GET', '/accounts/shop/reports')).body.data;
  assert.equal(batch.report.length, 2);
  assert.equal((await client.poll()).body.data.reportId, batch.reportId);
  assert.equal((await call('DELETE', `/accounts/shop/reports/${batch.reportId}`)).status, 200);
  assert.equal((await client.poll()).body.data.report, null);

  const upload = await call('POST', '/accounts/shop/files/MMS', multipart(filePart(image('jpg', 640, 480))), {
    ...BY_TOKEN,
    'content-type': MULTIPART_TYPE,
  });
  const { fileKey } = upload.body.data;
  const { files } = (await call('GET', '/files?account=shop')).body.data;
  assert.deepEqual([files[0].fileKey, files[0].format, files.length], [fileKey, 'jpg', 1]);
  const url = `/admin/v1/files/${fileKey}/content`;
  const content = await gateway.gateway.http.inject({ url, headers: BY_TOKEN });
  assert.equal(content.headers['content-type'], 'image/jpeg');
  assert.equal(content.headers['x-content-type-options'], 'nosniff');
  assert.equal((await gateway.gateway.http.inject({ url })).statusCode, 403);

  assert.equal((await call('POST', '/accounts/nobody/send/sms', body)).status, 404);
  assert.equal((await call('POST', '/accounts/shop/send/pigeon', body)).status, 404);
  await call('PATCH', '/accounts/shop', { blocked: true });
  assert.equal((await call('POST', '/accounts/shop/send/sms', body)).body.code, 'A110');
});

test('forms of all accounts are listed, replaced and deleted', async t => {
  const gateway = await testGateway(t);
  const client = await gateway.account('shop');
  const call = operatorOf(gateway);
  const messageForm = [{ sms: { from: '0212345678', text: 'hello #{name}' } }];
  const { formId } = (await client.call('POST', '/v1/form', { messageForm })).body.data;
  const [form] = (await call('GET', '/forms')).body.data.forms;
  assert.deepEqual([form.account, form.formId, form.entries], ['shop', formId, messageForm]);
  assert.deepEqual((await call('GET', '/forms?account=cafe')).body.data.forms, []);
  const other = [{ sms: { from: '0212345678', text: 'bye' } }];
  await call('PUT', `/accounts/shop/forms/${formId}`, { messageForm: other });
  assert.deepEqual((await client.call('GET', `/v1/form/${formId}`)).body.data.messageForm, other);
  assert.equal((await call('DELETE', `/accounts/shop/forms/${formId}`)).status, 200);
  assert.equal((await call('DELETE', `/accounts/shop/forms/${formId}`)).body.code, 'A250');
});
