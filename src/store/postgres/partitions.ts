/**
 * The days of the cold tables.
 *
 * A key begins with its time, so a day is a range of keys. Days are made ahead of time and dropped whole when
 * everything in them is past its time: that costs the same for a thousand messages and for a hundred million.
 *
 * A day that cannot be made now is left out: the table is busy, or its default partition already holds rows of that
 * day. Its rows then live in the default partition, and `sweep` deletes them there. So do rows that come after their day was
 * dropped, such as those of a reservation that was moved to a later time: no day is kept for them.
 *
 * PostgreSQL makes and drops partitions under an exclusive lock of the whole table, and whoever comes while we wait for it waits
 * behind us. A long reader, such as a backup, would stop all traffic. So a lock is waited for briefly, and the first one that we
 * do not get ends the round. DETACH PARTITION CONCURRENTLY is refused where there is a default partition.
 */
import { timePrefix } from '../../domain/ids.ts';
import { isAnyPushed } from '../pushed.ts';
import {
  CHECK_VIOLATION,
  type Database,
  DEADLOCK,
  endsWhenIdle,
  isSqlState,
  LOCK_NOT_AVAILABLE,
  type Queryable,
} from './database.ts';

/** In the order they are dropped: what refers to another goes first. */
const DAILY_TABLES = ['message_index', 'carrier_ref', 'report', 'message', 'request'] as const;

/** A message row grows once, when it is over; room on its page keeps that from touching the index. */
const FILL_FACTORS: Readonly<Partial<Record<string, number>>> = { message: 50 };

const DAY_MS = 24 * 3_600_000;
/** Our choice: a cluster may be without any node for days and still find its partitions. */
const DAYS_AHEAD = 3;
const PARTITION_LOCK = 0x62_6f_6e_68;
/** Sends that come meanwhile wait as long. */
const LOCK_TIMEOUT_MS = 100;
/** How long a node that is frozen keeps such a lock. */
const IDLE_MS = 1_000;
/** A day that is made has its default partition scanned. Another node that makes or drops one is waited for; nobody waits behind us. */
const PATIENCE = { withinMs: 10 * 60_000, lockWithinMs: 2_000 };

interface Day {
  readonly name: string;
  readonly endsAt: number;
  /** First key of the day, and of the next. */
  readonly from: string;
  readonly to: string;
}

/** Makes the partitions of today and of the days to come, where they are missing. False if a lock was not to be had. */
export async function createPartitions(db: Database, now: number): Promise<boolean> {
  const existing = await partitionNames(db);
  for (let ahead = 0; ahead <= DAYS_AHEAD; ahead++) {
    if (!(await createDay(db, dayOf(now + ahead * DAY_MS), existing))) return false;
  }
  return true;
}

/**
 * Makes the partitions of one moment, for rows whose keys are ahead of their time. False if a lock was not to be had: the rows
 * must wait, because in the default partition they would keep their day from being made.
 */
export async function createPartitionsAt(db: Database, at: number): Promise<boolean> {
  return createDay(db, dayOf(at), await partitionNames(db));
}

async function createDay(db: Database, day: Day, existing: ReadonlySet<string>): Promise<boolean> {
  for (const table of DAILY_TABLES) {
    const partition = `${table}_${day.name}`;
    if (existing.has(partition)) continue;
    const hadLock = await withPartitions(db, async tx => {
      await tx.query(
        `CREATE TABLE IF NOT EXISTS ${partition} PARTITION OF ${table}
            FOR VALUES FROM ('${day.from}') TO ('${day.to}') WITH (fillfactor = ${FILL_FACTORS[table] ?? 100})`,
      );
    });
    if (!hadLock) return false;
  }
  return true;
}

/**
 * Drops the days that lie entirely before `before` and hold nothing that is still needed. False if a lock was not to be had.
 * One table in each transaction, so that there is no deadlock with others that lock several.
 */
export async function dropPartitions(db: Database, before: number): Promise<boolean> {
  const existing = await partitionNames(db);
  const names = new Set([...existing].map(partition => /_(\d{8})$/.exec(partition)?.[1] ?? ''));
  for (const day of [...names]
    .filter(name => name !== '')
    .sort()
    .map(dayNamed)) {
    if (day.endsAt > before) continue;
    for (const table of DAILY_TABLES) {
      if (!existing.has(`${table}_${day.name}`)) continue;
      if (await isInUse(db, day, before)) break;
      const hadLock = await withPartitions(db, tx => dropUnlessInUse(tx, table, day, before));
      if (!hadLock) return false;
    }
  }
  return true;
}

/** Whoever waited with us for the lock may have written there, so it is asked again under the lock. */
async function dropUnlessInUse(tx: Queryable, table: string, day: Day, before: number): Promise<void> {
  const partition = `${table}_${day.name}`;
  if (!(await partitionNames(tx)).has(partition)) return;
  await tx.query(`LOCK TABLE ONLY ${table}, ${partition} IN ACCESS EXCLUSIVE MODE`);
  if (!(await isInUse(tx, day, before))) await tx.query(`DROP TABLE ${partition}`);
}

/** However large a day is, this looks at a few rows. EXISTS would ignore the orders, which lead to the indexes. */
async function isInUse(db: Queryable, day: Day, before: number): Promise<boolean> {
  const [row] = await db.query(
    `SELECT EXISTS (SELECT FROM job WHERE msg_key >= :from AND msg_key < :to)
         OR (SELECT reported_at FROM report
              WHERE msg_key >= :from AND msg_key < :to AND reported_at >= :before
              ORDER BY reported_at DESC LIMIT 1) IS NOT NULL
         OR (SELECT msg_key FROM report_queue
              WHERE msg_key >= :from AND msg_key < :to AND batch IS NOT NULL ORDER BY msg_key LIMIT 1) IS NOT NULL
         OR ${isAnyPushed(':from', ':to')} AS in_use`,
    { from: day.from, to: day.to, before },
  );
  return row?.in_use !== false;
}

async function partitionNames(db: Queryable): Promise<Set<string>> {
  const rows = await db.query(
    `SELECT partition.relname AS name
       FROM pg_inherits JOIN pg_class AS partition ON partition.oid = inhrelid
      WHERE inhparent = ANY ($1::text[]::regclass[])`,
    [DAILY_TABLES],
  );
  return new Set(rows.map(row => String(row.name)));
}

/** False if a lock was not to be had. A day whose rows are in the default partition cannot be made; that is no reason to stop. */
async function withPartitions(db: Database, work: (tx: Queryable) => Promise<void>): Promise<boolean> {
  try {
    await db.transaction(async tx => {
      await tx.query(`SELECT pg_advisory_xact_lock(${PARTITION_LOCK})`);
      await tx.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
      await tx.query(endsWhenIdle(IDLE_MS));
      await work(tx);
    }, PATIENCE);
    return true;
  } catch (error) {
    if (isSqlState(error, CHECK_VIOLATION)) return true;
    if (isSqlState(error, LOCK_NOT_AVAILABLE, DEADLOCK)) return false;
    throw error;
  }
}

function dayOf(ms: number): Day {
  const startsAt = Math.floor(ms / DAY_MS) * DAY_MS;
  const endsAt = startsAt + DAY_MS;
  const name = new Date(startsAt).toISOString().slice(0, 10).replaceAll('-', '');
  return { name, endsAt, from: timePrefix(startsAt), to: timePrefix(endsAt) };
}

function dayNamed(name: string): Day {
  return dayOf(Date.UTC(Number(name.slice(0, 4)), Number(name.slice(4, 6)) - 1, Number(name.slice(6))));
}
