import assert from 'node:assert/strict';
import test from 'node:test';
import type { AccountId, FormId } from '../../src/domain/ids.ts';
import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import { testAccount, testGateway } from '../harness/gateway.ts';
import { image } from '../harness/images.ts';
import { Multipart } from '../harness/multipart.ts';
import { until } from '../harness/until.ts';

test('an account is made, changed, blocked and given a new password', async t => {
  const gateway = await testGateway(t);
  const call = gateway.operator;
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

test('accounts are listed by pages, in an order, and without their settings for a list of names', async t => {
  const { operator: call } = await testGateway(t);
  for (const id of ['shop', 'branch', 'shop-2']) await call('POST', '/accounts', { id });
  const first = (await call('GET', '/accounts?limit=2')).body.data;
  assert.deepEqual(
    first.accounts.map(({ id }: { id: string }) => id),
    ['branch', 'shop'],
  );
  assert.equal(first.accounts[0].settings.pull, true);
  const rest = (await call('GET', `/accounts?limit=2&cursor=${first.next}`)).body.data;
  assert.deepEqual([rest.accounts[0].id, rest.accounts.length, rest.next], ['shop-2', 1, null]);
  const brief = (await call('GET', '/accounts?search=SHOP&order=newest&settings=false')).body.data;
  assert.deepEqual(
    brief.accounts.map((account: object) => Object.keys(account)),
    [
      ['id', 'blocked', 'createdAt'],
      ['id', 'blocked', 'createdAt'],
    ],
  );
  for (const query of ['limit=1001', 'order=oldest', 'cursor=shop']) {
    assert.equal((await call('GET', `/accounts?${query}`)).body.code, 'A300', query);
  }
});

test('a setting that was changed meanwhile is not overwritten by a change that expects the old value', async t => {
  const gateway = await testGateway(t);
  const call = gateway.operator;
  await gateway.account('shop', { sendRate: 5, addresses: [] });
  const settingsNow = async () => (await call('GET', '/accounts/shop')).body.data.settings;

  const first = await call('PATCH', '/accounts/shop', {
    settings: { sendRate: 7 },
    expected: { sendRate: 5, callRate: null, addresses: [] },
  });
  assert.equal(first.body.data.settings.sendRate, 7);
  const second = await call('PATCH', '/accounts/shop', {
    settings: { sendRate: 9, formLimit: 3 },
    expected: { sendRate: 5, formLimit: (await settingsNow()).formLimit },
  });
  assert.deepEqual(
    [second.status, second.body.code, second.body.result],
    [409, 'A300', '"settings.sendRate" was changed meanwhile: it is 7 now'],
  );
  const after = await settingsNow();
  assert.deepEqual([after.sendRate, after.formLimit === 3], [7, false], 'all of the change or none');
  const { entries } = (await call('GET', '/audit')).body.data;
  const changes = entries.filter(({ action }: { action: string }) => action === 'account.change');
  assert.equal(changes.length, 1);
});

test('the operator sends, uploads and collects reports for an account', async t => {
  const { gateway, client } = await testAccount(t);
  const call = gateway.operator;
  const body = { from: '0212345678', to: '01012345678', text: 'hello', ref: 'r1' };
  const sent = await call('POST', '/accounts/shop/send/sms', body);
  assert.deepEqual(Object.keys(sent.body), ['code', 'result', 'msgKey', 'ref']);
  const key = { 'idempotency-key': 'once', ...bearer(ADMIN_TOKEN) };
  const once = await call('POST', '/accounts/shop/send/sms', body, key);
  assert.equal((await call('POST', '/accounts/shop/send/sms', body, key)).text, once.text);
  await client.reportsOf(sent.body.msgKey);
  await client.reportsOf(once.body.msgKey);

  const batch = (await call('GET', '/accounts/shop/reports')).body.data;
  assert.equal(batch.report.length, 2);
  assert.equal((await client.poll()).body.data.reportId, batch.reportId);
  assert.equal((await call('DELETE', `/accounts/shop/reports/${batch.reportId}`)).status, 200);
  assert.equal((await client.poll()).body.data.report, null);

  const upload = await call('POST', '/accounts/shop/files/MMS', Multipart.ofFile(image('jpg', 640, 480)));
  const { fileKey } = upload.body.data;
  const { files } = (await call('GET', '/files?account=shop')).body.data;
  assert.deepEqual([files[0].fileKey, files[0].format, files.length], [fileKey, 'jpg', 1]);
  const url = `/admin/v1/files/${fileKey}/content`;
  const content = await gateway.gateway.http.inject({ url, headers: bearer(ADMIN_TOKEN) });
  assert.equal(content.headers['content-type'], 'image/jpeg');
  assert.equal(content.headers['x-content-type-options'], 'nosniff');
  // It may be erased at any time.
  assert.equal(content.headers['cache-control'], 'private, max-age=600');
  assert.equal((await gateway.gateway.http.inject({ url })).statusCode, 403);

  assert.equal((await call('POST', '/accounts/nobody/send/sms', body)).status, 404);
  assert.equal((await call('POST', '/accounts/shop/send/pigeon', body)).status, 404);
  await call('PATCH', '/accounts/shop', { blocked: true });
  assert.equal((await call('POST', '/accounts/shop/send/sms', body)).body.code, 'A110');
});

test('the limits of number and size of forms cannot be exceeded', async t => {
  const { gateway, client } = await testAccount(t);
  await gateway.operator('PATCH', '/accounts/shop', { settings: { formLimit: 2 } });
  const flow = (text: string) => ({ messageForm: [{ sms: { from: '0212345678', text } }] });
  const save = (text = 'hello') => client.call('POST', '/v1/form', flow(text));
  const { formId } = (await save()).body.data;
  await save();
  const tooMany = 'The account has reached its limit of 2 forms: delete one';
  assert.deepEqual((await save()).refusal, [400, 'A300', tooMany]);
  assert.equal((await client.call('PUT', `/v1/form/${formId}`, flow('bye'))).body.code, 'A000');
  await client.call('DELETE', `/v1/form/${formId}`);
  const large = await save('#{word}'.repeat(10_000));
  assert.deepEqual(large.refusal, [400, 'A300', '"messageForm" is larger than 65536 bytes']);
  const last = (await save()).body.data.formId;
  const larger = await client.call('PUT', `/v1/form/${last}`, flow('x'.repeat(70_000)));
  assert.equal(larger.body.result, '"messageForm" is larger than 65536 bytes');
});

test('the list of forms has pages of at most about a mebibyte', async t => {
  const gateway = await testGateway(t);
  const call = gateway.operator;
  const { forms } = gateway.gateway.store;
  // As large as forms could be before they were bounded.
  const entries = JSON.stringify([{ sms: { from: '0212345678', text: 'x'.repeat(400_000) } }]);
  const ids: string[] = [];
  for (let count = 0; count < 7; count++) {
    const formId = `06C3Q8ZD9GYYRC3W1V5N2X4K7M0PTF0${count}` as FormId;
    await forms.put({ account: 'shop' as AccountId, formId, entries, savedAt: 0 });
    ids.unshift(formId);
  }
  const listed: string[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const answer = await call('GET', `/forms?limit=200&cursor=${next}`);
    assert.ok(answer.text.length < 1_100_000, `${answer.text.length}`);
    listed.push(...answer.body.data.forms.map(({ formId }: { formId: string }) => formId));
    next = answer.body.data.next;
  }
  assert.deepEqual(listed, ids);
  const two = (await call('GET', '/forms?account=shop&limit=1')).body.data;
  assert.deepEqual([two.forms.length, two.next], [1, ids[0]]);
  assert.equal((await call('GET', '/forms?cursor=x')).body.code, 'A300');
});

test('forms of all accounts are listed, replaced and deleted', async t => {
  const { gateway, client } = await testAccount(t);
  const call = gateway.operator;
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

const DAY_MS = 86_400_000;

test('only a blocked account without pending messages is deleted, and its id is never used again', async t => {
  const gateway = await testGateway(t, { BONGSU_INQUIRY_WINDOW: '5d' });
  const call = gateway.operator;
  const store = gateway.gateway.store;
  const shop = 'shop' as AccountId;
  const [client, other] = [await gateway.account('shop'), await gateway.account('other')];
  const made: Record<string, string> = {};
  for (const each of [client, other]) {
    const { msgKey = '' } = (await each.sms({ ref: 'r1' }, { 'idempotency-key': 'once' })).body;
    await each.reportsOf(msgKey);
    made[`${each.id} message`] = msgKey;
    const messageForm = [{ sms: { from: '0212345678', text: 'hello' } }];
    await each.call('POST', '/v1/form', { messageForm });
    made[`${each.id} file`] = (await each.upload('MMS', image('jpg', 640, 480))).fileKey;
    await call('PUT', `/accounts/${each.id}/registry/sender/0212345678`, { number: '0212345678' });
  }
  const remove = () => call('DELETE', '/accounts/shop');
  assert.match((await remove()).body.result, /Block the account "shop" first/);
  // It waits for a receipt that never comes.
  await client.sms({ to: '01012340006' });
  await call('PATCH', '/accounts/shop', { blocked: true });
  assert.match((await remove()).body.result, /^1 messages of "shop" are pending/);
  gateway.clock.advance(4 * DAY_MS);
  const removed = await until('nothing is on its way', async () => {
    gateway.clock.advance(60_000);
    const answer = await remove();
    return answer.body.code === 'A000' && answer;
  });
  assert.equal(Date.parse(removed.body.data.keptUntil) > gateway.clock.now() + 5 * DAY_MS, true);
  assert.equal((await remove()).status, 404);
  assert.notEqual((await client.poll()).body.code, 'A000');
  assert.equal(await gateway.token('shop'), '');
  assert.equal((await call('GET', '/accounts/shop')).status, 404);

  await until('its things are gone', async () => {
    gateway.clock.advance(60_000);
    const usage = await store.accounts.usage(shop, gateway.clock.now(), 10);
    return Object.values(usage).every(count => count === 0);
  });
  assert.deepEqual((await call('GET', '/forms?account=shop')).body.data.forms, []);
  assert.deepEqual((await call('GET', '/files?account=shop')).body.data.files, []);
  assert.equal((await gateway.request('GET', `/files/${made['shop file']}`)).status, 404);
  assert.equal((await call('GET', '/accounts/other/registry')).body.data.entries.length, 1);
  assert.equal((await call('GET', '/forms?account=other')).body.data.forms.length, 1);
  assert.equal((await gateway.gateway.http.inject({ url: `/files/${made['other file']}` })).statusCode, 200);

  const message = (await call('GET', `/messages/${made['shop message']}`)).body.data;
  assert.deepEqual([message.account, message.reports.length], ['shop', 1], 'what was sent can be looked up');
  const isTaken = async () => {
    const taken = await call('POST', '/accounts', { id: 'shop' });
    assert.match(taken.body.result, /was deleted, and its id cannot be used again/);
  };
  await isTaken();
  gateway.clock.advance(7 * DAY_MS);
  await until('its messages are gone', async () => {
    gateway.clock.advance(60_000);
    return (await call('GET', `/messages/${made['shop message']}`)).status === 404;
  });
  await isTaken();
});

test('a file is deleted before it expires, unless a message on its way needs it', async t => {
  const { gateway, client } = await testAccount(t);
  const call = gateway.operator;
  const upload = async () => (await client.upload('MMS', image('jpg', 640, 480))).fileKey;
  // Two files of one content.
  const [used, twin] = [await upload(), await upload()];
  const shown = async (fileKey: string) =>
    (await gateway.gateway.http.inject({ url: `/files/${fileKey}` })).statusCode;
  await call('POST', '/carriers/simulator/pause');
  const mms = { from: '0212345678', to: '01012345678', text: 'hello', fileKey: [used] };
  const { msgKey = '' } = (await client.call('POST', '/v1/send/mms', mms)).body;
  const refused = await call('DELETE', `/files/${used}`);
  assert.match(refused.body.result, new RegExp(`Message ${msgKey} is pending and needs this file`));

  assert.equal((await call('DELETE', `/files/${twin}`)).body.code, 'A000');
  assert.deepEqual([await shown(used), await shown(twin)], [200, 404]);
  await call('POST', '/carriers/simulator/resume');
  await client.reportsOf(msgKey);
  assert.equal((await call('DELETE', `/files/${used}`)).body.code, 'A000');
  assert.equal(await shown(used), 404);
  assert.deepEqual((await call('GET', '/files')).body.data.files, []);
  for (const fileKey of [used, 'nothing', '0'.repeat(32)]) {
    assert.equal((await call('DELETE', `/files/${fileKey}`)).status, 404);
  }
  const [entry] = (await call('GET', '/audit')).body.data.entries;
  assert.deepEqual([entry.action, entry.target, entry.details.fileKey], ['file.delete', 'shop', used]);
});
