import assert from 'node:assert/strict';
import test from 'node:test';
import { testGateway } from '../harness/gateway.ts';
import { filePart, image, MULTIPART_TYPE, multipart } from '../harness/images.ts';
import { BY_TOKEN, operatorOf } from '../harness/operator.ts';

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
