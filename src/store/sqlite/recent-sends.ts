import type { MsgKey } from '../../domain/ids.ts';
import type { RecentSendOrder, RecentSendStore } from '../port/recent-send-store.ts';
import { judge, keysIn, keysWithout, named } from '../recent-sends.ts';
import type { Records } from '../records/records.ts';
import type { Database, Row } from './database.ts';

export function sqliteRecentSends(db: Database, records: Records): RecentSendStore {
  const select = db.prepare('SELECT * FROM recent_send WHERE account = ? AND hash = ?');
  const selectState = db.prepare('SELECT state FROM message WHERE msg_key = ?');
  const put = db.prepare(
    'INSERT OR REPLACE INTO recent_send (account, hash, tag, msg_key, sent_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const setKeys = db.prepare('UPDATE recent_send SET msg_key = ? WHERE account = ? AND hash = ?');

  function note(order: RecentSendOrder): ReadonlySet<MsgKey> {
    const { account, tag, sends, now, windowMs } = order;
    const repeated = new Set(sends.map(({ msgKey }) => msgKey));
    for (const [hash, send] of named(sends, records)) {
      const rows = send.hashes
        .map(each => select.get(account, each) as Row | undefined)
        .filter(row => row !== undefined);
      const verdict = judge(send, rows, order, statesOf(rows));
      if (verdict === 'repeats') continue;
      repeated.delete(send.msgKey);
      if (verdict !== 'isSame') put.run(account, hash, tag, verdict.keys, now, now + windowMs);
    }
    return repeated;
  }

  function statesOf(rows: readonly Row[]): Map<string, unknown> {
    const states = new Map<string, unknown>();
    for (const key of rows.flatMap(keysIn)) {
      const message = selectState.get(key) as Row | undefined;
      if (message) states.set(key, message.state);
    }
    return states;
  }

  return {
    note: order => db.write(() => note(order)),
    async forget(account, sends) {
      await db.write(() => {
        for (const [hash, { msgKey }] of named(sends, records)) {
          const row = select.get(account, hash) as Row | undefined;
          if (row) setKeys.run(keysWithout(row, msgKey), account, hash);
        }
      });
    },
  };
}
