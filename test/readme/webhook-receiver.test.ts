import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { ManualClock } from '../../src/platform/clock.ts';
import { testGateway } from '../harness/gateway.ts';
import { scratchDirectory } from '../harness/scratch.ts';

test('the receiver in docs/webhooks.md takes what is signed with its secret, and nothing else', async t => {
  const page = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');
  const code = /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const file = join(scratchDirectory(), 'receiver.mjs');
  writeFileSync(file, code);

  const gateway = await testGateway(t, { BONGSU_WEBHOOK_PRIVATE: 'allow' }, new ManualClock(Date.now()));
  const call = async (name: string) =>
    (await gateway.operator('POST', `/accounts/shop/webhook/${name}`)).body.data;
  await gateway.account('shop');
  const { secret } = await call('secret');

  const receiver = spawn(process.execPath, [file], { env: { PORT: '0', WEBHOOK_SECRET: secret } });
  t.after(() => receiver.kill());
  const [line] = await once(receiver.stdout, 'data');
  const port = /receiving on port (\d+)/.exec(String(line))?.[1];
  const { accounts } = gateway.gateway;
  const [account] = await accounts.list();
  assert.ok(account);
  await accounts.change(account.id, { settings: { webhookUrl: `http://127.0.0.1:${port}/` } });

  assert.equal((await call('test')).isOk, true);
  await call('secret');
  assert.equal((await call('test')).isOk, true, 'the secret before a rotation still counts');
  await call('secret');
  assert.deepEqual((await call('test')).detail, 'HTTP 401; expected 200');
});
