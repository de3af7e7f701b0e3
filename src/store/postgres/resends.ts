import type { ResendStore } from '../port/operator-store.ts';
import { resendOf } from '../rows.ts';
import type { Database } from './database.ts';

const LINKS = `
  SELECT link.* FROM (
    SELECT * FROM resend WHERE old_key = ANY ($1::text[])
     UNION SELECT * FROM resend WHERE new_key = ANY ($1::text[])) AS link
   CROSS JOIN LATERAL (SELECT FROM message WHERE msg_key = new_key LIMIT 1) AS message
   ORDER BY at, new_key`;

export function postgresResends(db: Database): ResendStore {
  return {
    async add({ newKey, oldKey, at }) {
      await db.query(
        `INSERT INTO resend (new_key, old_key, at) VALUES (:newKey, :oldKey, :at) ON CONFLICT DO NOTHING`,
        { newKey, oldKey, at },
      );
    },
    async of(msgKeys) {
      return (await db.query(LINKS, [msgKeys])).map(resendOf);
    },
  };
}
