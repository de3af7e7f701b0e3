import assert from 'node:assert/strict';
import test from 'node:test';
import { bongsu, type Env } from '../harness/process.ts';
import { acknowledge, answerWith, startReceiver } from '../harness/receiver.ts';
import { scratchDirectory } from '../harness/scratch.ts';

const run = (env: Env, line: string) => bongsu(line.split(' '), env);

test('shows, tests and rotates the webhook of an account on the store itself', async t => {
  const receiver = await startReceiver(t);
  const env = { BONGSU_DATA_DIR: scratchDirectory(t), BONGSU_WEBHOOK_PRIVATE: 'allow' };
  await run(env, `account create shop --report-mode webhook --webhook-url ${receiver.url}`);

  const rotated = await run(env, 'webhook rotate shop');
  assert.match(rotated.stdout, /^secret {3}whsec_[A-Za-z0-9+/]{43}= {4}\(shown only once\)\n$/);

  const shown = JSON.parse((await run(env, 'webhook show shop --json')).stdout);
  assert.deepEqual([shown.url, shown.isOff, shown.secrets.length], [receiver.url, false, 1]);
  assert.match((await run(env, 'webhook show shop')).stdout, /^URL .*\nsending +yes\nwaiting records +0\n/);

  const fine = await run(env, 'webhook test shop');
  assert.equal(fine.code, 0);
  assert.match(fine.stdout, /^ok \(HTTP 200, \d+ ms\): The receiver answered as it should\n$/);
  receiver.respond = answerWith(500);
  const failed = await run(env, 'webhook test shop --json');
  assert.equal(failed.code, 1);
  assert.equal(JSON.parse(failed.stdout).detail, 'HTTP 500; expected 200');
  receiver.respond = acknowledge;

  const range = '--from 2026-01-01T00:00:00Z --until 2026-01-02T00:00:00Z';
  assert.equal(
    (await run(env, `webhook replay shop ${range}`)).stdout,
    '0 records of shop will be sent again\n',
  );
  assert.equal((await run(env, 'webhook resume shop')).code, 0);
});

test('an unknown account, a missing URL and a missing key are told', async t => {
  const env = { BONGSU_DATA_DIR: scratchDirectory(t) };
  assert.match((await run(env, 'webhook show nobody')).stderr, /There is no account "nobody"/);
  await run(env, 'account create shop');
  const untestable = await run(env, 'webhook test shop');
  assert.match(untestable.stderr, /The account "shop" has no webhook URL/);
  assert.equal(untestable.code, 1);
  const wrong = await run({ ...env, BONGSU_SECRET_KEY: 'short' }, 'webhook show shop');
  assert.match(wrong.stderr, /BONGSU_SECRET_KEY: expected 32 bytes in base64 or hexadecimal\n/);
});
