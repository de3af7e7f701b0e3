import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { ManualClock } from '../platform/clock.ts';
import { ClusterClock } from '../platform/cluster-clock.ts';
import { Database } from '../store/sqlite/database.ts';
import { sqliteStoreOn } from '../store/sqlite/sqlite-store.ts';
import type { NodeProfile } from '../store/store.ts';
import { Cluster } from './cluster.ts';

function clusterOn(t: TestContext, clock: ManualClock, profile: NodeProfile) {
  const db = new Database(':memory:', () => {});
  t.after(() => db.close());
  const store = sqliteStoreOn(
    db,
    () => clock.now(),
    () => clock.monotonic(),
  );
  return new Cluster({
    ...{ store, clock: new ClusterClock(clock), node: 'one', profile: () => profile },
    nodeChanged: () => {},
  });
}

test('a node that comes back after its lease was over is another member than before', async t => {
  const clock = new ManualClock();
  const cluster = clusterOn(t, clock, { mode: 'production', carriers: [], channels: [] });
  await cluster.beat();
  const first = cluster.membership;
  clock.advance(3000);
  await cluster.beat();
  assert.equal(cluster.membership, first);
  clock.advance(10_000);
  await cluster.beat();
  assert.ok(cluster.isMember);
  assert.notEqual(cluster.membership, first);
});

test('a promise is shortened by as much as the wall clock was set back', t => {
  const clock = new ManualClock();
  const promise = { forMs: 5000, isForgetful: false };
  const sky = { name: 'sky', kind: 'http', fingerprint: '', promise };
  const cluster = clusterOn(t, clock, { mode: 'production', carriers: [sky], channels: [] });
  const promisedMs = () => cluster.promises().get('sky')?.forMs;
  clock.advance(60_000);
  assert.equal(promisedMs(), 5000);
  clock.setWallBy(-2000);
  assert.equal(promisedMs(), 3000);
  clock.advance(60_000);
  clock.setWallBy(-10_000);
  assert.equal(promisedMs(), 0);
  clock.setWallBy(3_600_000);
  assert.equal(promisedMs(), 5000, 'set ahead, attempts look older than they are');
});
