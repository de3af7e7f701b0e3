/**
 * A real PostgreSQL for tests. One server serves all files of a run (`shared.ts` starts it), and each test has databases of
 * its own. A test that restarts or freezes the server starts one for itself.
 * With BONGSU_TEST_POOLER=1 tests reach their databases through PgBouncer.
 * BONGSU_TEST_DATABASE_URL names a server to use instead of embedded ones; its user must be allowed to create databases.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Client, escapeIdentifier, type QueryResult } from 'pg';
import { ManualClock } from '../../src/platform/clock.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { loadEmbeddedPostgres } from './embedded-postgres.ts';
import { freePorts } from './peer-process.ts';
import { type PgBouncer, startPgBouncer } from './pgbouncer.ts';
import { scratchDirectory } from './scratch.ts';
import { type Original, UsedDatabases } from './used-databases.ts';

export interface TestPostgres {
  readonly url: string;
  /** A fresh database, empty or with all tables; resolves to its address. */
  createDatabase(content?: 'empty' | 'migrated'): Promise<string>;
  /** A database with all tables, for one test. After that it is made as new and given to another one, or dropped. */
  databaseFor(t: Pick<TestContext, 'after'>): Promise<string>;
  dropDatabase(url: string): Promise<void>;
  /** The same database without the pooler, if there is one. */
  direct(url: string): string;
  /** What migrated databases are copied from. */
  template(): Promise<Template>;
  /** The processes that this one starts share the server and the template. */
  share(): Promise<void>;
  /** What can be done to the server itself; undefined for one that is not ours. */
  readonly process: PostgresProcess | undefined;
  /** Drops every database that was created here, and ends the server if it is ours. */
  stop(): Promise<void>;
}

interface Template extends Original {
  readonly url: string;
}

export interface PostgresProcess {
  /** Ends all sessions, politely or as a crash does, and is there again under the same address. */
  restart(how: 'fast' | 'immediate'): Promise<void>;
  /** Nothing of the server runs until it is thawed. */
  freeze(): void;
  thaw(): void;
}

interface TestPostgresOptions {
  /** True where a test takes the server's power away; false makes everything else faster. */
  readonly fsync?: boolean;
}

const START_ATTEMPTS = 5;
/** Databases that wait for the end of their sessions before another test uses them. */
const MOST_USED = 3;
/** The log is the largest file. */
const IN_MEMORY = ['fsync=off', 'full_page_writes=off', 'autovacuum=off', 'max_wal_size=128MB'].flatMap(
  setting => ['-c', setting],
);
/** Set by the run whose server and template are shared. */
const SHARED_URL = 'BONGSU_TEST_SHARED_POSTGRES';
const SHARED_TEMPLATE = 'BONGSU_TEST_SHARED_TEMPLATE';

/** A server for one test or file, which may do with it what it likes. */
export async function startPostgres(options: TestPostgresOptions = {}): Promise<TestPostgres> {
  const given = process.env.BONGSU_TEST_DATABASE_URL;
  return databasesOn(await pooled(given ? { url: given } : await startEmbedded(options.fsync ?? false)));
}

/** The server that the run shares; for a file that is run by itself, one of its own. */
export async function sharedPostgres(): Promise<TestPostgres> {
  const url = process.env[SHARED_URL];
  if (!url) return startPostgres();
  return databasesOn(await pooled({ url }), JSON.parse(process.env[SHARED_TEMPLATE] ?? ''));
}

/** The server with a pooler before it, if the run is to have one. */
async function pooled(server: Server): Promise<Server> {
  if (process.env.BONGSU_TEST_POOLER !== '1') return server;
  const pooler = await startPgBouncer(server.url);
  return { ...server, pooler };
}

function databasesOn(server: Server, sharedTemplate?: Template): TestPostgres {
  const { url } = server;
  const created = new Set<string>();
  /** Of tests that have ended, the oldest first. What uses them may close after a test's other clean-ups. */
  const used: string[] = [];
  const usedDatabases = new UsedDatabases();
  let ownTemplate: Promise<Template> | undefined;
  let admin: Client | undefined;

  async function connect(): Promise<Client> {
    const client = new Client(url);
    const forget = () => {
      if (admin === client) admin = undefined;
    };
    client.on('error', forget);
    client.on('end', forget);
    await client.connect();
    admin = client;
    return client;
  }
  /** One statement at a time: a connection has one. */
  let last: Promise<unknown> = Promise.resolve();
  function administer(text: string): Promise<QueryResult> {
    const answer = last.then(async () => (admin ?? (await connect())).query(text));
    last = answer;
    return answer;
  }

  async function create(original: string): Promise<string> {
    const name = `bongsu_test_${randomBytes(8).toString('hex')}`;
    // Copying files takes a quarter of the time that the default takes, which writes all of it to the log.
    await administer(
      `CREATE DATABASE ${escapeIdentifier(name)} TEMPLATE ${escapeIdentifier(original)} STRATEGY FILE_COPY`,
    );
    const address = new URL(url);
    address.pathname = `/${name}`;
    created.add(address.href);
    return address.href;
  }
  async function createTemplate(): Promise<Template> {
    const template = await create('template0');
    await (await openPostgresStore({ url: template, now: () => new ManualClock().now() })).close();
    return { url: template, ...(await UsedDatabases.originalOf(template)) };
  }
  async function template(): Promise<Template> {
    ownTemplate ??= sharedTemplate ? Promise.resolve(sharedTemplate) : createTemplate();
    return ownTemplate;
  }
  async function dropDatabase(address: string): Promise<void> {
    created.delete(address);
    await administer(`DROP DATABASE IF EXISTS ${escapeIdentifier(nameIn(address))} WITH (FORCE)`);
  }

  const createDatabase: TestPostgres['createDatabase'] = async (content = 'empty') => {
    const address = new URL(await create(content === 'empty' ? 'template0' : nameIn((await template()).url)));
    if (server.pooler) address.host = new URL(server.pooler.url).host;
    return address.href;
  };

  function direct(address: string): string {
    const direct = new URL(address);
    direct.host = new URL(url).host;
    return direct.href;
  }
  /** Sessions end a little later than those who close them, and a store that nobody closed keeps its own. */
  async function takeWithoutSessions(): Promise<string | undefined> {
    const { rows } = await administer(
      `SELECT DISTINCT datname FROM pg_stat_activity WHERE application_name <> '${UsedDatabases.SESSION}'`,
    );
    const inUse = rows.map(({ datname }) => datname);
    const index = used.findIndex(address => !inUse.includes(nameIn(address)));
    return index < 0 ? undefined : used.splice(index, 1)[0];
  }
  async function databaseAsNew(): Promise<string | undefined> {
    if (used.length === 0) return undefined;
    const address = await takeWithoutSessions();
    if (address === undefined) return undefined;
    if (await usedDatabases.isMadeAsNew(direct(address), await template())) return address;
    await dropDatabase(address);
    return databaseAsNew();
  }

  return {
    url,
    createDatabase,
    async databaseFor(t) {
      const address = (await databaseAsNew()) ?? (await createDatabase('migrated'));
      for (const old of used.splice(0, Math.max(0, used.length - MOST_USED))) await dropDatabase(old);
      t.after(() => void used.push(address));
      return address;
    },
    dropDatabase,
    direct,
    template,
    async share() {
      process.env[SHARED_TEMPLATE] = JSON.stringify(await template());
      process.env[SHARED_URL] = url;
    },
    process: server.process,
    async stop() {
      // An embedded server takes its databases with it.
      await server.pooler?.stop();
      await usedDatabases.close();
      if (!server.stop) await Promise.all([...created].map(dropDatabase));
      await admin?.end();
      await server.stop?.();
    },
  };
}

function nameIn(url: string): string {
  return new URL(url).pathname.slice(1);
}

interface Server {
  readonly url: string;
  readonly process?: PostgresProcess;
  readonly pooler?: PgBouncer;
  readonly stop?: () => Promise<void>;
}

async function startEmbedded(fsync: boolean): Promise<Server> {
  const EmbeddedPostgres = await loadEmbeddedPostgres();
  const databaseDir = scratchDirectory(fsync ? 'disk' : 'memory');
  const log: string[] = [];
  for (let attempt = 1; ; attempt++) {
    const [port = 0] = await freePorts(1);
    const server = new EmbeddedPostgres({
      databaseDir,
      port,
      user: 'bongsu',
      password: 'bongsu',
      authMethod: 'password',
      persistent: true,
      // PostgreSQL refuses to run as root.
      createPostgresUser: process.getuid?.() === 0,
      // Otherwise every connection hashes its password 4096 times.
      initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C', '--set', 'scram_iterations=1'],
      postgresFlags: [
        ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
        ...(fsync ? [] : IN_MEMORY),
      ],
      onLog: line => void log.push(String(line)),
      onError: line => void log.push(String(line)),
    });
    try {
      if (attempt === 1) await server.initialise();
      await server.start();
    } catch (error) {
      // Somebody else may have taken the port between our look and the server's.
      if (attempt < START_ATTEMPTS && log.join('').includes('already in use')) continue;
      rmSync(databaseDir, { recursive: true, force: true });
      throw new Error(`PostgreSQL did not start:\n${log.join('')}`, { cause: error });
    }
    const signalAll = (signal: NodeJS.Signals) => {
      const postmaster = postmasterIn(databaseDir);
      process.kill(postmaster, signal);
      for (const pid of childrenOf(postmaster)) signalIfAlive(pid, signal);
    };
    return {
      url: `postgres://bongsu:bongsu@127.0.0.1:${port}/postgres`,
      process: {
        async restart(how) {
          if (how === 'immediate') process.kill(postmasterIn(databaseDir), 'SIGQUIT');
          await server.stop();
          await server.start();
        },
        freeze: () => signalAll('SIGSTOP'),
        thaw: () => signalAll('SIGCONT'),
      },
      async stop() {
        await server.stop();
        rmSync(databaseDir, { recursive: true, force: true });
      },
    };
  }
}

function postmasterIn(databaseDir: string): number {
  return Number.parseInt(readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8'), 10);
}

function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // A session may end at any moment.
  }
}

/** Every session is a process of its own. */
function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => parentOf(pid) === parent);
}

function parentOf(pid: number): number | undefined {
  try {
    const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1);
    return Number(afterName?.split(' ')[1]);
  } catch {
    // It has ended in the meantime.
    return undefined;
  }
}
