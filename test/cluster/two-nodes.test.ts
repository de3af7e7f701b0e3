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
import { startPostgres } from '../harness/postgres.ts';
import { type ServerProcess, startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';

const ACCEPTED_BEFORE_KILL = 500;
const ACCEPTED_AFTER_KILL = 300;

/** Attempts that a node logged as submitted. */
function submitsOf(server: ServerProcess): string[] {
  return server
    .stderr()
    .split('\n')
    .filter(line => line.includes('"event":"submitted"'))
    .map(line => JSON.parse(line))
    .map(({ msgKey, step, attempt }) => `${msgKey}-${step}-${attempt}`);
}

test('two nodes share one PostgreSQL; one is killed; nothing is lost and nothing reported twice', async t => {
  const postgres = await startPostgres({ fsync: true });
  t.after(() => postgres.stop());
  const env = {
    BONGSU_DATABASE_URL: await postgres.createDatabase(),
    BONGSU_DEMO_ACCOUNT: DEMO_ACCOUNT,
    BONGSU_ADMIN_TOKEN: ADMIN_TOKEN,
    BONGSU_SIMULATOR_LATENCY: '1-20ms',
    BONGSU_LOG: 'debug',
  };
  const [one, two] = await Promise.all([startServer(t, env), startServer(t, env)]);
  const token = await tokenOf(one.url);

  const load = new Load([one.url, two.url], token, 8);
  await until('enough is accepted', () => load.accepted.length >= ACCEPTED_BEFORE_KILL);
  const batch = await until('there is a batch', async () => {
    const polled = await poll(one.url, token);
    return polled.report && polled;
  });
  assert.deepEqual(
    await poll(two.url, token),
    batch,
    'a token of one works on the other, both hand out one batch',
  );

  await one.kill();
  const before = load.accepted.length;
  await until('the other goes on', () => load.accepted.length >= before + ACCEPTED_AFTER_KILL);
  await load.stop();
  await queueIsEmpty(two.url);
  assert.equal((await poll(two.url, token)).reportId, batch.reportId);
  const records = await collectReports(two.url, token);

  const lost = load.accepted.filter(msgKey => !records.has(msgKey));
  assert.deepEqual(lost, [], 'nothing that was accepted is lost');
  assert.deepEqual(
    [...records].filter(([, count]) => count !== 1),
    [],
    'nothing is reported twice',
  );

  // A node logs a submit when its answer is there. What the dead one had submitted without an answer is repeated
  // under the same attempt id by the survivor, because the simulated network is idempotent on it; an attempt that
  // was answered on one node must not appear on the other unless it was taken over.
  const survivors = submitsOf(two);
  assert.equal(new Set(survivors).size, survivors.length, 'no node submits an attempt twice');
  const repeated = submitsOf(one).filter(attempt => survivors.includes(attempt));
  const takenOver = takenOverBy(two);
  assert.ok(repeated.length <= takenOver, `${repeated.length} repeated, ${takenOver} taken over`);
  t.diagnostic(`${load.accepted.length} accepted, ${records.size} records, ${takenOver} taken over`);
});

function takenOverBy(server: ServerProcess): number {
  return server
    .stderr()
    .split('\n')
    .filter(line => line.includes('"event":"takenOver"'))
    .reduce((sum, line) => sum + JSON.parse(line).steps, 0);
}
