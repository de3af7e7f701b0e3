/** One failover run: two nodes of the gateway on a cluster whose primary dies under load, again and again. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { Database } from '../../src/store/postgres/database.ts';
import { postgresDurability } from '../../src/store/postgres/durability.ts';
import type { CarrierName } from '../chaos/carrier-fates.ts';
import { GatewayNode } from '../chaos/gateway-node.ts';
import { type Leftover, Leftovers } from '../chaos/leftovers.ts';
import { networkFile } from '../chaos/network-file.ts';
import { bugsIn } from '../chaos/node-log.ts';
import { Pollers } from '../chaos/pollers.ts';
import { RecordingSmsc } from '../chaos/recording-smsc.ts';
import { Senders } from '../chaos/senders.ts';
import { judge, type Verdict } from '../chaos/verdict.ts';
import { DEMO_ACCOUNT, tokenOf } from '../harness/load.ts';
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

export interface FailoverResult extends Verdict {
  readonly failovers: readonly Failover[];
  readonly unknown: readonly Leftover[];
  readonly stuck: readonly Leftover[];
  readonly other: readonly string[];
  /** What the gateway says about the cluster: settings that may lose a commit. */
  readonly risks: readonly string[];
  readonly directory: string;
}

const CARRIERS: readonly CarrierName[] = ['quick', 'slow', 'narrow'];
/** Longer than the lock of a leader lasts: when it wakes, another leads. */
const FROZEN_MS = 20_000;
const CUT_OFF_MS = 500;
const MOST_OUTAGE_MS = 180_000;
/** Without synchronous replication some steps await receipts that were acknowledged before their writes were lost. */
const NOTHING_MOVES_MS = { synchronous: 120_000, asynchronous: 15_000 };

type Death = (primary: PostgresMember) => Promise<() => void>;

/** Each begins, and resolves to what ends it. */
const DEATHS: Readonly<Record<string, Death>> = {
  // Its network first: the standbys have not got what was committed last.
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

export async function runFailover(
  { replication, seed, failovers, rate }: FailoverOrder,
  tell: (line: string) => void,
): Promise<FailoverResult> {
  const closers: (() => unknown)[] = [];
  const directory = mkdtempSync(join(tmpdir(), 'bongsu-failover-'));
  // PostgreSQL runs as another user.
  chmodSync(directory, 0o755);
  try {
    const cluster = await PostgresCluster.start(directory, replication);
    closers.push(() => cluster.stop());
    const risks = await risksOf(cluster.url);
    tell(`three PostgreSQL run, ${replication}; risks: ${risks.join(', ') || 'none'}`);
    const smscs = CARRIERS.map(name => new RecordingSmsc(name, seed));
    const [quick = 0, slow = 0, narrow = 0] = await Promise.all(smscs.map(smsc => smsc.listen()));
    for (const smsc of smscs) closers.push(() => smsc.close());
    const nodes: GatewayNode[] = [];
    for (const name of ['gateway-one', 'gateway-two']) {
      const node = new GatewayNode(name, directory, {
        BONGSU_DATABASE_URL: cluster.url,
        BONGSU_DEMO_ACCOUNT: DEMO_ACCOUNT,
        BONGSU_STORE_TIMEOUT: '3s',
        BONGSU_LOG: 'info',
      });
      node.configure(networkFile({ quick, slow, narrow }, CARRIERS));
      closers.push(() => node.abandon());
      nodes.push(node);
      node.start();
      await node.isUp();
    }
    const token = await tokenOf((await nodes[0]?.isUp()) ?? '');
    const senders = new Senders(nodes, token, seed);
    const pollers = new Pollers(token);
    const polling = nodes.map(node => pollers.run(node));
    const sending = senders.run(rate);
    const found = await failOver({ cluster, senders, seed, failovers, tell });
    senders.stop();
    await sending;
    await senders.areDone();
    tell(`load is over: ${senders.accepted} accepted`);
    const client = new Client(cluster.url);
    await client.connect();
    closers.push(() => client.end());
    const leftovers = new Leftovers(client, smscs, NOTHING_MOVES_MS[replication]);
    const { unknown, stuck } = await leftovers.settle(() => {});
    const hasExpired = await leftovers.expire(
      replication === 'synchronous' ? unknown : [...unknown, ...stuck],
    );
    await pollers.areEmpty();
    pollers.stop();
    await Promise.all(polling);
    const exits = await Promise.all(nodes.map(node => node.stop()));
    const result: FailoverResult = {
      ...judge(senders.sent, pollers.batches, smscs),
      failovers: found,
      unknown,
      stuck,
      risks,
      other: [
        ...(hasExpired ? [] : ['what was unknown did not end at its deadline']),
        ...pollers.violations,
        ...nodes.flatMap(({ crashes }) => crashes),
        ...exits.filter(code => code !== 0).map(code => `a node ended with ${code}`),
        ...nodes.flatMap(({ logFile }) => bugsIn(logFile)),
      ],
      directory,
    };
    const write = (name: string, value: unknown) =>
      writeFileSync(join(directory, name), JSON.stringify(value, undefined, 1));
    write('result.json', { ...result, codes: [...result.codes] });
    write('sent.json', Object.fromEntries(senders.sent));
    write('batches.json', Object.fromEntries(pollers.batches));
    return result;
  } finally {
    for (const close of closers.reverse()) await close();
    for (const name of ['one', 'two', 'three', 'etcd', 'gateway-one', 'gateway-two']) {
      rmSync(join(directory, name), { recursive: true, force: true });
    }
  }
}

async function failOver(deps: {
  readonly cluster: PostgresCluster;
  readonly senders: Senders;
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
    // What was on its way is answered within this time, the dead server's last acknowledgements among it.
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

async function untilAccepted(senders: Senders, diedAt: number): Promise<number> {
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
