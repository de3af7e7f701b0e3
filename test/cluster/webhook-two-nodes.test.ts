import assert from 'node:assert/strict';
import test from 'node:test';
import { Load, LoadAccount } from '../harness/load.ts';
import { sharedPostgres } from '../harness/postgres.ts';
import { bongsu, startServer } from '../harness/process.ts';
import { type Receiver, startReceiver } from '../harness/receiver.ts';
import { until } from '../harness/until.ts';

const ACCEPTED = 300;
const KEY = Buffer.alloc(32, 7).toString('base64');

const settingsFor = ({ url }: Receiver) => ['--report-mode', 'webhook', '--webhook-url', url];

test('two nodes push each record once while both live, and all of them when one is killed', async t => {
  const postgres = await sharedPostgres();
  t.after(() => postgres.stop());
  const receiver = await startReceiver(t);
  const env = {
    BONGSU_DATABASE_URL: await postgres.createDatabase('migrated'),
    ...LoadAccount.ENV,
    BONGSU_SECRET_KEY: KEY,
    BONGSU_WEBHOOK_PRIVATE: 'allow',
    BONGSU_SIMULATOR_LATENCY: '1-20ms',
    BONGSU_LOG: 'error',
  };
  const [one, two] = await Promise.all([startServer(t, env), startServer(t, env)]);
  await bongsu(['account', 'set', LoadAccount.ID, ...settingsFor(receiver)], env);
  const atOne = await LoadAccount.signIn(one.url);
  const atTwo = atOne.at(two.url);

  const calm = new Load([atOne, atTwo], 4);
  await until('enough is accepted', () => calm.accepted.length >= ACCEPTED);
  await calm.stop();
  await atTwo.queueIsEmpty();
  await receiver.allArrived(calm.accepted);
  const keys = receiver.received.map(({ record }) => record.msgKey);
  assert.equal(new Set(keys).size, keys.length, 'no record was pushed twice');

  const load = new Load([atOne, atTwo], 4);
  await until('enough is accepted', () => load.accepted.length >= ACCEPTED);
  await one.kill();
  await load.stop();
  await atTwo.queueIsEmpty();
  await receiver.allArrived(load.accepted);
  const calls = receiver.received.length;
  t.diagnostic(`${calm.accepted.length + load.accepted.length} accepted, ${calls} calls`);
});

test('without a key PostgreSQL keeps no webhook secrets, and says what to set', async t => {
  const postgres = await sharedPostgres();
  t.after(() => postgres.stop());
  const receiver = await startReceiver(t);
  const env = {
    BONGSU_DATABASE_URL: await postgres.createDatabase('migrated'),
    BONGSU_WEBHOOK_PRIVATE: 'allow',
  };
  await bongsu(['account', 'create', 'shop', ...settingsFor(receiver)], env);
  for (const command of ['rotate', 'test']) {
    const { code, stderr } = await bongsu(['webhook', command, 'shop'], env);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /BONGSU_SECRET_KEY is not set: with PostgreSQL, webhooks need it, with the same value on every node/,
    );
  }
  assert.match(
    (await bongsu(['webhook', 'show', 'shop'], env)).stdout,
    /sending +no: BONGSU_SECRET_KEY is not set/,
  );
  assert.equal(receiver.received.length, 0);
});
