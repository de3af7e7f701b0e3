/**
 * The days of the cold tables.
 *
 * A key begins with its time, so a day is a range of keys. Days are made ahead of time and dropped whole when
 * everything in them is past its time: that costs the same for a thousand messages and for a hundred million.
 *
 * A day that cannot be made now is left out: the table is busy, or its default partition already holds rows of that
 * day. Its rows then live in the default partition, and `sweep` deletes them there.
 */
import { timePrefix } from '../../domain/ids.ts';
import {
  CHECK_VIOLATION,
  type Database,
  DEADLOCK,
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
/** An exclusive lock that waits blocks everything behind it, so it does not wait for long. */
const LOCK_TIMEOUT_MS = 2_000;
/** A day that is dropped may hold a hundred million rows, and a day that is made has its default partition scanned. */
const PATIENCE = { withinMs: 10 * 60_000 };

interface Day {
  readonly name: string;
  readonly endsAt: number;
  /** First key of the day, and of the next. */
  readonly from: string;
  readonly to: string;
}

/** Makes the partitions of today and of the days to come, where they are missing. */
export async function createPartitions(db: Database, now: number): Promise<void> {
  const existing = await partitionNames(db);
  for (let ahead = 0; ahead <= DAYS_AHEAD; ahead++) {
    const day = dayOf(now + ahead * DAY_MS);
    for (const table of DAILY_TABLES) {
      const partition = `${table}_${day.name}`;
      if (existing.includes(partition)) continue;
      await changePartition(
        db,
        `CREATE TABLE IF NOT EXISTS ${partition} PARTITION OF ${table}
            FOR VALUES FROM ('${day.from}') TO ('${day.to}') WITH (fillfactor = ${FILL_FACTORS[table] ?? 100})`,
      );
    }
  }
}

/** Drops the days that lie entirely before `before` and hold nothing that is still needed. */
export async function dropPartitions(db: Database, before: number): Promise<void> {
  const existing = await partitionNames(db);
  const names = new Set(existing.map(partition => /_(\d{8})$/.exec(partition)?.[1]));
  for (const name of [...names].filter(name => name !== undefined).sort()) {
    const day = dayNamed(name);
    if (day.endsAt > before || (await isInUse(db, day, before))) continue;
    for (const table of DAILY_TABLES) await changePartition(db, `DROP TABLE IF EXISTS ${table}_${name}`);
  }
}

async function isInUse(db: Queryable, day: Day, before: number): Promise<boolean> {
  const [row] = await db.query(
    `SELECT EXISTS (SELECT FROM job WHERE msg_key >= :from AND msg_key < :to)
         OR EXISTS (SELECT FROM report WHERE msg_key >= :from AND msg_key < :to AND reported_at >= :before)
         OR EXISTS (SELECT FROM report_batch
                      JOIN report_queue ON report_queue.account = report_batch.account
                                       AND report_queue.batch = report_batch.report_id
                     WHERE msg_key >= :from AND msg_key < :to) AS in_use`,
    { from: day.from, to: day.to, before },
  );
  return row?.in_use !== false;
}

async function partitionNames(db: Queryable): Promise<string[]> {
  const rows = await db.query(
    `SELECT partition.relname AS name
       FROM pg_inherits JOIN pg_class AS partition ON partition.oid = inhrelid
      WHERE inhparent = ANY ($1::text[]::regclass[])`,
    [DAILY_TABLES],
  );
  return rows.map(row => String(row.name));
}

/** One table in each transaction, so that there is no deadlock with others that lock several tables. */
async function changePartition(db: Database, ddl: string): Promise<void> {
  try {
    await db.transaction(async tx => {
      await tx.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
      await tx.query(`SELECT pg_advisory_xact_lock(${PARTITION_LOCK})`);
      await tx.query(ddl);
    }, PATIENCE);
  } catch (error) {
    if (!isSqlState(error, CHECK_VIOLATION, LOCK_NOT_AVAILABLE, DEADLOCK)) throw error;
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
