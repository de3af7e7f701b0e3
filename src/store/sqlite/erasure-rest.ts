/**
 * What orders to erase have yet to do beside their messages. Values are overwritten in the database, but the log holds them until it
 * is emptied: that is stored with the order, and tried again while another process is in the way.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { restOf, SCRUB, textFateOf } from '../erasing.ts';
import type { ErasureRestStore } from '../port/privacy-store.ts';
import type { Records } from '../records/records.ts';
import type { Database, Row } from './database.ts';

/** Another process is in the way only while it writes or reads, so a moment later it is not. */
const SCRUB_ATTEMPTS = 20;
const SCRUB_PAUSE_MS = 50;

export function sqliteErasureRest(db: Database, records: Records): ErasureRestStore {
  const leave = db.prepare(
    'INSERT OR IGNORE INTO erasure_rest (erasure, kind, key, file_key) VALUES (?, ?, ?, ?)',
  );
  const keepNumber = db.prepare('UPDATE erasure SET number = ? WHERE id = ?');
  const select = db.prepare(
    `SELECT erasure_rest.*, images, account, number FROM erasure_rest JOIN erasure ON id = erasure
      WHERE kind <> '${SCRUB}' AND (erasure, kind, key, file_key) > (?, ?, ?, ?)
        AND (kind <> 'image' OR NOT EXISTS (SELECT 1 FROM job WHERE job.msg_key = erasure_rest.key))
      ORDER BY erasure, kind, key, file_key LIMIT ?`,
  );
  const done = db.prepare(
    'DELETE FROM erasure_rest WHERE erasure = ? AND kind = ? AND key = ? AND file_key = ?',
  );
  const forgetNumber = db.prepare(
    `UPDATE erasure SET number = NULL WHERE id = ?1 AND number IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM erasure_rest WHERE erasure = ?1 AND kind NOT IN ('image', '${SCRUB}'))`,
  );
  const selectText = db.prepare(
    `SELECT recipient, text_removed_at FROM message JOIN request ON request_id = substr(msg_key, 1, 29)
      WHERE msg_key = ?`,
  );
  const selectScrubs = db.prepare(`SELECT erasure, round FROM erasure_rest WHERE kind = '${SCRUB}'`);
  const scrubbed = db.prepare(
    `DELETE FROM erasure_rest WHERE erasure = ? AND round = ? AND kind = '${SCRUB}'`,
  );
  const note = scrubNoter(db);

  async function emptyLog(): Promise<boolean> {
    for (let attempt = 1; attempt < SCRUB_ATTEMPTS; attempt++) {
      if (await db.truncateLog()) return true;
      await sleep(SCRUB_PAUSE_MS);
    }
    return db.truncateLog();
  }

  return {
    async leaveRest(order, items, number) {
      await db.write(() => {
        for (const { kind, key, fileKey = '' } of items) leave.run(order, kind, key, fileKey);
        if (number !== undefined) keepNumber.run(records.erasureNumber.write(number, { id: order }), order);
      });
    },
    async rest(after, limit) {
      const { order = '', kind = '', key = '', fileKey = '' } = after ?? {};
      const rows = select.all(order, kind, key, fileKey, limit) as Row[];
      return rows.map(row => restOf(row, records));
    },
    async restDone({ order, kind, key, fileKey = '' }) {
      await db.write(() => {
        done.run(order, kind, key, fileKey);
        forgetNumber.run(order);
        note(order);
      });
    },
    async textFate(msgKey) {
      return textFateOf(selectText.get(msgKey) as Row | undefined);
    },
    async scrub() {
      const noted = selectScrubs.all() as Row[];
      // Everybody waits while the log is written back, and orders are gone on with every minute.
      if (noted.length === 0) return true;
      if (!(await emptyLog())) return false;
      await db.write(() => {
        for (const { erasure, round } of noted) scrubbed.run(erasure ?? null, round ?? null);
      });
      return true;
    },
  };
}

/** Values were overwritten, and the log has them. Must be called inside a transaction. */
export function scrubNoter(db: Database): (order: string) => void {
  const note = db.prepare(
    `INSERT INTO erasure_rest (erasure, kind, key) VALUES (?, '${SCRUB}', '')
     ON CONFLICT (erasure, kind, key, file_key) DO UPDATE SET round = round + 1`,
  );
  return order => {
    note.run(order);
  };
}
