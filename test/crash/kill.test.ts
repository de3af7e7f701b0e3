import assert from 'node:assert/strict';
import test from 'node:test';
import { Load, LoadAccount } from '../harness/load.ts';
import { startServer } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const ROUNDS = 4;
const ACCEPTED_PER_ROUND = 400;

test('after kill -9 under load, every message answered A000 has exactly one report', async t => {
  const env = {
    BONGSU_DATA_DIR: scratchDirectory('disk'),
    ...LoadAccount.ENV,
    BONGSU_SIMULATOR_LATENCY: '1-20ms',
    BONGSU_LOG: 'error',
  };
  const accepted: string[] = [];
  let known: LoadAccount | undefined;
  let heldBatch: string | undefined;

  for (let round = 1; round <= ROUNDS; round++) {
    const server = await startServer(t, env);
    const account: LoadAccount = known?.at(server.url) ?? (await LoadAccount.signIn(server.url));
    known = account;
    if (heldBatch !== undefined) {
      assert.equal((await account.poll()).reportId, heldBatch, 'the batch polled before the kill comes back');
    }
    const load = new Load([account], 8);
    await until('enough is accepted', () => load.accepted.length >= ACCEPTED_PER_ROUND);
    const batch = await until('there is a batch', async () => {
      const polled = await account.poll();
      return polled.report && polled;
    });
    heldBatch = batch.reportId;
    await server.kill();
    await load.stop();
    accepted.push(...load.accepted);
  }

  const server = await startServer(t, env);
  const account = known?.at(server.url) ?? assert.fail('nobody signed in');
  assert.equal((await account.poll()).reportId, heldBatch);
  await account.queueIsEmpty();

  assert.equal(new Set(accepted).size, accepted.length, 'no msgKey was given twice');
  const records = await account.assertReportedOnce(accepted);
  t.diagnostic(`${ROUNDS} kills, ${accepted.length} messages answered A000, ${records} records`);
  assert.equal((await server.stop()).code, 0);
});

test('a second server on the same data directory is refused, and the first one lives on', async t => {
  const first = await startServer(t, LoadAccount.ENV);
  const env = { BONGSU_DATA_DIR: first.dataDir };
  await assert.rejects(startServer(t, env), /another bongsu serves this data directory/);
  assert.notEqual((await LoadAccount.signIn(first.url)).token, '');
});
