import type { Resend, ResendStore } from '../port/operator-store.ts';
import { bigint, type ColumnsOf, readerOf, text } from '../records/columns.ts';
import { insertOneOf, sql, type Tables, valuesIn } from './tables.ts';

const COLUMNS: ColumnsOf<Resend> = { newKey: text('new_key'), oldKey: text('old_key'), at: bigint('at') };
const resendOf = readerOf(COLUMNS);
const ADD = `${insertOneOf('resend', COLUMNS)} ON CONFLICT DO NOTHING`;
const LINKS = `
  SELECT * FROM (
    SELECT * FROM resend WHERE old_key = ANY (:keys::text[])
     UNION SELECT * FROM resend WHERE new_key = ANY (:keys::text[])) AS link
   WHERE EXISTS (SELECT 1 FROM message WHERE msg_key = new_key OFFSET 0)
   ORDER BY at, new_key`;

export function resendTable(tables: Tables): ResendStore {
  return {
    async add(resend) {
      await tables.write(undefined, undefined, () => sql(ADD, valuesIn(COLUMNS, resend)));
    },
    async of(keys) {
      return (await tables.read(undefined, LINKS, { keys })).map(resendOf);
    },
  };
}
