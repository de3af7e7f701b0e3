import assert from 'node:assert/strict';
import test from 'node:test';
import { Load, LoadAccount } from '../harness/load.ts';
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
    ...LoadAccount.ENV,
    BONGSU_SIMULATOR_LATENCY: '1-20ms',
    BONGSU_LOG: 'debug',
  };
  const [one, two] = await Promise.all([startServer(t, env), startServer(t, env)]);
  const atOne = await LoadAccount.signIn(one.url);
  const atTwo = atOne.at(two.url);

  const load = new Load([atOne, atTwo], 4);
  await until('enough is accepted', () => load.accepted.length >= ACCEPTED_BEFORE_KILL);
  const batch = await until('there is a batch', async () => {
    const polled = await atOne.poll();
    return polled.report && polled;
  });
  assert.deepEqual(await atTwo.poll(), batch, 'a token of one works on the other, both hand out one batch');

  await one.kill();
  const before = load.accepted.length;
  await until('the other goes on', () => load.accepted.length >= before + ACCEPTED_AFTER_KILL);
  await load.stop();
  await atTwo.queueIsEmpty();
  assert.equal((await atTwo.poll()).reportId, batch.reportId);
  const records = await atTwo.assertReportedOnce(load.accepted);

  // A node logs a submit when its answer is there. What the dead one had submitted without an answer is repeated
  // under the same attempt id by the survivor, because the simulated network is idempotent on it; an attempt that
  // was answered on one node must not appear on the other unless it was taken over.
  const survivors = submitsOf(two);
  assert.equal(new Set(survivors).size, survivors.length, 'no node submits an attempt twice');
  const repeated = submitsOf(one).filter(attempt => survivors.includes(attempt));
  const takenOver = takenOverBy(two);
  assert.ok(repeated.length <= takenOver, `${repeated.length} repeated, ${takenOver} taken over`);
  t.diagnostic(`${load.accepted.length} accepted, ${records} records, ${takenOver} taken over`);
});

function takenOverBy(server: ServerProcess): number {
  return server
    .stderr()
    .split('\n')
    .filter(line => line.includes('"event":"takenOver"'))
    .reduce((sum, line) => sum + JSON.parse(line).steps, 0);
}
