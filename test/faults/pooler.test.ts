/** A pooler between gateway and PostgreSQL that gives each transaction another session, as PgBouncer does. */
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import type { AccountId } from '../../src/domain/ids.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { Database } from '../../src/store/postgres/database.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { unlessInstalled } from '../harness/debian.ts';
import { type PgBouncer, startPgBouncer } from '../harness/pgbouncer.ts';
import { sharedPostgres, type TestPostgres } from '../harness/postgres.ts';
import { until } from '../harness/until.ts';
import { ACME, accountNamed } from '../store/contract/store-under-test.ts';

const skip = unlessInstalled('pgbouncer');

let server: TestPostgres;
/** One refuses settings of a session, the other ignores them. */
let poolers: readonly PgBouncer[] = [];
before(async () => {
  if (skip) return;
  server = await sharedPostgres();
  const few = 'default_pool_size = 3';
  poolers = await Promise.all([
    startPgBouncer(server.url, [few]),
    startPgBouncer(server.url, [few, 'ignore_startup_parameters = options']),
  ]);
});
after(async () => {
  await Promise.all(poolers.map(pooler => pooler.stop()));
  await server?.stop();
});

async function through(t: TestContext, pooler: PgBouncer | undefined): Promise<string> {
  const address = new URL(await server.databaseFor(t));
  address.host = new URL(pooler?.url ?? '').host;
  return address.href;
}

for (const [index, how] of ['refuses', 'ignores'].entries()) {
  test(`through one that ${how} settings of sessions, each transaction has ours`, { skip }, async t => {
    const url = await through(t, poolers[index]);
    const db = new Database({ url: `${url}?work_mem=3MB&search_path=public,pg_temp`, timeoutMs: 8_000 });
    t.after(() => db.close());
    const settings = `SELECT current_setting('synchronous_commit') AS commits, current_setting('statement_timeout') AS within,
                             current_setting('work_mem') AS memory, array_length(current_schemas(false), 1) AS schemas WHERE $1 = 'x'`;
    const rows = await Promise.all(Array.from({ length: 20 }, () => db.query(settings, ['x'])));
    assert.equal(db.isPooled, true);
    assert.deepEqual({ ...rows.flat()[19] }, { commits: 'on', within: '6s', memory: '3MB', schemas: 1 });
    assert.deepEqual(
      { ...(await db.query(settings, ['x'], { withinMs: 2_000 }))[0] },
      {
        commits: 'on',
        within: '2s',
        memory: '3MB',
        schemas: 1,
      },
    );
    await db.alone('VACUUM (SKIP_LOCKED) account');
  });
}

test('two nodes behind it share accounts, and each learns what the other changes', { skip }, async t => {
  const url = await through(t, poolers[0]);
  const open = () => openPostgresStore({ url, now: () => systemClock.now(), rowSecurity: 'on' });
  const [one, other] = await Promise.all([open(), open()]);
  t.after(() => Promise.all([one.close(), other.close()]));
  await one.accounts.create(accountNamed(ACME));
  assert.equal((await other.accounts.find(ACME))?.blocked, false);
  await one.accounts.update(ACME, account => ({ ...account, blocked: true }));
  await until('the other knows', async () => (await other.accounts.find(ACME))?.blocked === true);
  // As the role of accounts, which sees no others.
  const token = { hash: 'h', account: ACME, expiresAt: systemClock.now() + 60_000, epoch: 0 };
  await one.tokens.add(token);
  assert.equal((await other.tokens.find('h'))?.account, ACME);
  assert.equal(await other.accounts.find('nobody' as AccountId), undefined);
});
