import assert from 'node:assert/strict';
import test from 'node:test';
import { openGateway } from '../../src/composition/gateway.ts';
import { loadConfig } from '../../src/config/config.ts';
import { CHANNELS } from '../../src/domain/channels/channel.ts';
import type { AccountId } from '../../src/domain/ids.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { bearer } from '../harness/credentials.ts';
import { bongsu, startServer } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const AGE_MS = 90_000;

/** A store in which messages have waited for their turn, because the gateway that took them never sent. */
async function storeWithQueue(recipients: readonly string[]): Promise<string> {
  const dataDir = scratchDirectory();
  const config = loadConfig({ BONGSU_DATA_DIR: dataDir, BONGSU_LOG: 'silent' }, CHANNELS);
  const clock = new ManualClock(Date.now() - AGE_MS);
  const gateway = await openGateway(config, { clock });
  await gateway.accounts.create('shop' as AccountId, 'password');
  const headers = { 'x-svc-client-id': 'shop', 'x-svc-client-passwd': 'password' };
  const token = await gateway.http.inject({ method: 'POST', url: '/v1/auth/token', headers });
  for (const to of recipients) {
    const sent = await gateway.http.inject({
      method: 'POST',
      url: '/v1/send/sms',
      headers: bearer(token.json().data.token),
      payload: { from: '0212345678', to, text: 'hello' },
    });
    assert.equal(sent.json().code, 'A000');
    clock.advance(1);
  }
  await gateway.close();
  return dataDir;
}

test('queue show counts by phase and shows the age of the oldest', async () => {
  const env = { BONGSU_DATA_DIR: await storeWithQueue(['01012345678', '01012345679']) };
  const { code, stdout } = await bongsu(['queue', 'show', '--json'], env);
  assert.equal(code, 0);
  const { headAgeMs, headDueAt, ...depth } = JSON.parse(stdout);
  assert.deepEqual(depth, { ready: 2, claimed: 0, waiting: 0, putOff: 0 });
  assert.ok(headAgeMs >= AGE_MS && headAgeMs < AGE_MS * 10, `${headAgeMs}`);
  assert.match(headDueAt, /\+09:00$/);

  const human = (await bongsu(['queue', 'show'], env)).stdout;
  assert.match(human, /^PHASE +MESSAGES +MEANING\nready +2 /);
  assert.match(human, /\noldest ready message: \d+\.\d s, due /);
});

test('queue peek shows the oldest messages with masked recipients, as many as asked', async () => {
  const env = { BONGSU_DATA_DIR: await storeWithQueue(['01012345678', '01012345679']) };
  const messages = JSON.parse((await bongsu(['queue', 'peek', '--limit', '1', '--json'], env)).stdout);
  assert.equal(messages.length, 1);
  const { msgKey, acceptedAt, ...rest } = messages[0];
  assert.match(msgKey, /^[0-9A-Z]{32}$/);
  assert.match(acceptedAt, /\+09:00$/);
  assert.deepEqual(rest, {
    account: 'shop',
    to: '010****5678',
    channel: 'sms',
    state: 'queued',
    step: 0,
    attempt: 0,
    postponedUntil: null,
  });

  const human = (await bongsu(['queue', 'peek'], env)).stdout;
  assert.match(human, /^MSGKEY +ACCOUNT +TO +CHANNEL +STATE +STEP +ATTEMPT +ACCEPTED +POSTPONED UNTIL *\n/);
  assert.equal(human.match(/010\*{4}567[89] +sms +queued +0 +0 /g)?.length, 2);
  assert.doesNotMatch(human, /01012345678/);
});

test('an empty queue says so', async () => {
  const env = { BONGSU_DATA_DIR: scratchDirectory() };
  await bongsu(['account', 'create', 'shop'], env);
  const { stdout } = await bongsu(['queue', 'show', '--json'], env);
  assert.deepEqual(JSON.parse(stdout), {
    ready: 0,
    claimed: 0,
    waiting: 0,
    putOff: 0,
    headDueAt: null,
    headAgeMs: null,
  });
  assert.match((await bongsu(['queue', 'show'], env)).stdout, /\noldest ready message: none\n$/);
  assert.match((await bongsu(['queue', 'peek'], env)).stdout, /^no messages are being delivered in /);
});

test('the queue of a running server is seen from beside it', async t => {
  const server = await startServer(t, { BONGSU_DEMO_ACCOUNT: 'demo:password-of-the-test' });
  const client = { BONGSU_CLIENT_ID: 'demo', BONGSU_CLIENT_PASSWORD: 'password-of-the-test' };
  const message = ['--from', '0212345678', '--to', '01012340006', '--text', 'silence'];
  const sent = await bongsu(['send', ...message], { BONGSU_URL: server.url, ...client });
  const env = { BONGSU_DATA_DIR: server.dataDir };
  const [seen] = await until('the message is with the carrier', async () => {
    const messages = JSON.parse((await bongsu(['queue', 'peek', '--json'], env)).stdout);
    return messages[0]?.state === 'submitted' && messages;
  });
  assert.equal(seen.msgKey, sent.stdout.trim());
  assert.equal(seen.attempt, 1);
  assert.equal(JSON.parse((await bongsu(['queue', 'show', '--json'], env)).stdout).waiting, 1);
});
