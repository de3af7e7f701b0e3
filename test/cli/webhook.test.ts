import assert from 'node:assert/strict';
import test from 'node:test';
import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import { bongsu, type Env, startServer } from '../harness/process.ts';
import { acknowledge, answerWith, startReceiver } from '../harness/receiver.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const run = (env: Env, line: string) => bongsu(line.split(' '), env);

test('shows, tests and rotates the webhook of an account on the store itself', async t => {
  const receiver = await startReceiver(t);
  const env = { BONGSU_DATA_DIR: scratchDirectory(), BONGSU_WEBHOOK_PRIVATE: 'allow' };
  await run(env, 'account create shop');
  const added = await run(env, `webhook add shop ${receiver.url}`);
  assert.match(added.stdout, /^account +shop\nURL .*\nsecret +whsec_.* \(shown only once\)\n$/);

  const rotated = await run(env, 'webhook rotate shop');
  assert.match(rotated.stdout, /^secret {3}whsec_[A-Za-z0-9+/]{43}= {4}\(shown only once\)\n$/);

  const shown = JSON.parse((await run(env, 'webhook show shop --json')).stdout);
  assert.deepEqual([shown.url, shown.isOff, shown.secrets.length], [receiver.url, false, 2]);
  assert.deepEqual([shown.circuit, shown.trouble], ['closed', null]);
  assert.match((await run(env, 'webhook show shop')).stdout, /^URL .*\nsending +yes\nwaiting records +0\n/);

  const fine = await run(env, 'webhook test shop');
  assert.equal(fine.code, 0);
  assert.match(fine.stdout, /^ok \(HTTP 200, \d+ ms\): The receiver answered correctly\n$/);
  receiver.respond = answerWith(500, {}, 'out of order');
  const failed = await run(env, 'webhook test shop --json');
  assert.equal(failed.code, 1);
  assert.equal(JSON.parse(failed.stdout).detail, 'HTTP 500; expected 200');
  assert.equal(JSON.parse(failed.stdout).exchange.answer.body, 'out of order');
  receiver.respond = acknowledge;

  const range = '--from 2026-01-01T00:00:00Z --until 2026-01-02T00:00:00Z';
  assert.equal(
    (await run(env, `webhook replay shop ${range}`)).stdout,
    '0 records of shop will be sent again\n',
  );
  assert.equal(
    (await run(env, `webhook retry shop ${range}`)).stdout,
    '0 records of shop will be sent now\n',
  );
  const resumed = await run(env, 'webhook resume shop');
  assert.match(resumed.stdout, /^the webhook of shop was not off: nothing to resume\nURL .*\nsending +yes\n/);
});

test('the command line says of a failing receiver what the console says', async t => {
  const receiver = await startReceiver(t, answerWith(503));
  const server = await startServer(t, {
    BONGSU_DEMO_ACCOUNT: 'demo:a password for tests',
    BONGSU_ADMIN_TOKEN: ADMIN_TOKEN,
    BONGSU_WEBHOOK_PRIVATE: 'allow',
  });
  const env = { BONGSU_DATA_DIR: server.dataDir };
  const headers = { ...bearer(ADMIN_TOKEN), 'content-type': 'application/json' };
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${server.url}/admin/v1${path}`, {
      ...{ method, headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    return ((await response.json()) as { data: { circuit: string; deliveries: { id: string }[] } }).data;
  };
  await call('PATCH', '/accounts/demo', { settings: { reportMode: 'webhook', webhookUrl: receiver.url } });
  const sms = { from: '0212345678', to: '01012345678', text: 'hello' };
  for (let index = 0; index < 6; index++) await call('POST', '/accounts/demo/send/sms', sms);
  await until(
    'the circuit is open',
    async () => (await call('GET', '/accounts/demo/webhook')).circuit === 'open',
  );
  const shown = JSON.parse((await run(env, 'webhook show demo --json')).stdout);
  assert.deepEqual(shown, await call('GET', '/accounts/demo/webhook'));
  const listed = await run(env, 'webhook deliveries demo --state retrying');
  assert.match(listed.stdout, /^DELIVERY +STATE .*\n\w+-0 +retrying +1 .*HTTP 503; expected 200/);
  receiver.respond = acknowledge;
  const [{ id = '' } = {}] = (await call('GET', '/webhooks?state=retrying')).deliveries;
  assert.equal((await run(env, `webhook retry demo --delivery ${id}`)).stdout, `${id} will be sent now\n`);
});

test('an unknown account, a missing URL and a missing key are told', async () => {
  const env = { BONGSU_DATA_DIR: scratchDirectory() };
  await run(env, 'account create shop');
  assert.match((await run(env, 'webhook show nobody')).stderr, /There is no account "nobody"/);
  const untestable = await run(env, 'webhook test shop');
  assert.match(untestable.stderr, /The account "shop" has no webhook URL/);
  assert.equal(untestable.code, 1);
  const wrong = await run({ ...env, BONGSU_SECRET_KEY: 'short' }, 'webhook show shop');
  assert.match(wrong.stderr, /BONGSU_SECRET_KEY: expected 32 bytes in base64 or hexadecimal\n/);
});

test('a webhook URL that would not be called is refused at once, unless the address is allowed', async () => {
  const env = { BONGSU_DATA_DIR: scratchDirectory() };
  await run(env, 'account create shop');
  for (const [url, host] of [
    ['http://127.0.0.1:9/', '127.0.0.1'],
    ['http://10.1.2.3/r', '10.1.2.3'],
    ['http://[::1]/r', '::1'],
    ['http://localhost:3000/r', 'localhost'],
  ] as const) {
    for (const line of [`webhook add shop ${url}`, `account set shop --webhook-url ${url}`]) {
      const { code, stderr } = await run(env, line);
      assert.equal(code, 1, line);
      assert.ok(stderr.includes(`cannot be called: ${host} is not a public address`), stderr);
    }
  }
  const created = await run(env, 'account create other --webhook-url http://127.0.0.1:9/');
  assert.equal(created.code, 1);
  const shown = JSON.parse((await run(env, 'account show shop --json')).stdout);
  assert.equal(shown.settings.webhookUrl, null);
  assert.equal((await run(env, 'webhook add shop https://shop.example/r')).code, 0);
});
