/**
 * What orders to erase have yet to do beside their messages. Rows of old values are in the files until a vacuum takes them, which
 * may take longer than a call has: what is to be vacuumed is stored with the order, and a vacuum that fails is made again.
 */
import type { MsgKey } from '../../domain/ids.ts';
import { restOf, SCRUB, textFateOf } from '../erasing.ts';
import type { ErasureRestStore } from '../port/privacy-store.ts';
import type { Records } from '../records/records.ts';
import { StoreFault } from '../store-fault.ts';
import { untilFree } from './busy.ts';
import { type Database, isSqlState, type Queryable, UNDEFINED_TABLE } from './database.ts';
import { REQUEST_OF_MESSAGE } from './messages.ts';

/** Of one table. What it did is not lost: the next one passes over pages without old values. */
const VACUUM_MS = 10 * 60_000;

/**
 * VACUUM leaves a value to every transaction that may read it, and to those that began while an older one wrote. So first whoever
 * wrote then must have ended, then whoever may have begun meanwhile. A transaction of PostgreSQL itself has no user; of other users' the state is not shown,
 * so they count.
 */
const NEXT_WRITER = 'SELECT txid_snapshot_xmax(txid_current_snapshot())::text AS next';
const HAVE_WRITERS_ENDED = 'SELECT txid_snapshot_xmin(txid_current_snapshot()) >= $1::bigint AS have_ended';
const OPEN_TRANSACTIONS = `
  SELECT virtualtransaction AS name FROM pg_locks JOIN pg_stat_activity USING (pid)
   WHERE locktype = 'virtualxid' AND granted AND datname = current_database() AND usesysid IS NOT NULL
     AND pid <> pg_backend_pid() AND (state IS NULL OR backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)`;

/** Tables whose days may have lost something; what is to be vacuumed names the day, or nothing for the others. */
const DAILY_TABLES = ['message', 'request', 'carrier_ref', 'message_index', 'report'] as const;
const OTHER_TABLES = [
  ...['idempotency', 'parked_receipt', 'set_aside', 'webhook_delivery', 'inbound', 'inbound_part'],
  ...['reservation_list', 'opt_out', 'erasure'],
];

const LEAVE = `
  INSERT INTO erasure_rest (erasure, kind, key, file_key)
  SELECT :order::text, * FROM unnest(:kinds::text[], :keys::text[], :fileKeys::text[]) ON CONFLICT DO NOTHING`;
/** A vacuum that has begun does not reach what is noted from now on. */
const NOTE_SCRUB = `
  INSERT INTO erasure_rest (erasure, kind, key) SELECT :order::text, '${SCRUB}', unnest(:keys::text[])
  ON CONFLICT (erasure, kind, key, file_key) DO UPDATE SET round = erasure_rest.round + 1`;
const REST = `
  SELECT erasure_rest.*, images, account, number FROM erasure_rest JOIN erasure ON erasure.id = erasure_rest.erasure
   WHERE kind <> '${SCRUB}' AND (erasure, kind, key, file_key) > (:order, :kind, :key, :fileKey)
     AND (kind <> 'image' OR NOT EXISTS (SELECT FROM job WHERE job.msg_key = erasure_rest.key))
   ORDER BY erasure, kind, key, file_key LIMIT :limit`;
const DONE = `
  DELETE FROM erasure_rest WHERE erasure = :order AND kind = :kind AND key = :key AND file_key = :fileKey`;
const FORGET_NUMBER = `
  UPDATE erasure SET number = NULL WHERE id = $1 AND number IS NOT NULL
     AND NOT EXISTS (SELECT FROM erasure_rest WHERE erasure = $1 AND kind NOT IN ('image', '${SCRUB}'))`;
const TEXT = `
  SELECT message.recipient, request.text_removed_at FROM message ${REQUEST_OF_MESSAGE} WHERE message.msg_key = $1`;
const TO_SCRUB = `SELECT erasure, key, round FROM erasure_rest WHERE kind = '${SCRUB}' ORDER BY key`;
const SCRUBBED = `
  DELETE FROM erasure_rest
   USING unnest(:erasures::text[], :rounds::integer[]) AS seen (erasure, round)
   WHERE erasure_rest.erasure = seen.erasure AND erasure_rest.round = seen.round AND kind = '${SCRUB}' AND key = :key`;

export function postgresErasureRest(db: Database, records: Records): ErasureRestStore {
  return {
    leaveRest: (order, items, number) =>
      db.transaction(async tx => {
        await tx.query(LEAVE, {
          order,
          kinds: items.map(({ kind }) => kind),
          keys: items.map(({ key }) => key),
          fileKeys: items.map(({ fileKey = '' }) => fileKey),
        });
        if (number === undefined) return;
        const sealed = records.erasureNumber.write(number, { id: order });
        await tx.query('UPDATE erasure SET number = $1 WHERE id = $2', [sealed, order]);
      }),
    async rest(after, limit) {
      const { order = '', kind = '', key = '', fileKey = '' } = after ?? {};
      const rows = await db.query(REST, { order, kind, key, fileKey, limit });
      return rows.map(row => restOf(row, records));
    },
    restDone: ({ order, kind, key, fileKey = '' }) =>
      db.transaction(async tx => {
        await tx.query(DONE, { order, kind, key, fileKey });
        await tx.query(FORGET_NUMBER, [order]);
        await noteScrub(tx, order, ['']);
      }),
    async textFate(msgKey: MsgKey) {
      const [row] = await db.query(TEXT, [msgKey]);
      return textFateOf(row);
    },
    async scrub() {
      const noted = await db.query(TO_SCRUB);
      if (noted.length === 0) return true;
      if (!(await haveReadersEnded(db))) return false;
      let isClean = true;
      for (const key of new Set(noted.map(row => String(row.key)))) {
        const tables = key === '' ? OTHER_TABLES : DAILY_TABLES.map(table => `${table}_${key}`);
        let isDone = true;
        for (const table of tables) isDone = (await vacuum(db, table)) && isDone;
        isClean &&= isDone;
        if (!isDone) continue;
        const seen = noted.filter(row => row.key === key);
        await db.query(SCRUBBED, {
          erasures: seen.map(row => String(row.erasure)),
          rounds: seen.map(row => Number(row.round)),
          key,
        });
      }
      return isClean;
    },
  };
}

/** Values were overwritten: in the tables of the days with these ends of their names, or in the others (''). */
export async function noteScrub(tx: Queryable, order: string, keys: readonly string[]): Promise<void> {
  await tx.query(NOTE_SCRUB, { order, keys });
}

/** Whether what was overwritten before this call can be read by nobody any more. Waits for as long as a call may take. */
async function haveReadersEnded(db: Database): Promise<boolean> {
  const openTransactions = async () => (await db.query(OPEN_TRANSACTIONS)).map(({ name }) => String(name));
  const [row] = await db.query(NEXT_WRITER);
  try {
    await untilFree(db, async () => {
      const [answer] = await db.query(HAVE_WRITERS_ENDED, [String(row?.next)]);
      return answer?.have_ended === true || undefined;
    });
    let readers = await openTransactions();
    await untilFree(db, async () => {
      const open = new Set(readers.length > 0 ? await openTransactions() : []);
      readers = readers.filter(each => open.has(each));
      return readers.length === 0 || undefined;
    });
    return true;
  } catch (error) {
    if (error instanceof StoreFault) return false;
    throw error;
  }
}

/**
 * Only when its lock can be had: SKIP_LOCKED would pass over the table without a word, and behind a pooler nothing limits how long
 * VACUUM itself waits for the lock. A table that is not there is clean.
 */
async function vacuum(db: Database, table: string): Promise<boolean> {
  try {
    await db.transaction(tx => tx.query(`LOCK TABLE ${table} IN SHARE UPDATE EXCLUSIVE MODE`));
    await db.alone(`VACUUM ${table}`, { withinMs: VACUUM_MS, lockWithinMs: db.timeoutMs });
    return true;
  } catch (error) {
    if (isSqlState(error, UNDEFINED_TABLE)) return true;
    if (error instanceof StoreFault) return false;
    throw error;
  }
}
