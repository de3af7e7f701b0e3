/**
 * Databases that a test has used, made as new for the next one: that takes a tenth of the time of a new copy.
 *
 * What must never happen: a test sees what another one has left. All rows are deleted, those of the template are put back, and
 * numbers begin with their first again. A database whose structure anybody has touched is refused: a row of a catalog
 * knows the transaction that wrote it, so the number of rows and the newest transaction tell. What belongs to a session (channels,
 * locks, prepared statements) is gone with it; the caller makes sure that none is left.
 */
import { Client } from 'pg';

/** What is in the template; plain text, because other processes use it too. */
export interface Original {
  readonly structure: string;
  /** SQL that writes them. */
  readonly rows: string;
}

/** A thing that is made or dropped leaves its trace in pg_depend; one that is changed, in the others. */
const CATALOGS = 'depend class attribute constraint index sequence trigger policy proc namespace'
  .split(' ')
  .map(name => `pg_${name}`);

/** SQL has no max() of transaction ids, but a min() of their ages; 3 is the first id of all. */
const STRUCTURE = `
  SELECT string_agg(format('%s %s %s', name, rows, newest), ', ') AS structure FROM (
    ${CATALOGS.map(
      name =>
        `SELECT '${name}' AS name, count(*) AS rows, age('3'::xid) - min(age(xmin)) AS newest FROM ${name}`,
    ).join(' UNION ALL ')}
    UNION ALL SELECT 'settings', count(*), 0 FROM pg_db_role_setting
     WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())) AS found`;

/** A table without a page has no rows, and most have none. What a trigger writes is deleted after what it watches. */
const TABLES_WITH_PAGES = `
  SELECT oid::regclass::text AS name, bytes FROM (SELECT *, pg_relation_size(oid) AS bytes FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace) AS tables
   WHERE bytes > 0 ORDER BY relhastriggers DESC`;

const FIRST_NUMBERS = 'SELECT setval(seqrelid, seqstart, false) FROM pg_sequence';

/** Deleted rows keep their place, and make everything slower. */
const LARGEST_TABLE_BYTES = 1 << 20;

export class UsedDatabases {
  /** The name of our own sessions. They stay: a new one would spend most of its time on reading catalogs. */
  static readonly SESSION = 'bongsu tests';
  readonly #clients = new Map<string, Client>();

  /** Resolves to whether it is as new now. If not, it is of no use to another test. */
  async isMadeAsNew(url: string, original: Original): Promise<boolean> {
    const client = this.#clients.get(url) ?? (await this.#connect(url));
    if ((await UsedDatabases.structureOf(client)) !== original.structure) return false;
    const tables = await rowsOf(client, TABLES_WITH_PAGES);
    if (tables.some(({ bytes }) => Number(bytes) > LARGEST_TABLE_BYTES)) return false;
    const deletions = tables.map(({ name }) => `DELETE FROM ${name}`);
    // Sent together they are one transaction.
    await client.query([...deletions, original.rows, FIRST_NUMBERS].join(';\n'));
    return true;
  }

  static async originalOf(url: string): Promise<Original> {
    const client = new Client(url);
    await client.connect();
    try {
      const rows: string[] = [];
      for (const { name } of await rowsOf(client, TABLES_WITH_PAGES)) {
        const [insert] = await rowsOf(
          client,
          `SELECT format('INSERT INTO ${name} SELECT * FROM json_populate_recordset(NULL::${name}, %L)', json_agg(each))
             AS text FROM ${name} AS each`,
        );
        rows.push(String(insert?.text));
      }
      return { structure: await UsedDatabases.structureOf(client), rows: rows.join(';\n') };
    } finally {
      await client.end();
    }
  }

  static async structureOf(client: Client): Promise<string> {
    const [row] = await rowsOf(client, STRUCTURE);
    return String(row?.structure);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.values()].map(client => client.end()));
  }

  async #connect(url: string): Promise<Client> {
    const client = new Client({ connectionString: url, application_name: UsedDatabases.SESSION });
    // It ends with its database, when that is dropped.
    client.on('error', () => this.#clients.delete(url));
    client.on('end', () => this.#clients.delete(url));
    await client.connect();
    this.#clients.set(url, client);
    return client;
  }
}

async function rowsOf(client: Client, text: string): Promise<Record<string, unknown>[]> {
  return (await client.query<Record<string, unknown>>(text)).rows;
}
