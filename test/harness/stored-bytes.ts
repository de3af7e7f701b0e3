/** Everything that a store has kept, to look for what must not be there: files as they are, and every row of a database. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Client, escapeIdentifier } from 'pg';
import { DATABASE_FILE } from '../../src/store/sqlite/sqlite-store.ts';
import { MUST_HAVE_PEERS } from './debian.ts';
import type { Env } from './process.ts';

const LARGEST_BYTES = 256 * 1024 * 1024;

interface StoredBytes {
  /** A file, or a table. */
  readonly place: string;
  readonly bytes: Buffer;
}

class Stored {
  readonly #found: readonly StoredBytes[];

  constructor(found: readonly StoredBytes[]) {
    this.#found = found;
  }

  /** The places that hold one of these texts, with it. */
  placesOf(texts: readonly string[]): string[] {
    return this.#found.flatMap(({ place, bytes }) =>
      texts.filter(text => bytes.includes(text)).map(text => `${place}: ${text}`),
    );
  }
}

/** Of the store of these settings, whether it is open or not. */
export async function storedBytes(env: Env): Promise<Stored> {
  const url = env.BONGSU_DATABASE_URL;
  const files = filesUnder(env.BONGSU_DATA_DIR ?? '');
  return new Stored(url ? [...files, ...(await dumpOf(url))] : files);
}

/** Of PostgreSQL only the rows: it writes over its files when it uses the space again. */
export async function storedRows(env: Env): Promise<Stored> {
  const url = env.BONGSU_DATABASE_URL;
  if (!url) return storedBytes(env);
  return new Stored((await dumpOf(url)).filter(({ place }) => !place.includes('/')));
}

function filesUnder(directory: string): StoredBytes[] {
  const entries = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const paths = entries.map(entry => join(directory, entry)).filter(path => statSync(path).isFile());
  return paths.map(place => ({ place, bytes: bytesIn(place) }));
}

/**
 * SQLite's files are read by another process: closing one ends all locks that this process has on it, and a command that opens
 * the store then takes itself for the first, and cuts what the gateway here has mapped (SIGBUS).
 */
function bytesIn(place: string): Buffer {
  if (!basename(place).startsWith(DATABASE_FILE)) return readFileSync(place);
  return execFileSync('cat', [place], { maxBuffer: LARGEST_BYTES });
}

/**
 * What a dump of the database has: every row of every table there is, whatever it is called; what pg_dump makes of it, where
 * Debian's is installed in the version of the server; and the files, where they are here.
 */
async function dumpOf(url: string): Promise<StoredBytes[]> {
  const client = new Client(url);
  await client.connect();
  try {
    const { rows: tables } = await client.query(
      `SELECT table_schema, table_name FROM information_schema.tables
        WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
    );
    const stored: StoredBytes[] = [];
    for (const { table_schema, table_name } of tables) {
      const name = `${escapeIdentifier(table_schema)}.${escapeIdentifier(table_name)}`;
      const { rows } = await client.query(`SELECT t::text AS line FROM ONLY ${name} AS t`);
      const text = rows.map(({ line }) => line).join('\n');
      stored.push({ place: table_name, bytes: Buffer.from(text) });
    }
    return [...stored, ...(await writtenByPgDump(client, url)), ...(await heapOf(client))];
  } finally {
    await client.end();
  }
}

async function writtenByPgDump(client: Client, url: string): Promise<StoredBytes[]> {
  const { rows } = await client.query(`SELECT current_setting('server_version_num')::int / 10000 AS version`);
  const program = `/usr/lib/postgresql/${rows[0].version}/bin/pg_dump`;
  if (!existsSync(program)) return [];
  return [
    { place: 'pg_dump', bytes: execFileSync(program, ['--dbname', url], { maxBuffer: LARGEST_BYTES }) },
  ];
}

async function heapOf(client: Client): Promise<StoredBytes[]> {
  await client.query('CHECKPOINT');
  const { rows } = await client.query(
    `SELECT current_setting('data_directory') AS directory, oid FROM pg_database WHERE datname = current_database()`,
  );
  try {
    return filesUnder(join(rows[0].directory, 'base', String(rows[0].oid)));
  } catch (error) {
    if (MUST_HAVE_PEERS) throw error;
    // A server elsewhere, or one whose files are not ours to read.
    return [];
  }
}
