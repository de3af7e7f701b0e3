/** One failover run: two nodes of the gateway on a cluster whose primary dies under load, again and again. */
import { chmodSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Database } from '../../src/store/postgres/database.ts';
import { postgresDurability } from '../../src/store/postgres/durability.ts';
import { inScope } from '../long-runs/long-run.ts';
import type { Senders, Sent } from '../long-runs/senders.ts';
import { openScene, type SceneResult } from '../long-runs/smscs/scene.ts';
import { SeededRandom } from '../simulation/seeded-random.ts';
import { PostgresCluster } from './postgres-cluster.ts';
import type { PostgresMember, Replication } from './postgres-member.ts';

export interface FailoverOrder {
  readonly replication: Replication;
  readonly seed: number;
  readonly failovers: number;
  readonly rate: number;
}

export interface Failover {
  readonly kind: string;
  /** From the kill until the next message was accepted. */
  readonly outageMs: number;
}

export interface FailoverResult extends SceneResult {
  readonly failovers: readonly Failover[];
  /** What the gateway says about the cluster: settings that may lose a commit. */
  readonly risks: readonly string[];
}

/** Longer than the lock of a leader lasts: another leads when it wakes. */
const FROZEN_MS = 20_000;
const CUT_OFF_MS = 500;
const MOST_OUTAGE_MS = 180_000;
/** Without synchronous replication some messages wait for receipts that were acknowledged before their writes were lost. */
const NOTHING_MOVES_MS = { synchronous: 120_000, asynchronous: 15_000 };

type Death = (primary: PostgresMember) => Promise<() => void>;

/** Each begins, and resolves to the function that ends it. */
const DEATHS: Readonly<Record<string, Death>> = {
  // Its network first, so that the standbys lack the last commits.
  'machine dies': async primary => {
    primary.stallReplication();
    await pause(CUT_OFF_MS);
    await primary.killMachine();
    return () => primary.start();
  },
  'PostgreSQL dies': async primary => {
    primary.killPostgres();
    return () => {};
  },
  'machine frozen': async primary => {
    primary.freeze();
    const thawed = pause(FROZEN_MS).then(() => primary.thaw());
    return () => void thawed;
  },
};

export function runFailover(
  { replication, seed, failovers, rate }: FailoverOrder,
  tell: (line: string) => void,
): Promise<FailoverResult> {
  return inScope('failover', async scope => {
    // PostgreSQL runs as another user.
    chmodSync(scope.directory, 0o755);
    const cluster = await PostgresCluster.start(scope.directory, replication);
    scope.after(() => cluster.stop());
    const { url } = cluster;
    const risks = await risksOf(url);
    tell(`three PostgreSQL run, ${replication}; risks: ${risks.join(', ') || 'none'}`);
    const scene = await openScene(scope, seed, { 'gateway-one': url, 'gateway-two': url });
    const { nodes, senders, pollers } = scene;
    pollers.start(nodes);
    senders.start(rate);
    const found = await failOver({ cluster, senders, seed, failovers, tell });
    await senders.stop();
    tell(`load is over: ${senders.accepted} accepted`);
    return scene.end(url, () => ({ failovers: found, risks }), {
      patienceMs: NOTHING_MOVES_MS[replication],
      isStuckExpired: replication === 'asynchronous',
    });
  });
}

async function failOver(deps: {
  readonly cluster: PostgresCluster;
  readonly senders: Pick<Senders<Sent>, 'accepted'>;
  readonly seed: number;
  readonly failovers: number;
  readonly tell: (line: string) => void;
}): Promise<Failover[]> {
  const { cluster, senders, seed, failovers, tell } = deps;
  const random = new SeededRandom(`${seed}/failovers`);
  const kinds = Object.keys(DEATHS);
  const found: Failover[] = [];
  for (let count = 0; count < failovers; count++) {
    await cluster.isWhole();
    await pause(random.between(3_000, 6_000));
    const primary = await cluster.primary();
    if (!primary) throw new Error('nobody leads the cluster');
    const kind = kinds[count % kinds.length] ?? '';
    const diedAt = performance.now();
    const revive = await DEATHS[kind]?.(primary);
    // Requests in progress are answered within this time, also with the last acknowledgements of the dead server.
    await pause(1_000);
    const outageMs = await untilAccepted(senders, diedAt);
    found.push({ kind, outageMs });
    tell(
      `failover ${count + 1}, ${kind} (${primary.name}): accepts again after ${(outageMs / 1000).toFixed(1)} s`,
    );
    revive?.();
  }
  await cluster.isWhole();
  await pause(2_000);
  return found;
}

async function untilAccepted(senders: Pick<Senders<Sent>, 'accepted'>, diedAt: number): Promise<number> {
  const before = senders.accepted;
  while (senders.accepted === before) {
    if (performance.now() - diedAt > MOST_OUTAGE_MS) throw new Error('nothing is accepted any more');
    await pause(20);
  }
  return performance.now() - diedAt;
}

async function risksOf(url: string): Promise<string[]> {
  const db = new Database({ url, timeoutMs: 10_000 });
  try {
    return (await postgresDurability(db)).risks.map(({ setting }) => setting);
  } finally {
    await db.close();
  }
}
