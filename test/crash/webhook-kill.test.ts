import assert from 'node:assert/strict';
import test from 'node:test';
import { Load, LoadAccount } from '../harness/load.ts';
import { bongsu, startServer } from '../harness/process.ts';
import { acknowledge, startReceiver } from '../harness/receiver.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const ROUNDS = 3;
const ACCEPTED_PER_ROUND = 150;

test('after kill -9 under load, every record has arrived at the webhook, and repeats carry the same id', async t => {
  const receiver = await startReceiver(t, acknowledge);
  const env = {
    BONGSU_DATA_DIR: scratchDirectory('disk'),
    ...LoadAccount.ENV,
    BONGSU_WEBHOOK_PRIVATE: 'allow',
    BONGSU_SIMULATOR_LATENCY: '1-20ms',
    BONGSU_LOG: 'error',
  };
  const accepted: string[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const server = await startServer(t, env);
    if (round === 1) {
      const settings = ['--report-mode', 'webhook', '--webhook-url', receiver.url];
      await bongsu(['account', 'set', LoadAccount.ID, ...settings], env);
    }
    const load = new Load([await LoadAccount.signIn(server.url)], 8);
    const before = receiver.received.length;
    await until('enough is accepted', () => load.accepted.length >= ACCEPTED_PER_ROUND);
    await until('some have arrived', () => receiver.received.length > before);
    await server.kill();
    await load.stop();
    accepted.push(...load.accepted);
  }

  const server = await startServer(t, env);
  await (await LoadAccount.signIn(server.url)).queueIsEmpty();
  await receiver.allArrived(accepted);
  const idsOfKey = Map.groupBy(receiver.received, ({ record }) => record.msgKey);
  for (const calls of idsOfKey.values()) {
    assert.equal(new Set(calls.map(({ headers }) => headers['webhook-id'])).size, 1);
  }
  t.diagnostic(`${ROUNDS} kills, ${accepted.length} accepted, ${receiver.received.length} calls`);
  assert.equal((await server.stop()).code, 0);
});
