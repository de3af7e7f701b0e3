import { readMigrations } from '../migrations.ts';
import type { Database } from './database.ts';

/** One number for all of Bongsu's starters, taken by no other program we know of. */
const MIGRATION_LOCK = 0x62_6f_6e_67;

/** Brings the database to the newest version. Two starters: the second waits for the first, then finds nothing to do. */
export async function migrate(db: Database): Promise<void> {
  const migrations = readMigrations(new URL('./migrations/', import.meta.url));
  const newest = migrations.at(-1)?.version ?? 0;
  await db.transaction(async tx => {
    await tx.query(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    await tx.query('CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)');
    const [row] = await tx.query('SELECT max(version) AS version FROM schema_version');
    const current = Number(row?.version ?? 0);
    if (current > newest) {
      throw new Error(
        `the database is at version ${current}, this program knows ${newest}: run a newer bongsu`,
      );
    }
    for (const { version, sql } of migrations) {
      if (version <= current) continue;
      await tx.query(sql);
      await tx.query('INSERT INTO schema_version (version) VALUES ($1)', [version]);
    }
  });
}
