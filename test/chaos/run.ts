/** One chaos run: two nodes, three carriers, a PostgreSQL; load and trouble; rest; what is left. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { DEMO_ACCOUNT, tokenOf } from '../harness/load.ts';
import { startPostgres } from '../harness/postgres.ts';
import { TcpProxy } from '../harness/tcp-proxy.ts';
import type { CarrierName } from './carrier-fates.ts';
import { GatewayNode } from './gateway-node.ts';
import { type Leftover, Leftovers } from './leftovers.ts';
import { networkFile } from './network-file.ts';
import { bugsIn } from './node-log.ts';
import { Pollers } from './pollers.ts';
import { RecordingSmsc } from './recording-smsc.ts';
import { Senders } from './senders.ts';
import { carrierTrack, databaseTrack, nodeTrack, type Place } from './tracks.ts';
import { Troublemaker } from './trouble.ts';
import { judge, type Verdict } from './verdict.ts';

export interface ChaosOrder {
  readonly seed: number;
  readonly seconds: number;
  readonly rate: number;
}

export interface ChaosResult extends Verdict {
  readonly unknown: readonly Leftover[];
  readonly stuck: readonly Leftover[];
  /** Of processes, batches and logs. */
  readonly other: readonly string[];
  readonly troubles: ReadonlyMap<string, number>;
  readonly throttled: number;
  readonly failedStarts: number;
  readonly directory: string;
}

export interface Progress {
  readonly phase: string;
  readonly accepted: number;
  readonly left: number | undefined;
  readonly troubles: number;
}

const CARRIERS: readonly CarrierName[] = ['quick', 'slow', 'narrow'];

export async function runChaos(
  { seed, seconds, rate }: ChaosOrder,
  tell: (progress: Progress) => void,
): Promise<ChaosResult> {
  const closers: (() => unknown)[] = [];
  const t = { after: (close: () => unknown) => void closers.push(close) };
  const directory = mkdtempSync(join(tmpdir(), 'bongsu-chaos-'));
  try {
    const postgres = await startPostgres({ fsync: true });
    t.after(() => postgres.stop());
    const databaseUrl = await postgres.createDatabase();
    const smscs = CARRIERS.map(name => new RecordingSmsc(name, seed));
    const [quick = 0, slow = 0, narrow = 0] = await Promise.all(smscs.map(smsc => smsc.listen()));
    for (const smsc of smscs) t.after(() => smsc.close());
    const ports = { quick, slow, narrow };
    const files = {
      whole: networkFile(ports, CARRIERS),
      reduced: networkFile(ports, ['quick', 'slow']),
    };
    const places: Place[] = [];
    for (const name of ['one', 'two']) {
      const { proxy, url } = await TcpProxy.before(t, databaseUrl);
      const node = new GatewayNode(name, directory, {
        BONGSU_DATABASE_URL: url,
        BONGSU_DEMO_ACCOUNT: DEMO_ACCOUNT,
        BONGSU_STORE_TIMEOUT: '3s',
        BONGSU_LOG: 'info',
      });
      node.configure(files.whole);
      t.after(() => node.abandon());
      places.push({ node, proxy });
      node.start();
      await node.isUp();
    }
    const nodes = places.map(({ node }) => node);
    const token = await tokenOf((await nodes[0]?.isUp()) ?? '');
    const senders = new Senders(nodes, token, seed);
    const pollers = new Pollers(token);
    const startedAt = performance.now();
    const story: string[] = [];
    const troublemaker = new Troublemaker(seed, line => {
      const at = ((performance.now() - startedAt) / 1000).toFixed(1);
      story.push(`${new Date().toISOString()} ${at} s ${line}`);
      writeFileSync(join(directory, 'trouble.log'), `${story.join('\n')}\n`);
    });
    let phase = 'trouble';
    let left: number | undefined;
    const telling = setInterval(() => {
      const troubles = [...troublemaker.counts.values()].reduce((sum, count) => sum + count, 0);
      tell({ phase, accepted: senders.accepted, left, troubles });
    }, 1000);
    t.after(() => clearInterval(telling));

    const polling = nodes.map(node => pollers.run(node));
    const sending = senders.run(rate);
    const server = { process: postgres.process, terminateAll: () => terminateAll(databaseUrl) };
    const tracks = [nodeTrack(places, files), databaseTrack(places, server), carrierTrack(smscs)].map(track =>
      troublemaker.run(track),
    );
    await pause(1000 * seconds);
    troublemaker.stop();
    await Promise.all(tracks);
    senders.stop();
    phase = 'rest';
    await sending;
    await senders.areDone();
    const client = new Client(databaseUrl);
    await client.connect();
    t.after(() => client.end());
    const leftovers = new Leftovers(client, smscs);
    const { unknown, stuck } = await leftovers.settle(count => {
      left = count;
    });
    const hasExpired = await leftovers.expire(unknown);
    await pollers.areEmpty();
    pollers.stop();
    await Promise.all(polling);
    const { rows: setAside } = await client.query('SELECT reason, event FROM set_aside');
    const exits = await Promise.all(nodes.map(node => node.stop()));
    const verdict = judge(senders.sent, pollers.batches, smscs);
    const result: ChaosResult = {
      ...verdict,
      unknown,
      stuck,
      other: [
        ...(hasExpired ? [] : ['what was unknown did not end at its deadline']),
        ...pollers.violations,
        ...nodes.flatMap(({ crashes }) => crashes),
        ...exits.filter(code => code !== 0).map(code => `a node ended with ${code}`),
        ...setAside.map(row => `set aside: ${JSON.stringify(row)}`),
        ...nodes.flatMap(({ logFile }) => bugsIn(logFile)),
      ],
      troubles: troublemaker.counts,
      throttled: smscs.reduce((sum, smsc) => sum + smsc.throttled, 0),
      failedStarts: nodes.reduce((sum, node) => sum + node.failedStarts, 0),
      directory,
    };
    keepEvidence(directory, result, senders, pollers, smscs);
    return result;
  } finally {
    for (const close of closers.reverse()) await close();
    for (const name of ['one', 'two']) rmSync(join(directory, name), { recursive: true, force: true });
  }
}

async function terminateAll(databaseUrl: string): Promise<void> {
  const client = new Client(databaseUrl);
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
  } finally {
    await client.end();
  }
}

/** Everything that was told, taken and reported, by message. */
function keepEvidence(
  directory: string,
  result: ChaosResult,
  senders: Senders,
  pollers: Pollers,
  smscs: readonly RecordingSmsc[],
): void {
  const write = (name: string, value: unknown) =>
    writeFileSync(join(directory, name), JSON.stringify(value, undefined, 1));
  write('result.json', { ...result, troubles: [...result.troubles], codes: [...result.codes] });
  write('sent.json', Object.fromEntries(senders.sent));
  write('batches.json', Object.fromEntries(pollers.batches));
  const takenParts = smscs.flatMap(({ name, taken }) =>
    [...taken].map(([recipient, parts]) => ({ recipient, carrier: name, parts: Object.fromEntries(parts) })),
  );
  write('taken.json', takenParts);
}
