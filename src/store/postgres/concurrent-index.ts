/**
 * Builds an index while everybody writes.
 *
 * PostgreSQL does that outside of a transaction, and not for a table with partitions: there the index of the table is made
 * first, empty and not yet valid, then one for each partition, and each is attached. A partition that is made meanwhile gets
 * its index by itself. What a starter that died has left behind, an index that is not valid, is dropped and built anew.
 *
 * The caller holds the lock of migrations, in a transaction without a snapshot, for which a build does not wait.
 */
import type { Database, Patience } from './database.ts';

const CREATE = /^CREATE (UNIQUE )?INDEX (\w+)\s+ON (\w+)\s+([^;]+);?\s*$/;
const LONGEST_NAME = 63;

export async function buildConcurrently(
  db: Database,
  sql: string,
  patience: Patience,
  onProgress: (text: string) => void,
): Promise<void> {
  const [, unique = '', index = '', table = '', definition = ''] = CREATE.exec(withoutComments(sql)) ?? [];
  if (index === '') throw new Error('expected one statement: CREATE INDEX name ON table …');
  const partitions = await partitionsOf(db, table);
  if (partitions === undefined) return build(index, table);

  // Takes no time: it is filled by its parts.
  await change(`CREATE ${unique}INDEX IF NOT EXISTS ${index} ON ONLY ${table} ${definition}`);
  for (const [done, partition] of partitions.entries()) {
    const part = `${partition}_${index}`;
    if (part.length > LONGEST_NAME) throw new Error(`the name ${part} is too long`);
    if (await hasPart(db, index, partition)) continue;
    await build(part, partition);
    await change(`ALTER INDEX ${index} ATTACH PARTITION ${part}`);
    onProgress(`index ${index}: ${done + 1} of ${partitions.length} partitions`);
  }

  /** Whoever comes while it waits for its lock waits behind it. */
  function change(text: string): Promise<unknown> {
    return db.transaction(tx => tx.query(text), patience);
  }

  async function build(name: string, on: string): Promise<void> {
    const isValid = await validityOf(db, name);
    if (isValid) return;
    if (isValid === false) await db.alone(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await db.alone(`CREATE ${unique}INDEX CONCURRENTLY ${name} ON ${on} ${definition}`);
  }
}

function withoutComments(sql: string): string {
  return sql.replaceAll(/^--.*\n/gm, '').trim();
}

/** Undefined for a table without partitions. */
async function partitionsOf(db: Database, table: string): Promise<string[] | undefined> {
  const [row] = await db.query(
    `SELECT relkind = 'p' AS is_partitioned FROM pg_class WHERE oid = to_regclass($1)`,
    [table],
  );
  if (!row) throw new Error(`there is no table ${table}`);
  if (row.is_partitioned !== true) return undefined;
  const rows = await db.query(
    `SELECT relname AS name FROM pg_inherits JOIN pg_class ON oid = inhrelid
     WHERE inhparent = to_regclass($1) ORDER BY relname`,
    [table],
  );
  return rows.map(({ name }) => String(name));
}

/** Undefined if there is no such index. */
async function validityOf(db: Database, index: string): Promise<boolean | undefined> {
  const [row] = await db.query('SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)', [index]);
  return row && row.indisvalid === true;
}

/** Whether the index of this partition is already a part of that of the table. */
async function hasPart(db: Database, index: string, partition: string): Promise<boolean> {
  const rows = await db.query(
    `SELECT 1 FROM pg_inherits JOIN pg_index ON indexrelid = inhrelid
     WHERE inhparent = to_regclass($1) AND indrelid = to_regclass($2)`,
    [index, partition],
  );
  return rows.count > 0;
}
