import type { Resend, ResendStore } from '../port/operator-store.ts';
import { resendOf } from '../rows.ts';
import type { Database, Row } from './database.ts';

export function sqliteResends(db: Database): ResendStore {
  const insert = db.prepare('INSERT OR IGNORE INTO resend (new_key, old_key, at) VALUES (?, ?, ?)');
  const select = db.prepare(
    `SELECT * FROM (
       SELECT * FROM resend WHERE old_key IN (SELECT value FROM json_each(?1))
        UNION SELECT * FROM resend WHERE new_key IN (SELECT value FROM json_each(?1)))
      WHERE EXISTS (SELECT 1 FROM message WHERE msg_key = new_key)
      ORDER BY at, new_key`,
  );
  return {
    async add({ newKey, oldKey, at }: Resend) {
      await db.write(() => insert.run(newKey, oldKey, at));
    },
    async of(msgKeys) {
      return (select.all(JSON.stringify(msgKeys)) as Row[]).map(resendOf);
    },
  };
}
