/**
 * One PostgreSQL of the cluster with the Patroni that looks after it, as one machine: both live and die together, unless only
 * PostgreSQL is killed.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathOf } from '../harness/debian.ts';

export type Replication = 'synchronous' | 'asynchronous';

export interface MemberOptions {
  readonly name: string;
  readonly directory: string;
  readonly port: number;
  readonly restPort: number;
  readonly etcdPort: number;
  readonly replication: Replication;
  /** Where Debian keeps the programs of PostgreSQL. */
  readonly binDir: string;
}

/** Seconds. A leader that does not renew its lock loses it after `ttl`; twice `retry` and `loop` fit into it. */
const TIMES = { ttl: 10, loop: 2, retry: 4 };

export class PostgresMember {
  readonly name: string;
  readonly port: number;
  readonly restPort: number;
  readonly #dataDir: string;
  readonly #configFile: string;
  readonly #logFile: string;
  readonly #owner: Owner | undefined;
  #patroni: ChildProcess | undefined;

  constructor(options: MemberOptions) {
    const { name, directory } = options;
    this.name = name;
    this.port = options.port;
    this.restPort = options.restPort;
    const home = join(directory, name);
    mkdirSync(home, { mode: 0o700 });
    this.#dataDir = join(home, 'data');
    this.#configFile = join(home, 'patroni.json');
    this.#logFile = join(directory, `${name}.log`);
    // YAML understands JSON.
    writeFileSync(this.#configFile, JSON.stringify(configuration(options, home, this.#dataDir)));
    this.#owner = ownerOfPostgres();
    if (this.#owner)
      for (const path of [home, this.#configFile]) chownSync(path, this.#owner.uid, this.#owner.gid);
  }

  start(): void {
    const log = openSync(this.#logFile, 'a');
    this.#patroni = spawn(pathOf('patroni') ?? 'patroni', [this.#configFile], {
      cwd: '/',
      stdio: ['ignore', log, log],
      ...(this.#owner && { uid: this.#owner.uid, gid: this.#owner.gid }),
    });
  }

  /** kill -9 of everything that runs here, as when the machine loses its power. */
  async killMachine(): Promise<void> {
    const patroni = this.#patroni;
    if (!patroni) return;
    this.#patroni = undefined;
    const ended = once(patroni, 'exit');
    // Patroni first: it must not see that PostgreSQL is gone.
    patroni.kill('SIGKILL');
    for (const pid of this.#postgresProcesses()) kill(pid, 'SIGKILL');
    await ended;
  }

  /** Standbys get nothing more. */
  stallReplication(): void {
    for (const pid of this.#postgresProcesses()) {
      if (commandOf(pid).includes('walsender')) kill(pid, 'SIGSTOP');
    }
  }

  /** kill -9 of the postmaster; its sessions end with it, Patroni lives. */
  killPostgres(): void {
    const [postmaster] = this.#postgresProcesses();
    if (postmaster !== undefined) kill(postmaster, 'SIGKILL');
  }

  freeze(): void {
    this.#patroni?.kill('SIGSTOP');
    for (const pid of this.#postgresProcesses()) kill(pid, 'SIGSTOP');
  }

  thaw(): void {
    for (const pid of this.#postgresProcesses()) kill(pid, 'SIGCONT');
    this.#patroni?.kill('SIGCONT');
  }

  /** The postmaster first. */
  #postgresProcesses(): number[] {
    let postmaster: number;
    try {
      postmaster = Number.parseInt(readFileSync(join(this.#dataDir, 'postmaster.pid'), 'utf8'), 10);
    } catch {
      return [];
    }
    return [postmaster, ...childrenOf(postmaster)];
  }
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root; Debian's package has a user for it. */
function ownerOfPostgres(): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (option: string) => Number(spawnSync('id', [option, 'postgres'], { encoding: 'utf8' }).stdout);
  return { uid: id('-u'), gid: id('-g') };
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => {
      try {
        const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1);
        return Number(afterName?.split(' ')[1]) === parent;
      } catch {
        return false;
      }
    });
}

function configuration(options: MemberOptions, home: string, dataDir: string): unknown {
  const { name, port, restPort, etcdPort, replication, binDir } = options;
  const isSynchronous = replication === 'synchronous';
  return {
    scope: 'bongsu',
    name,
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    // Not etcd3: before Patroni 3.0.3 a leader that wakes up overwrites the lock of its successor there (its pull request 2689).
    etcd: { host: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        ttl: TIMES.ttl,
        loop_wait: TIMES.loop,
        retry_timeout: TIMES.retry,
        maximum_lag_on_failover: 2 ** 30,
        // A crashed primary is replaced, not started again.
        primary_start_timeout: 0,
        synchronous_mode: isSynchronous,
        // Without a standby nothing is committed.
        synchronous_mode_strict: isSynchronous,
        postgresql: {
          use_pg_rewind: true,
          use_slots: true,
          parameters: { max_connections: 60, max_wal_senders: 8, wal_keep_size: '256MB' },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: dataDir,
      bin_dir: binDir,
      pgpass: join(home, 'pgpass'),
      pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
      authentication: {
        superuser: { username: 'postgres', password: 'unused' },
        replication: { username: 'replicator', password: 'unused' },
      },
      parameters: { unix_socket_directories: home },
    },
  };
}
