import assert from 'node:assert/strict';
import test from 'node:test';
import {
  ADMIN_TOKEN,
  collectReports,
  DEMO_ACCOUNT,
  Load,
  poll,
  queueIsEmpty,
  tokenOf,
} from '../harness/load.ts';
import { startServer } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const ROUNDS = 4;
const ACCEPTED_PER_ROUND = 400;

test('after kill -9 under load, every message answered A000 has exactly one report', async t => {
  const env = {
    BONGSU_DATA_DIR: scratchDirectory(),
    BONGSU_DEMO_ACCOUNT: DEMO_ACCOUNT,
    BONGSU_ADMIN_TOKEN: ADMIN_TOKEN,
    BONGSU_SIMULATOR_LATENCY: '1-20ms',
    BONGSU_LOG: 'error',
  };
  const accepted: string[] = [];
  let token: string | undefined;
  let heldBatch: string | undefined;

  for (let round = 1; round <= ROUNDS; round++) {
    const server = await startServer(t, env);
    token ??= await tokenOf(server.url);
    if (heldBatch !== undefined) {
      assert.equal(
        (await poll(server.url, token)).reportId,
        heldBatch,
        'the batch polled before the kill comes back',
      );
    }
    const load = new Load([server.url], token, 8);
    await until('enough is accepted', () => load.accepted.length >= ACCEPTED_PER_ROUND);
    const batch = await until('there is a batch', async () => {
      const polled = await poll(server.url, token ?? '');
      return polled.report && polled;
    });
    heldBatch = batch.reportId;
    await server.kill();
    await load.stop();
    accepted.push(...load.accepted);
  }

  const server = await startServer(t, env);
  assert.equal((await poll(server.url, token ?? '')).reportId, heldBatch);
  await queueIsEmpty(server.url);
  const records = await collectReports(server.url, token ?? '');

  assert.equal(new Set(accepted).size, accepted.length, 'no msgKey was given twice');
  const lost = accepted.filter(msgKey => !records.has(msgKey));
  assert.deepEqual(lost, [], 'nothing that was accepted is lost');
  const repeated = [...records].filter(([, count]) => count !== 1);
  assert.deepEqual(repeated, [], 'nothing is reported twice');
  t.diagnostic(`${ROUNDS} kills, ${accepted.length} messages answered A000, ${records.size} records`);
  assert.equal((await server.stop()).code, 0);
});

test('a second server on the same data directory is refused, and the first one lives on', async t => {
  const first = await startServer(t, { BONGSU_DEMO_ACCOUNT: DEMO_ACCOUNT });
  const env = { BONGSU_DATA_DIR: first.dataDir };
  await assert.rejects(startServer(t, env), /another bongsu serves this data directory/);
  assert.notEqual(await tokenOf(first.url), '');
});
