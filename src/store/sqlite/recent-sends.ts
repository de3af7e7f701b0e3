import type { MsgKey } from '../../domain/ids.ts';
import type { NotedKeys, RecentSendOrder, RecentSendStore } from '../port/recent-send-store.ts';
import { judge, named } from '../recent-sends.ts';
import type { Records } from '../records/records.ts';
import type { Database, Row } from './database.ts';

export function sqliteRecentSends(db: Database, records: Records): RecentSendStore {
  const select = db.prepare(
    `SELECT recent_send.*, message.msg_key IS NOT NULL AS is_stored, coalesce(message.state = 'failed', 0) AS has_failed
       FROM recent_send LEFT JOIN message ON message.msg_key = recent_send.msg_key
      WHERE recent_send.account = ? AND hash = ?`,
  );
  const put = db.prepare(
    'INSERT OR REPLACE INTO recent_send (account, hash, tag, msg_key, sent_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const remove = db.prepare('DELETE FROM recent_send WHERE account = ? AND hash = ? AND msg_key = ?');

  function note(order: RecentSendOrder): NotedKeys {
    const { account, tag, sends, now, windowMs } = order;
    const repeated = new Set(sends.map(({ msgKey }) => msgKey));
    const displaced = new Map<MsgKey, MsgKey>();
    for (const [hash, { msgKey, hashes }] of named(sends, records)) {
      const rows = hashes.map(each => select.get(account, each) as Row | undefined).filter(row => row);
      const verdicts = rows.map(row => judge(row ?? {}, order));
      if (verdicts.includes('repeats')) continue;
      repeated.delete(msgKey);
      if (verdicts.includes('isSame')) continue;
      put.run(account, hash, tag, msgKey, now, now + windowMs);
      const earlier = rows[verdicts.indexOf('displaces')];
      if (earlier) displaced.set(msgKey, String(earlier.msg_key) as MsgKey);
    }
    return { repeated, displaced };
  }

  return {
    note: order => db.write(() => note(order)),
    async forget(account, sends) {
      await db.write(() => {
        for (const [hash, { msgKey }] of named(sends, records)) remove.run(account, hash, msgKey);
      });
    },
  };
}
