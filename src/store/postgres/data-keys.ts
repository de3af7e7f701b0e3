/** Statements on data keys and encrypted values, which are replaced while the gateway runs; see ../data-keys.ts. */
import type { Vault } from '../../platform/vault.ts';
import { createDataKeyStore } from '../data-keys.ts';
import type { DataKeyStore } from '../port/data-key-store.ts';
import { CARRIER_REF_COLUMNS } from '../records/receipt-columns.ts';
import type { Records } from '../records/records.ts';
import { type Key, keyIn, type ReplacedTerm, type Replacement } from '../reseal.ts';
import { type KeyColumn, RECIPIENT_TERMS, readColumnsOf, type SealedTable } from '../sealed-tables.ts';
import type { Parameter } from '../tables/tables.ts';
import type { Database } from './database.ts';

const { carrier, ref, msgKey, part } = CARRIER_REF_COLUMNS;
const REF_KEY = [carrier, ref, msgKey, part];
const AS_LONG_AS_IT_TAKES = { withinMs: Number.POSITIVE_INFINITY };

export function postgresDataKeys(db: Database, records: Records, vault: Vault | undefined): DataKeyStore {
  const engine = {
    async ids() {
      const rows = await db.query('SELECT id FROM data_key ORDER BY first_used_at, id');
      return rows.map(({ id }) => String(id));
    },
    async add(id: string, now: number) {
      await db.query('INSERT INTO data_key (id, first_used_at) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
        id,
        now,
      ]);
    },
    async remove(id: string) {
      await db.query('DELETE FROM data_key WHERE id = $1', [id]);
    },
    count: (sql: string) => db.transaction(tx => tx.query(sql), AS_LONG_AS_IT_TAKES),
    // Rows as they were stay in the files until vacuum, and in the log until it is reused; see docs/data-key.md.
    async purge() {},
    async edge(table: SealedTable, after: Key | undefined, count: number) {
      const names = namesIn(table.key);
      const rows = await db.query(
        `SELECT ${names} FROM ${table.table} WHERE ${after ? isAfter(table) : 'true'} ORDER BY ${names} LIMIT :count`,
        { ...keyed('after', table, after), count },
      );
      const last = rows.at(-1);
      return last && { key: keyIn(table, last), seen: rows.length };
    },
    async rows(table: SealedTable, after: Key | undefined, to: Key, condition: string) {
      const { key, where = 'true' } = table;
      return db.query(
        `SELECT ${readColumnsOf(table).join(', ')} FROM ${table.table}
          WHERE ${after ? isAfter(table) : 'true'} AND (${namesIn(key)}) <= (${parametersOf('to', key)})
            AND ${where} AND (${condition})
          ORDER BY ${namesIn(key)}`,
        { ...keyed('after', table, after), ...keyed('to', table, to) },
      );
    },
    async replace({ table, key, columns }: SealedTable, rows: readonly Replacement[]) {
      const lists = [
        ...key.map(({ name, type }) => `:${name}s::${type}[]`),
        ...columns.flatMap(({ name }) => [`:old_${name}::text[]`, `:new_${name}::text[]`]),
      ];
      const names = [
        ...key.map(({ name }) => name),
        ...columns.flatMap(({ name }) => [`old_${name}`, `new_${name}`]),
      ];
      const changes = columns.map(({ name }) => `${name} = now.new_${name}`);
      const isSame = [
        ...key.map(({ name }) => `${table}.${name} = now.${name}`),
        ...columns.map(({ name }) => `${table}.${name} IS NOT DISTINCT FROM now.old_${name}`),
      ];
      const range = rangeIn(table, key, rows);
      const keys = key.map(({ name }, index) => [`${name}s`, rows.map(row => row.key[index] ?? null)]);
      const values = columns.flatMap(({ name }, index) => [
        [`old_${name}`, rows.map(({ old }) => old[index] ?? null)],
        [`new_${name}`, rows.map(({ anew }) => anew[index] ?? null)],
      ]);
      await db.retrying(() =>
        db.query(
          `UPDATE ${table} SET ${changes.join(', ')} FROM unnest(${lists.join(', ')}) AS now (${names.join(', ')})
            WHERE ${isSame.join(' AND ')} ${range.sql}`,
          { ...Object.fromEntries([...keys, ...values]), ...range.parameters },
        ),
      );
    },
    async terms(after: Key | undefined, count: number) {
      const { from, to } = RECIPIENT_TERMS;
      const [term = from, key = ''] = after ?? [];
      return db.query(
        `SELECT listed.term, listed.msg_key, message.account, message.recipient, NULL AS ref
           FROM (SELECT term, msg_key FROM message_index
                  WHERE (term, msg_key) > (:term, :key) AND term < '${to}' ORDER BY term, msg_key LIMIT :count) AS listed
           LEFT JOIN LATERAL (
             SELECT account, recipient FROM message WHERE message.msg_key = listed.msg_key LIMIT 1
           ) AS message ON true
          ORDER BY listed.term, listed.msg_key`,
        { term, key, count },
      );
    },
    async replaceTerms(terms: readonly ReplacedTerm[]) {
      const lasting = terms.filter(({ anew }) => anew !== undefined);
      await db.transaction(async tx => {
        await tx.query(
          `INSERT INTO message_index (term, msg_key)
           SELECT * FROM unnest($1::text[], $2::text[]) ON CONFLICT DO NOTHING`,
          [lasting.map(({ anew }) => anew ?? null), lasting.map(({ msgKey: key }) => key)],
        );
        await tx.query(
          `DELETE FROM message_index USING unnest($1::text[], $2::text[]) AS gone (term, msg_key)
            WHERE message_index.term = gone.term AND message_index.msg_key = gone.msg_key`,
          [terms.map(({ old }) => old), terms.map(({ msgKey: key }) => key)],
        );
      });
    },
  };
  return createDataKeyStore(engine, records, vault, REF_KEY);
}

const namesIn = (key: readonly KeyColumn[]): string => key.map(({ name }) => name).join(', ');

function parametersOf(prefix: string, key: readonly KeyColumn[]): string {
  return key.map(({ name, type }) => `:${prefix}_${name}::${type}`).join(', ');
}

/** The range of keys limits the look-up to the daily partitions that can have them. */
function rangeIn(table: string, key: readonly KeyColumn[], rows: readonly Replacement[]) {
  const index = key.findIndex(({ name }) => name === 'msg_key' || name === 'request_id');
  const { name } = key[index] ?? {};
  if (name === undefined) return { sql: '', parameters: {} };
  const sorted = rows.map(row => String(row.key[index])).sort();
  const parameters = { first: sorted.at(0) ?? '', last: sorted.at(-1) ?? '' };
  return { sql: `AND ${table}.${name} BETWEEN :first AND :last`, parameters };
}

function isAfter({ key }: SealedTable): string {
  return `(${namesIn(key)}) > (${parametersOf('after', key)})`;
}

function keyed(
  prefix: string,
  { key }: SealedTable,
  values: readonly (string | number)[] | undefined,
): Record<string, Parameter> {
  if (!values) return {};
  return Object.fromEntries(key.map(({ name }, index) => [`${prefix}_${name}`, values[index] ?? null]));
}
