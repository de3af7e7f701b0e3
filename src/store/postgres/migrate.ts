/**
 * Brings the database to the newest version.
 *
 * Each migration is a transaction of its own, together with its row in schema_version: after a crash the next starter goes
 * on where the last one was. A migration takes as long as it needs. Of several starters one works and the others wait.
 */
import { type Clock, sleep } from '../../platform/clock.ts';
import { type Migration, readMigrations } from '../migrations.ts';
import type { Database } from './database.ts';

/** One number for all of Bongsu's starters, taken by no other program we know of. */
const MIGRATION_LOCK = 0x62_6f_6e_67;
const LOOK_AGAIN_MS = 500;
const AS_LONG_AS_IT_TAKES = { withinMs: Number.POSITIVE_INFINITY };

export interface MigrateOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly onProgress: (text: string) => void;
  readonly migrations?: readonly Migration[];
}

export async function migrate(options: MigrateOptions): Promise<void> {
  const {
    onProgress,
    clock,
    migrations = readMigrations(new URL('./migrations/', import.meta.url)),
  } = options;
  let isReportedToWait = false;
  for (;;) {
    const step = await nextStep(options, migrations);
    if (step === 'done') return;
    if (step === 'made') continue;
    if (!isReportedToWait) onProgress('waits for another node that migrates the database');
    isReportedToWait = true;
    await sleep(clock, LOOK_AGAIN_MS);
  }
}

/** Polled, not awaited in the server, where a waiting statement would block vacuum and the building of indexes. */
function nextStep(
  { db, clock, onProgress }: MigrateOptions,
  migrations: readonly Migration[],
): Promise<'done' | 'made' | 'busy'> {
  const newest = migrations.at(-1)?.version ?? 0;
  return db.transaction(async tx => {
    const [lock] = await tx.query(`SELECT pg_try_advisory_xact_lock(${MIGRATION_LOCK}) AS is_ours`);
    if (lock?.is_ours !== true) return 'busy';
    await tx.query('CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)');
    const [row] = await tx.query('SELECT max(version) AS version FROM schema_version');
    const current = Number(row?.version ?? 0);
    if (current > newest) {
      throw new Error(
        `the database is at version ${current}, this program knows ${newest}: run a newer bongsu`,
      );
    }
    const next = migrations.find(({ version }) => version > current);
    if (!next) return 'done';
    const startedAt = clock.monotonic();
    onProgress(`migration ${next.name} begins`);
    await tx.query(next.sql);
    await tx.query('INSERT INTO schema_version (version) VALUES ($1)', [next.version]);
    onProgress(
      `migration ${next.name} is done after ${((clock.monotonic() - startedAt) / 1000).toFixed(1)} s`,
    );
    return 'made';
  }, AS_LONG_AS_IT_TAKES);
}
