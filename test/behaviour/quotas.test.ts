import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import test from 'node:test';
import type { AccountId } from '../../src/domain/ids.ts';
import { bearer } from '../harness/credentials.ts';
import { type Answer, type Client, testAccount, testGateway } from '../harness/gateway.ts';
import { image } from '../harness/images.ts';
import { Multipart } from '../harness/multipart.ts';
import { startReceiver } from '../harness/receiver.ts';
import { until } from '../harness/until.ts';

const SHOP = 'shop' as AccountId;
const DAY_MS = 86_400_000;
const IMAGE = image('jpg', 640, 480, 1000);
const BODY = Multipart.ofFile(IMAGE);

function upload(client: Client): Promise<Answer> {
  return client.call('POST', '/v1/file/MMS', BODY);
}

function countOf(answers: readonly Answer[], code: string): number {
  return answers.filter(({ body }) => body.code === code).length;
}

/** Uploads that were begun and neither kept nor discarded. */
function draftsIn(dataDir: string): string[] {
  const drafts = join(dataDir, 'files', 'incoming');
  return existsSync(drafts) ? readdirSync(drafts) : [];
}

test('concurrent uploads do not exceed the limit of files of an account', async t => {
  const { gateway, client } = await testAccount(t, {
    settings: { fileLimit: 3 },
    env: { BONGSU_FILE_LIFETIME: '1d' },
  });
  const other = await gateway.account('cafe');
  const answers = await Promise.all(Array.from({ length: 8 }, () => upload(client)));
  assert.deepEqual([countOf(answers, 'A000'), countOf(answers, 'A300')], [3, 5]);
  const result =
    'The upload exceeds the limit of 3 files for this account: files are deleted when they expire';
  const refused = await upload(client);
  assert.deepEqual(refused.refusal, [400, 'A300', result]);
  assert.deepEqual(draftsIn(gateway.dataDir), []);
  assert.equal((await upload(other)).body.code, 'A000');
  const byOperator = await gateway.operator('POST', '/accounts/shop/files/MMS', BODY);
  assert.equal(byOperator.body.result, result);

  await gateway.gateway.accounts.change(SHOP, { settings: { fileLimit: 4 } });
  assert.equal((await upload(client)).body.code, 'A000');
  gateway.clock.advance(DAY_MS - 60_000);
  const token = await gateway.token('shop');
  const later = (): Promise<Answer> =>
    gateway.request('POST', '/v1/file/MMS', { headers: bearer(token), body: BODY });
  assert.equal((await later()).body.code, 'A300');
  await until('expired files make room', async () => {
    gateway.clock.advance(60_000);
    return (await later()).body.code === 'A000';
  });
});

test('the limit of bytes of files cannot be exceeded', async t => {
  const { client } = await testAccount(t, { settings: { fileBytes: 2500 } });
  const answers = await Promise.all(Array.from({ length: 4 }, () => upload(client)));
  assert.deepEqual([countOf(answers, 'A000'), countOf(answers, 'A300')], [2, 2]);
  assert.equal(
    (await upload(client)).body.result,
    'The upload exceeds the limit of 2500 bytes of files for this account: files are deleted when they expire',
  );
});

test('the operator sees what an account has used of its quotas', async t => {
  const { gateway, client } = await testAccount(t, {
    settings: { fileLimit: 20, fileBytes: 5000 },
    env: { BONGSU_TOKENS_PER_ACCOUNT: '500' },
  });
  const call = gateway.operator;
  await upload(client);
  await upload(client);
  const messageForm = [{ sms: { from: '0212345678', text: 'hello' } }];
  const { formId } = (await client.call('POST', '/v1/form', { messageForm })).body.data;
  await client.call('POST', '/v1/form', { messageForm });
  await client.call('DELETE', `/v1/form/${formId}`);
  await gateway.token('shop');
  assert.deepEqual((await call('GET', '/accounts/shop')).body.data.usage, {
    forms: { used: 1, limit: 1000 },
    reservations: { used: 0, limit: 10_000 },
    reservationRecipients: { used: 0, limit: 2_000_000 },
    reservationBytes: { used: 0, limit: 2_000_000_000 },
    files: { used: 2, limit: 20 },
    fileBytes: { used: 2000, limit: 5000 },
    tokens: { used: 2, limit: 500 },
  });
  await call('PATCH', '/accounts/shop', { settings: { formLimit: 1, tokenLimit: 7 } });
  const { usage } = (await call('GET', '/accounts/shop')).body.data;
  assert.deepEqual([usage.forms, usage.tokens.limit], [{ used: 1, limit: 1 }, 7]);
  assert.equal((await client.call('POST', '/v1/form', { messageForm })).body.code, 'A300');
});

test('an account has as many tokens as its own limit says, from the next one on', async t => {
  const gateway = await testGateway(t, { BONGSU_TOKENS_PER_ACCOUNT: '1000' });
  const tokens = [(await gateway.account('shop')).token];
  const issue = async (count: number) => {
    for (let issued = 0; issued < count; issued++) {
      gateway.clock.advance(1000);
      tokens.push(await gateway.token('shop'));
    }
  };
  const live = async () => {
    const codes = await Promise.all(
      tokens.map(async token => {
        const headers = bearer(token);
        return (await gateway.request('GET', '/v1/report/polling', { headers })).body.code;
      }),
    );
    return codes.filter(code => code === 'A000').length;
  };
  await issue(14);
  assert.equal(await live(), 15);
  await gateway.gateway.accounts.change(SHOP, { settings: { tokenLimit: 5 } });
  await issue(1);
  assert.equal(await live(), 5);
  await gateway.gateway.accounts.change(SHOP, { settings: { tokenLimit: undefined } });
  await issue(3);
  assert.equal(await live(), 8);
});

test('tokens that are asked for at once keep to the limit too', async t => {
  const { gateway } = await testAccount(t, { settings: { tokenLimit: 2 } });
  // That of the account itself is older.
  gateway.clock.advance(1000);
  const tokens = await Promise.all(Array.from({ length: 12 }, () => gateway.token('shop')));
  const codes = await Promise.all(
    tokens.map(async token => {
      const headers = bearer(token);
      return (await gateway.request('GET', '/v1/report/polling', { headers })).body.code;
    }),
  );
  assert.deepEqual([tokens.length, codes.filter(code => code === 'A000').length], [12, 2]);
});

test('a node does not exceed the limit of simultaneous webhook calls of an account', async t => {
  const open: (() => void)[] = [];
  let most = 0;
  const receiver = await startReceiver(t, (response: ServerResponse, { record }) => {
    open.push(() => response.end(JSON.stringify({ msgKey: record.msgKey })));
    most = Math.max(most, open.length);
  });
  const { client } = await testAccount(t, {
    settings: { reportMode: 'webhook', webhookUrl: receiver.url, webhookCalls: 2 },
    env: { BONGSU_WEBHOOK_PRIVATE: 'allow' },
  });
  await Promise.all(Array.from({ length: 20 }, () => client.sms()));
  await until('all are delivered', () => {
    for (const answer of open.splice(0)) answer();
    return receiver.received.length === 20;
  });
  for (const answer of open.splice(0)) answer();
  assert.ok(most <= 2, `${most} calls at the same time`);
});
