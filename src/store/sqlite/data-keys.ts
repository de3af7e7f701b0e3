/** With which data keys values are sealed, and sealing them anew. */
import { namesOf, PLAIN, type Vault } from '../../platform/vault.ts';
import type { DataKeyStore, SealedCount } from '../port/data-key-store.ts';
import { bigint } from '../records/columns.ts';
import type { Records } from '../records/records.ts';
import { INDEX_TABLE, keyIn, type ResealEngine, resealer } from '../reseal.ts';
import {
  countSql,
  type KeyColumn,
  RECIPIENT_TERMS,
  type SealedTable,
  sealedCountOf,
  sealedTablesOf,
} from '../sealed-tables.ts';
import type { Database, Row } from './database.ts';

export function sqliteDataKeys(db: Database, records: Records, vault: Vault | undefined): DataKeyStore {
  const own = namesOf(vault);
  const tables = sealedTablesOf(vault, [bigint('id')]);
  const select = db.prepare('SELECT id FROM data_key ORDER BY first_used_at, id');
  const insert = db.prepare('INSERT INTO data_key (id, first_used_at) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const remove = db.prepare('DELETE FROM data_key WHERE id = ?');

  function countIn(table: string, expression: string, where: string): SealedCount[] {
    const rows = db.prepare(countSql(table, expression, where)).all() as Row[];
    return rows.map(row => sealedCountOf(table, row, own));
  }

  return {
    own,
    async known() {
      return (select.all() as Row[]).map(({ id }) => String(id));
    },
    add: (id, now) => db.write(() => void insert.run(id, now)),
    remove: id => db.write(() => void remove.run(id)),
    async count() {
      const { from, to } = RECIPIENT_TERMS;
      return [
        ...tables.flatMap(({ table, columns, where = '1' }) =>
          columns.flatMap(({ name }) => countIn(table, name, where)),
        ),
        ...countIn(INDEX_TABLE, 'substr(term, 2)', `term >= '${from}' AND term < '${to}'`),
      ];
    },
    reseal: resealer({ engine: engineOn(db), records, tables, sealing: own[0] ?? PLAIN }),
    async purge() {
      await db.rewrite();
    },
  };
}

function engineOn(db: Database): ResealEngine {
  return {
    async edge(table, after, count) {
      const rows = db
        .prepare(
          `SELECT ${names(table.key)} FROM ${table.table} ${after ? `WHERE ${isAfter(table)}` : ''}
            ORDER BY ${names(table.key)} LIMIT ${count}`,
        )
        .all(...(after ?? [])) as Row[];
      const last = rows.at(-1);
      return last && { key: keyIn(table, last), seen: rows.length };
    },
    async rows(table, after, to, condition) {
      const { key, columns, where = '1' } = table;
      const wanted = [...names(key).split(', '), ...columns.map(({ name }) => name)];
      return db
        .prepare(
          `SELECT ${wanted.join(', ')} FROM ${table.table}
            WHERE ${after ? isAfter(table) : '1'} AND (${names(key)}) <= (${marks(key)}) AND ${where} AND (${condition})
            ORDER BY ${names(key)}`,
        )
        .all(...(after ?? []), ...to) as Row[];
    },
    async replace({ table, key }, column, values) {
      const update = db.prepare(
        `UPDATE ${table} SET ${column} = ? WHERE (${names(key)}) = (${marks(key)}) AND ${column} = ?`,
      );
      await db.write(() => {
        for (const { key: of, old, anew } of values) update.run(anew, ...of, old);
      });
    },
    async terms(after, count) {
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
    async replaceTerms(terms) {
      const insert = db.prepare('INSERT OR IGNORE INTO message_index (term, msg_key) VALUES (?, ?)');
      const remove = db.prepare('DELETE FROM message_index WHERE term = ? AND msg_key = ?');
      await db.write(() => {
        for (const { msgKey, old, anew } of terms) {
          remove.run(old, msgKey);
          if (anew !== undefined) insert.run(anew, msgKey);
        }
      });
    },
  };
}

const names = (key: readonly KeyColumn[]): string => key.map(({ name }) => name).join(', ');
const marks = (key: readonly KeyColumn[]): string => key.map(() => '?').join(', ');
const isAfter = ({ key }: SealedTable): string => `(${names(key)}) > (${marks(key)})`;
