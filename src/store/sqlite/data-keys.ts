/** Statements on data keys and encrypted values; see ../data-keys.ts. */
import type { Vault } from '../../platform/vault.ts';
import { createDataKeyStore } from '../data-keys.ts';
import type { DataKeyStore } from '../port/data-key-store.ts';
import { bigint } from '../records/columns.ts';
import type { Records } from '../records/records.ts';
import { type Key, keyIn, type ReplacedTerm, type Replacement } from '../reseal.ts';
import { type KeyColumn, RECIPIENT_TERMS, readColumnsOf, type SealedTable } from '../sealed-tables.ts';
import type { Database, Row } from './database.ts';

export function sqliteDataKeys(db: Database, records: Records, vault: Vault | undefined): DataKeyStore {
  const select = db.prepare('SELECT id FROM data_key ORDER BY first_used_at, id');
  const insert = db.prepare('INSERT INTO data_key (id, first_used_at) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const remove = db.prepare('DELETE FROM data_key WHERE id = ?');
  const engine = {
    async ids() {
      return (select.all() as Row[]).map(({ id }) => String(id));
    },
    add: (id: string, now: number) => db.write(() => void insert.run(id, now)),
    remove: (id: string) => db.write(() => void remove.run(id)),
    count: async (sql: string) => db.prepare(sql).all() as Row[],
    async purge() {
      await db.rewrite();
    },
    async edge(table: SealedTable, after: Key | undefined, count: number) {
      const rows = db
        .prepare(
          `SELECT ${names(table.key)} FROM ${table.table} ${after ? `WHERE ${isAfter(table)}` : ''}
            ORDER BY ${names(table.key)} LIMIT ${count}`,
        )
        .all(...(after ?? [])) as Row[];
      const last = rows.at(-1);
      return last && { key: keyIn(table, last), seen: rows.length };
    },
    async rows(table: SealedTable, after: Key | undefined, to: Key, condition: string) {
      const { key, where = '1' } = table;
      return db
        .prepare(
          `SELECT ${readColumnsOf(table).join(', ')} FROM ${table.table}
            WHERE ${after ? isAfter(table) : '1'} AND (${names(key)}) <= (${marks(key)}) AND ${where} AND (${condition})
            ORDER BY ${names(key)}`,
        )
        .all(...(after ?? []), ...to) as Row[];
    },
    async replace({ table, key, columns }: SealedTable, rows: readonly Replacement[]) {
      const changes = columns.map(({ name }) => `${name} = ?`);
      const isSame = columns.map(({ name }) => `${name} IS ?`);
      const update = db.prepare(
        `UPDATE ${table} SET ${changes.join(', ')} WHERE (${names(key)}) = (${marks(key)}) AND ${isSame.join(' AND ')}`,
      );
      await db.write(() => {
        for (const { key: of, old, anew } of rows) update.run(...anew, ...of, ...old);
      });
    },
    async terms(after: Key | undefined, count: number) {
      const { from, to } = RECIPIENT_TERMS;
      return db
        .prepare(
          `SELECT listed.term, listed.msg_key, message.account, message.recipient, NULL AS ref
             FROM (SELECT term, msg_key FROM message_index
                    WHERE (term, msg_key) > (?, ?) AND term < '${to}' ORDER BY term, msg_key LIMIT ${count}) AS listed
             LEFT JOIN message ON message.msg_key = listed.msg_key
            ORDER BY listed.term, listed.msg_key`,
        )
        .all(...(after ?? [from, ''])) as Row[];
    },
    async replaceTerms(terms: readonly ReplacedTerm[]) {
      const insertTerm = db.prepare('INSERT OR IGNORE INTO message_index (term, msg_key) VALUES (?, ?)');
      const removeTerm = db.prepare('DELETE FROM message_index WHERE term = ? AND msg_key = ?');
      await db.write(() => {
        for (const { msgKey, old, anew } of terms) {
          removeTerm.run(old, msgKey);
          if (anew !== undefined) insertTerm.run(anew, msgKey);
        }
      });
    },
  };
  return createDataKeyStore(engine, records, vault, [bigint('id')]);
}

const names = (key: readonly KeyColumn[]): string => key.map(({ name }) => name).join(', ');
const marks = (key: readonly KeyColumn[]): string => key.map(() => '?').join(', ');
const isAfter = ({ key }: SealedTable): string => `(${names(key)}) > (${marks(key)})`;
