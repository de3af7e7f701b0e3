import assert from 'node:assert/strict';
import test from 'node:test';
import { ManualClock } from '../platform/clock.ts';
import { Database } from '../store/sqlite/database.ts';
import { sqliteStoreOn } from '../store/sqlite/sqlite-store.ts';
import { Cluster } from './cluster.ts';

test('a node that comes back after its lease was over is another member than before', async () => {
  const clock = new ManualClock();
  const db = new Database(':memory:', () => {});
  const store = sqliteStoreOn(
    db,
    () => clock.now(),
    () => clock.monotonic(),
  );
  const profile = { mode: 'production', carriers: [], channels: [] };
  const cluster = new Cluster({ store, clock, node: 'one', profile: () => profile });
  await cluster.beat();
  const first = cluster.membership;
  clock.advance(3000);
  await cluster.beat();
  assert.equal(cluster.membership, first);
  clock.advance(10_000);
  await cluster.beat();
  assert.ok(cluster.isMember);
  assert.notEqual(cluster.membership, first);
  db.close();
});
