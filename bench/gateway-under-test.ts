/** A gateway of a benchmark on SQLite or PostgreSQL: started, loaded, asked, and its store read when it is gone. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { startPostgres, type TestPostgres } from '../test/harness/postgres.ts';
import { ADMIN_TOKEN, tokenOf } from './gateway-calls.ts';
import type { LoadOrder, LoadResult } from './load-client.ts';
import { load, type Server, startServer } from './processes.ts';

export const ENGINES = ['sqlite', 'postgres'] as const;
export type EngineName = (typeof ENGINES)[number];

export const ACCOUNT = { id: 'bench', password: 'bench-password' };

export interface GatewayUnderTest extends Server {
  readonly authorization: string;
  /** Sends, remembers the keys of the answers, and tells the processor time of the gateway a request. */
  load(order: Omit<LoadOrder, 'port' | 'headers' | 'keysFile'>): Promise<LoadResult>;
  /** Keys of every answer so far. */
  keys(): readonly string[];
  /** As the account, or as the operator where the path is of the operator API. */
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** Ends it as a crash does, and reads the keys of the messages that it left on disk. */
  storedKeys(): Promise<Set<string>>;
}

export interface Engine {
  readonly name: EngineName;
  /** Runs a gateway on an empty store, or on the one that another gateway has or had. */
  run<T>(
    env: Readonly<Record<string, string>>,
    measure: (gateway: GatewayUnderTest, place: Place) => Promise<T>,
    place?: Place,
  ): Promise<T>;
  stop(): Promise<void>;
}

/** Where a store is, as settings. */
export interface Place {
  readonly env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

export async function openEngine(name: EngineName): Promise<Engine> {
  return name === 'sqlite' ? sqlite() : postgres(await startPostgres({ fsync: true }));
}

function sqlite(): Engine {
  const place = (): Place => {
    const dataDir = mkdtempSync(join(tmpdir(), 'bongsu-bench-'));
    return {
      env: { BONGSU_DATA_DIR: dataDir },
      remove: async () => rmSync(dataDir, { recursive: true, force: true }),
    };
  };
  const keysIn = async ({ env }: Place) => {
    const db = new DatabaseSync(join(String(env.BONGSU_DATA_DIR), 'bongsu.db'));
    try {
      return new Set(
        db
          .prepare('SELECT msg_key FROM message')
          .all()
          .map(row => String(row.msg_key)),
      );
    } finally {
      db.close();
    }
  };
  return engineOf(
    'sqlite',
    async () => place(),
    keysIn,
    async () => {},
  );
}

function postgres(server: TestPostgres): Engine {
  const place = async (): Promise<Place> => {
    const url = await server.createDatabase();
    const dataDir = mkdtempSync(join(tmpdir(), 'bongsu-bench-'));
    return {
      env: { BONGSU_DATABASE_URL: url, BONGSU_DATA_DIR: dataDir },
      async remove() {
        await server.dropDatabase(url);
        rmSync(dataDir, { recursive: true, force: true });
      },
    };
  };
  const keysIn = async ({ env }: Place) => {
    const client = new Client({ connectionString: String(env.BONGSU_DATABASE_URL) });
    await client.connect();
    try {
      const { rows } = await client.query<{ msg_key: string }>('SELECT msg_key FROM message');
      return new Set(rows.map(row => row.msg_key));
    } finally {
      await client.end();
    }
  };
  return engineOf('postgres', place, keysIn, () => server.stop());
}

function engineOf(
  name: EngineName,
  newPlace: () => Promise<Place>,
  keysIn: (place: Place) => Promise<Set<string>>,
  stop: () => Promise<void>,
): Engine {
  return {
    name,
    stop,
    async run(env, measure, given) {
      const place = given ?? (await newPlace());
      const gateway = await start({ ...place.env, ...env }, () => keysIn(place));
      try {
        return await measure(gateway, place);
      } finally {
        await gateway.kill();
        if (!given) await place.remove();
      }
    },
  };
}

async function start(
  env: Readonly<Record<string, string>>,
  readKeys: () => Promise<Set<string>>,
): Promise<GatewayUnderTest> {
  const server = await startServer('bin/start.js', {
    BONGSU_PORT: '0',
    BONGSU_DEMO_ACCOUNT: `${ACCOUNT.id}:${ACCOUNT.password}`,
    BONGSU_ADMIN_TOKEN: ADMIN_TOKEN,
    BONGSU_LOG: 'warn',
    BONGSU_SIMULATOR_LATENCY: '0',
    // A slow moment of the machine is no failure.
    BONGSU_STORE_TIMEOUT: '60s',
    ...env,
  });
  const directory = mkdtempSync(join(tmpdir(), 'bongsu-bench-keys-'));
  const keys: string[] = [];
  let isKilled = false;
  const authorization = `Bearer ${await tokenOf(server, ACCOUNT)}`;
  const kill = async () => {
    if (isKilled) return;
    isKilled = true;
    await server.kill();
    rmSync(directory, { recursive: true, force: true });
  };
  return {
    ...server,
    authorization,
    kill,
    async load(order) {
      const keysFile = join(directory, 'keys');
      const headers = order.authorizations ? {} : { authorization };
      const result = await load({ ...order, port: server.port, headers, keysFile });
      if (result.failures > 0) throw new Error(`${result.failures} requests failed`);
      for (const key of readFileSync(keysFile, 'utf8').split('\n')) keys.push(key);
      return result;
    },
    keys: () => keys,
    async call<T>(method: string, path: string, body?: unknown): Promise<T> {
      const isOperator = path.startsWith('/admin/');
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
        method,
        headers: {
          authorization: isOperator ? `Bearer ${ADMIN_TOKEN}` : authorization,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as T;
    },
    async storedKeys() {
      await kill();
      return readKeys();
    },
  };
}

/** Every key that was answered is there, none twice, and nothing else. */
export function assertSameKeys(answered: readonly string[], found: ReadonlySet<string>, where: string): void {
  const unique = new Set(answered);
  if (unique.size !== answered.length)
    throw new Error(`${answered.length - unique.size} keys were given twice`);
  const missing = answered.filter(key => !found.has(key)).length;
  const strange = [...found].filter(key => !unique.has(key)).length;
  if (missing + strange > 0)
    throw new Error(`${where}: ${missing} messages are missing, ${strange} were never answered`);
}
