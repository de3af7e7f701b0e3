/**
 * Brings the database to the newest version.
 *
 * Each migration is a transaction of its own, together with its row in schema_version: after a crash the next starter goes
 * on where the last one was. A migration takes as long as it needs. Of several starters one works and the others wait.
 *
 * Nodes of the version before go on meanwhile, so a migration that needs a lock gives up soon, lets everybody else pass for a
 * growing time, and tries again; and indexes of tables with rows are built concurrently (concurrent-index.ts).
 */
import { type Clock, sleep } from '../../platform/clock.ts';
import { type Migration, readMigrations } from '../migrations.ts';
import { StoreFault } from '../store-fault.ts';
import { buildConcurrently } from './concurrent-index.ts';
import {
  type Database,
  DEADLOCK,
  endsWhenIdle,
  isSqlState,
  LOCK_NOT_AVAILABLE,
  type Queryable,
} from './database.ts';

/** One number for all of Bongsu's starters, taken by no other program we know of. */
const MIGRATION_LOCK = 0x62_6f_6e_67;
const LOOK_AGAIN_MS = 500;
/** A migration takes as long as it needs, but whoever waits for an exclusive lock blocks everything behind it. */
const PATIENCE = { withinMs: Number.POSITIVE_INFINITY, lockWithinMs: 100 };
/** How long a starter that is frozen keeps the locks of a migration. An index is built meanwhile by another session. */
const IDLE_MS = 5_000;
/** The rest doubles each time that a lock was not to be had. */
const LONGEST_REST_MS = 15_000;

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
  let toldBefore: Step | undefined;
  let restMs = LOOK_AGAIN_MS;
  for (;;) {
    const step = await nextStep(options, migrations);
    if (step === 'done') return;
    if (step !== 'made') {
      if (step !== toldBefore) onProgress(WAITS_FOR[step]);
      await sleep(clock, step === 'locked' ? restMs : LOOK_AGAIN_MS);
    }
    restMs = step === 'locked' ? Math.min(2 * restMs, LONGEST_REST_MS) : LOOK_AGAIN_MS;
    toldBefore = step;
  }
}

type Step = 'done' | 'made' | 'busy' | 'locked';

const WAITS_FOR = {
  busy: 'waiting for another node to migrate the database',
  locked: 'waiting for a lock of another session, such as a backup or a long query; will retry',
} as const;

async function nextStep(options: MigrateOptions, migrations: readonly Migration[]): Promise<Step> {
  try {
    return await takeStep(options, migrations);
  } catch (error) {
    if (error instanceof StoreFault && isSqlState(error.cause, LOCK_NOT_AVAILABLE, DEADLOCK)) return 'locked';
    throw error;
  }
}

/** Polled, not awaited in the server, where a waiting statement would block vacuum and the building of indexes. */
function takeStep(
  { db, clock, onProgress }: MigrateOptions,
  migrations: readonly Migration[],
): Promise<Step> {
  const newest = migrations.at(-1)?.version ?? 0;
  return db.transaction(async tx => {
    const [lock] = await tx.query(`SELECT pg_try_advisory_xact_lock(${MIGRATION_LOCK}) AS is_ours`);
    if (lock?.is_ours !== true) return 'busy';
    await tx.query('CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)');
    if (!(await knowsContracts(tx))) await tx.query(ADD_CONTRACTS);
    const [row] = await tx.query(
      'SELECT max(version) AS version, max(version) FILTER (WHERE contracts) AS oldest FROM schema_version',
    );
    const current = Number(row?.version ?? 0);
    // A newer program was here. What it has added is nothing to us, unless it has also taken away.
    if (Number(row?.oldest ?? 0) > newest) {
      throw new Error(
        `the database is at version ${current}, this program knows ${newest}: run a newer bongsu`,
      );
    }
    const next = migrations.find(({ version }) => version > current);
    if (!next) return 'done';
    const startedAt = clock.monotonic();
    onProgress(`migration ${next.name} begins`);
    if (next.concurrently) await buildConcurrently(db, next.sql, PATIENCE, onProgress);
    else {
      await tx.query(endsWhenIdle(IDLE_MS));
      await tx.query(next.sql);
    }
    await tx.query('INSERT INTO schema_version (version, contracts) VALUES ($1, $2)', [
      next.version,
      next.contracts,
    ]);
    onProgress(
      `migration ${next.name} is done after ${((clock.monotonic() - startedAt) / 1000).toFixed(1)} s`,
    );
    return 'made';
  }, PATIENCE);
}

/** Version 0.1 made the table without it. */
const ADD_CONTRACTS = 'ALTER TABLE schema_version ADD COLUMN contracts boolean NOT NULL DEFAULT false';

async function knowsContracts(tx: Queryable): Promise<boolean> {
  const rows = await tx.query(
    "SELECT 1 FROM pg_attribute WHERE attrelid = 'schema_version'::regclass AND attname = 'contracts'",
  );
  return rows.count > 0;
}
