/**
 * Three PostgreSQL on loopback that Patroni keeps: it asks etcd who leads, and HAProxy leads clients to that one. All programs
 * are Debian's.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { pathOf } from '../harness/debian.ts';
import { freePorts } from '../harness/peer-process.ts';
import { PostgresMember, type Replication } from './postgres-member.ts';

const MEMBERS = ['one', 'two', 'three'];
const DEBIAN_POSTGRES = '/usr/lib/postgresql';
const READY_WITHIN_MS = 240_000;

/** What is missing to run it; empty if nothing is. */
export function missingPrograms(): string[] {
  const missing = ['patroni', 'etcd', 'haproxy'].filter(program => pathOf(program) === undefined);
  return newestPostgres() === undefined ? [...missing, 'postgresql'] : missing;
}

export class PostgresCluster {
  readonly members: readonly PostgresMember[];
  /** Of the primary, whichever that is. */
  readonly url: string;
  readonly #replication: Replication;
  readonly #adminUrl: string;
  readonly #others: readonly ChildProcess[];

  private constructor(
    members: readonly PostgresMember[],
    proxyPort: number,
    replication: Replication,
    others: readonly ChildProcess[],
  ) {
    this.members = members;
    this.url = `postgres://bongsu@127.0.0.1:${proxyPort}/bongsu`;
    this.#adminUrl = `postgres://postgres@127.0.0.1:${proxyPort}/postgres`;
    this.#replication = replication;
    this.#others = others;
  }

  static async start(directory: string, replication: Replication): Promise<PostgresCluster> {
    const binDir = newestPostgres();
    if (binDir === undefined) throw new Error('PostgreSQL of Debian is not installed');
    const [etcdPort = 0, etcdPeerPort = 0, proxyPort = 0] = await freePorts(3);
    const members: PostgresMember[] = [];
    for (const name of MEMBERS) {
      const [port = 0, restPort = 0] = await freePorts(2);
      members.push(new PostgresMember({ name, directory, port, restPort, etcdPort, replication, binDir }));
    }
    const etcd = startEtcd(directory, etcdPort, etcdPeerPort);
    const haproxy = startProxy(directory, proxyPort, members);
    const cluster = new PostgresCluster(members, proxyPort, replication, [etcd, haproxy]);
    // Whatever ends the run ends them.
    process.once('exit', () => cluster.abandon());
    try {
      for (const member of members) member.start();
      await cluster.isWhole();
      await cluster.#createDatabase();
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  async stop(): Promise<void> {
    for (const member of this.members) {
      member.thaw();
      await member.killMachine();
    }
    for (const child of this.#others) child.kill('SIGKILL');
  }

  abandon(): void {
    for (const member of this.members) void member.killMachine();
    for (const child of this.#others) child.kill('SIGKILL');
  }

  /** The member that leads, as the others see it; undefined while nobody does. */
  async primary(): Promise<PostgresMember | undefined> {
    const leader = (await this.#states()).find(({ role }) => role === 'leader' || role === 'master');
    return this.members.find(({ name }) => name === leader?.name);
  }

  /** Resolves when all three run, and one of them waits for another if it is to. */
  async isWhole(): Promise<void> {
    const endsAt = performance.now() + READY_WITHIN_MS;
    for (;;) {
      const states = await this.#states();
      const running = states.filter(({ state }) => state === 'running' || state === 'streaming');
      const hasLeader = states.some(({ role }) => role === 'leader');
      const isWaitedFor =
        this.#replication === 'asynchronous' || states.some(({ role }) => role === 'sync_standby');
      if (running.length === MEMBERS.length && hasLeader && isWaitedFor && (await this.#streaming()) === 2)
        return;
      if (performance.now() > endsAt) {
        throw new Error(`the cluster is not whole: ${JSON.stringify(states)}`);
      }
      await pause(250);
    }
  }

  async #states(): Promise<readonly MemberState[]> {
    for (const { restPort } of this.members) {
      try {
        const signal = AbortSignal.timeout(1_000);
        const answer = await fetch(`http://127.0.0.1:${restPort}/cluster`, { signal });
        return ((await answer.json()) as { members: readonly MemberState[] }).members;
      } catch {
        // This one is down; the next may know.
      }
    }
    return [];
  }

  async #streaming(): Promise<number> {
    try {
      return await withClient(this.#adminUrl, async client => {
        const { rows } = await client.query(
          "SELECT count(*)::int AS count FROM pg_stat_replication WHERE state = 'streaming'",
        );
        return Number(rows[0]?.count);
      });
    } catch {
      return 0;
    }
  }

  async #createDatabase(): Promise<void> {
    await withClient(this.#adminUrl, async client => {
      await client.query('CREATE ROLE bongsu LOGIN');
      await client.query('CREATE ROLE bongsu_account NOLOGIN');
      await client.query('GRANT bongsu_account, pg_read_all_stats TO bongsu');
      await client.query('CREATE DATABASE bongsu OWNER bongsu');
    });
  }
}

interface MemberState {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 3_000, query_timeout: 20_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

function newestPostgres(): string | undefined {
  if (!existsSync(DEBIAN_POSTGRES)) return undefined;
  const versions = readdirSync(DEBIAN_POSTGRES).sort((a, b) => Number(b) - Number(a));
  return versions
    .map(version => join(DEBIAN_POSTGRES, version, 'bin'))
    .find(directory => existsSync(join(directory, 'postgres')));
}

function startEtcd(directory: string, port: number, peerPort: number): ChildProcess {
  const [url, peerUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  const dataDir = join(directory, 'etcd');
  mkdirSync(dataDir, { mode: 0o700 });
  const log = openSync(join(directory, 'etcd.log'), 'a');
  const args = [
    ...['--name', 'etcd', '--data-dir', dataDir],
    ...['--listen-client-urls', url, '--advertise-client-urls', url],
    ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
    ...['--initial-cluster', `etcd=${peerUrl}`, '--enable-v2=true'],
    // Many nodes share one disk here.
    ...['--heartbeat-interval', '500', '--election-timeout', '5000'],
  ];
  return spawn(pathOf('etcd') ?? 'etcd', args, {
    stdio: ['ignore', log, log],
    env: { ...process.env, ETCD_UNSUPPORTED_ARCH: process.arch },
  });
}

function startProxy(directory: string, port: number, members: readonly PostgresMember[]): ChildProcess {
  const file = join(directory, 'haproxy.cfg');
  const servers = members.map(
    member => `  server ${member.name} 127.0.0.1:${member.port} check port ${member.restPort}`,
  );
  writeFileSync(
    file,
    `global
  maxconn 500
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 2s
listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`,
  );
  const log = openSync(join(directory, 'haproxy.log'), 'a');
  return spawn(pathOf('haproxy') ?? 'haproxy', ['-db', '-f', file], { stdio: ['ignore', log, log] });
}
