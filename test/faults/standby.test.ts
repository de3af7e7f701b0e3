/** A PostgreSQL whose commits wait for a standby that does not answer: nothing is acknowledged that a failover could lose. */
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { Client } from 'pg';
import { ManualClock } from '../../src/platform/clock.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { StoreFault } from '../../src/store/store.ts';
import { startPostgres, type TestPostgres } from '../harness/postgres.ts';
import { until } from '../harness/until.ts';
import { StoreUnderTest } from '../store/contract/store-under-test.ts';

const TIMEOUT_MS = 1_500;
/** More than a node has connections. */
const ACCEPTS = 40;

let server: TestPostgres;
before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

async function bench(t: TestContext) {
  const url = await server.databaseFor(t);
  const clock = new ManualClock();
  const store = await openPostgresStore({ url, now: () => clock.now(), timeoutMs: TIMEOUT_MS });
  const admin = new Client(url);
  await admin.connect();
  const rows = async (text: string) => (await admin.query(text)).rows;
  const waitForStandby = async (name: string) => {
    // Neither is a transaction that would wait itself.
    await admin.query(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
    await admin.query('SELECT pg_reload_conf()');
    await until('it is in effect', async () => (name === '' ? isEveryoneFree() : isHeldUp(probe())));
  };
  const isEveryoneFree = async () => {
    const [row] = await rows('SHOW synchronous_standby_names');
    return row?.synchronous_standby_names === '';
  };
  /** A commit of its own: the server begins to wait some time after its sessions have read the setting. */
  const probe = async () => {
    const client = new Client(url);
    await client.connect();
    const committed = client.query("SELECT pg_logical_emit_message(true, 'probe', '')");
    return { client, committed };
  };
  const isHeldUp = async (probing: ReturnType<typeof probe>) => {
    const { client, committed } = await probing;
    let isOver = false;
    const over = committed.finally(() => {
      isOver = true;
    });
    const pids = await until('the probe waits or is over', async () => {
      const found = await waiting();
      return (isOver || found.length > 0) && found;
    });
    for (const pid of pids) await rows(`SELECT pg_cancel_backend(${pid})`);
    await over;
    await client.end();
    return pids.length > 0;
  };
  const waiting = async () =>
    (await rows("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'")).map(({ pid }) =>
      Number(pid),
    );
  t.after(async () => {
    await waitForStandby('');
    await store.close();
    await admin.end();
  });
  const node = new StoreUnderTest(store, clock, async () => store);
  return {
    store,
    node,
    rows,
    waitForStandby,
    waiting,
    cancel: (pid: number) => rows(`SELECT pg_cancel_backend(${pid})`),
  };
}

const outcomeOf = (accepted: Promise<unknown>) =>
  accepted.then(
    () => 'stored',
    error => (error instanceof StoreFault ? error.outcome : String(error)),
  );

test('a commit that no standby confirmed stays in doubt and unseen, and counts when one does', async t => {
  const { store, node, rows, waitForStandby, waiting } = await bench(t);
  await waitForStandby('nobody');
  const outcomes = await Promise.all(
    Array.from({ length: ACCEPTS }, () => outcomeOf(node.accept(node.request({})))),
  );
  assert.ok(outcomes.includes('mayHaveHappened') && !outcomes.includes('stored'), String(outcomes));
  assert.deepEqual(await rows('SELECT FROM message'), [], 'nothing that could be lost is seen');
  const seen = new Set<string>();
  await until('more are refused for certain, so that sessions do not pile up', async () => {
    const outcome = await outcomeOf(node.accept(node.request({})));
    seen.add(outcome);
    return outcome === 'didNotHappen' && (await waiting()).length >= 8;
  });
  assert.ok(!seen.has('stored'));
  for (let more = 0; more < ACCEPTS; more++) await outcomeOf(node.accept(node.request({})));
  assert.ok((await waiting()).length <= 24, `${(await waiting()).length} sessions wait`);
  await waitForStandby('');
  await until('it accepts again', async () => (await outcomeOf(node.accept(node.request({})))) === 'stored');
  await store.ping();
  assert.ok((await rows('SELECT FROM message')).length > 1, 'what waited has been committed');
});

test('a commit whose wait an operator cancels is in doubt, though the server tells success', async t => {
  const { node, waitForStandby, waiting, cancel } = await bench(t);
  await waitForStandby('nobody');
  const outcome = outcomeOf(node.accept(node.request({})));
  const [pid = 0] = await until('it waits', async () => {
    const pids = await waiting();
    return pids.length > 0 && pids;
  });
  await cancel(pid);
  assert.equal(await outcome, 'mayHaveHappened');
});
