/** With which data keys values are sealed, and sealing them anew while the gateway runs. */
import { namesOf, PLAIN, type Vault } from '../../platform/vault.ts';
import type { DataKeyStore, SealedCount } from '../port/data-key-store.ts';
import { CARRIER_REF_COLUMNS } from '../records/receipt-columns.ts';
import type { Records } from '../records/records.ts';
import { INDEX_TABLE, keyIn, type Replacement, type ResealEngine, resealer } from '../reseal.ts';
import {
  countSql,
  type KeyColumn,
  RECIPIENT_TERMS,
  type SealedTable,
  sealedCountOf,
  sealedTablesOf,
} from '../sealed-tables.ts';
import type { Database, Queryable } from './database.ts';
import type { Parameter } from './statement.ts';

const { carrier, ref, msgKey, part } = CARRIER_REF_COLUMNS;
const REF_KEY = [carrier, ref, msgKey, part];
const AS_LONG_AS_IT_TAKES = { withinMs: Number.POSITIVE_INFINITY };

export function postgresDataKeys(db: Database, records: Records, vault: Vault | undefined): DataKeyStore {
  const own = namesOf(vault);
  const tables = sealedTablesOf(vault, REF_KEY);

  async function countIn(
    tx: Queryable,
    table: string,
    expression: string,
    where: string,
  ): Promise<SealedCount[]> {
    const rows = await tx.query(countSql(table, expression, where));
    return rows.map(row => sealedCountOf(table, row, own));
  }

  return {
    own,
    async known() {
      return (await db.query('SELECT id FROM data_key ORDER BY first_used_at, id')).map(({ id }) =>
        String(id),
      );
    },
    async add(id, now) {
      await db.query('INSERT INTO data_key (id, first_used_at) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
        id,
        now,
      ]);
    },
    async remove(id) {
      await db.query('DELETE FROM data_key WHERE id = $1', [id]);
    },
    count: () =>
      db.transaction(async tx => {
        const counts: SealedCount[] = [];
        for (const { table, columns, where = 'true' } of tables) {
          for (const { name } of columns) counts.push(...(await countIn(tx, table, name, where)));
        }
        const { from, to } = RECIPIENT_TERMS;
        const isOfRecipient = `term >= '${from}' AND term < '${to}'`;
        return [...counts, ...(await countIn(tx, INDEX_TABLE, 'substr(term, 2)', isOfRecipient))];
      }, AS_LONG_AS_IT_TAKES),
    reseal: resealer({ engine: engineOn(db), records, tables, sealing: own[0] ?? PLAIN }),
    // Rows as they were stay in the files until vacuum, and in the log until it is reused; see docs/data-key.md.
    async purge() {},
  };
}

function engineOn(db: Database): ResealEngine {
  return {
    async edge(table, after, count) {
      const names = namesIn(table.key);
      const rows = await db.query(
        `SELECT ${names} FROM ${table.table} WHERE ${after ? isAfter(table) : 'true'} ORDER BY ${names} LIMIT :count`,
        { ...keyed('after', table, after), count },
      );
      const last = rows.at(-1);
      return last && { key: keyIn(table, last), seen: rows.length };
    },
    async rows(table, after, to, condition) {
      const { key, columns, where = 'true' } = table;
      const wanted = [...key, ...columns].map(({ name }) => name);
      return db.query(
        `SELECT ${wanted.join(', ')} FROM ${table.table}
          WHERE ${after ? isAfter(table) : 'true'} AND (${namesIn(key)}) <= (${parametersOf('to', key)})
            AND ${where} AND (${condition})
          ORDER BY ${namesIn(key)}`,
        { ...keyed('after', table, after), ...keyed('to', table, to) },
      );
    },
    async replace({ table, key }, column, values) {
      const lists = key.map(({ name, type }) => `:${name}s::${type}[]`);
      const isSame = key.map(({ name }) => `${table}.${name} = now.${name}`);
      const range = rangeIn(table, key, values);
      const keys = Object.fromEntries(
        key.map(({ name }, index) => [`${name}s`, values.map(value => value.key[index] ?? null)]),
      );
      await db.retrying(() =>
        db.query(
          `UPDATE ${table} SET ${column} = now.anew
             FROM unnest(${lists.join(', ')}, :olds::text[], :anews::text[]) AS now (${namesIn(key)}, old, anew)
            WHERE ${isSame.join(' AND ')} AND ${table}.${column} = now.old ${range.sql}`,
          {
            ...keys,
            ...range.parameters,
            olds: values.map(({ old }) => old),
            anews: values.map(({ anew }) => anew),
          },
        ),
      );
    },
    async terms(after, count) {
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
    async replaceTerms(terms) {
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
}

const namesIn = (key: readonly KeyColumn[]): string => key.map(({ name }) => name).join(', ');

function parametersOf(prefix: string, key: readonly KeyColumn[]): string {
  return key.map(({ name, type }) => `:${prefix}_${name}::${type}`).join(', ');
}

/** The range of keys limits the look-up to the daily partitions that can have them. */
function rangeIn(table: string, key: readonly KeyColumn[], values: readonly Replacement[]) {
  const index = key.findIndex(({ name }) => name === 'msg_key' || name === 'request_id');
  const { name } = key[index] ?? {};
  if (name === undefined) return { sql: '', parameters: {} };
  const sorted = values.map(value => String(value.key[index])).sort();
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
