import type { ResendStore } from '../port/operator-store.ts';
import { resendOf } from '../rows.ts';
import { sql, type Tables } from './tables.ts';

const ADD = `
  INSERT INTO resend (new_key, old_key, at) VALUES (:newKey, :oldKey, :at) ON CONFLICT DO NOTHING`;
const LINKS = `
  SELECT * FROM (
    SELECT * FROM resend WHERE old_key = ANY (:keys::text[])
     UNION SELECT * FROM resend WHERE new_key = ANY (:keys::text[])) AS link
   WHERE EXISTS (SELECT 1 FROM message WHERE msg_key = new_key OFFSET 0)
   ORDER BY at, new_key`;

export function resendTable(tables: Tables): ResendStore {
  return {
    async add({ newKey, oldKey, at }) {
      await tables.write(undefined, undefined, () => sql(ADD, { newKey, oldKey, at }));
    },
    async of(keys) {
      return (await tables.read(undefined, LINKS, { keys })).map(resendOf);
    },
  };
}
