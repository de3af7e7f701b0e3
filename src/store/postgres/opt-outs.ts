import type { NewOptOut } from '../../domain/delivery/opt-out.ts';
import type { AccountId } from '../../domain/ids.ts';
import type { OptOutList, OptOutStore } from '../port/opt-out-store.ts';
import {
  keyOfOptOut,
  OPT_OUT_COLUMNS,
  OPT_OUT_NAMES,
  optOutFieldsOf,
  SWEPT_OPT_OUTS,
  withoutRepetitions,
} from '../records/opt-out-columns.ts';
import type { Records } from '../records/records.ts';
import { lockingBriefly } from './busy.ts';
import type { Database } from './database.ts';
import { arraysOf, unnest } from './unnest.ts';

/** Sets our locks by account apart from others. */
const OPT_OUT_LOCK = 27;

/** Each number by itself, in the index: a plan that was made for a small table would compare every row with every number. */
const currentOf = (given: string, condition = 'true'): string => `
  SELECT old.* FROM ${given} CROSS JOIN LATERAL (
    SELECT * FROM opt_out
     WHERE account = :account AND number = given.number AND ended_at IS NULL AND ${condition} OFFSET 0) AS old`;
const CURRENT = currentOf('unnest(:numbers::text[]) AS given (number)');

const ADD = `
  WITH added AS (
    INSERT INTO opt_out (${OPT_OUT_NAMES})
    SELECT ${OPT_OUT_NAMES} FROM ${unnest('given', OPT_OUT_COLUMNS, 'position')} ORDER BY position
    RETURNING account, covers
  )
  INSERT INTO opt_out_list (account, covers) SELECT DISTINCT account, covers FROM added ON CONFLICT DO NOTHING`;

const MARKED = 'SET ended_at = :at::bigint, ended_way = :way::text, ended_by = :by::text';

const CONSENT = `
  UPDATE opt_out ${MARKED} WHERE id IN (SELECT id FROM (${currentOf(
    'unnest(:numbers::text[], :senders::text[]) AS given (number, sender)',
    'sender = coalesce(given.sender, sender)',
  )}) AS consented)`;

const END = `
  UPDATE opt_out ${MARKED} WHERE account = :account AND id = :id::bigint AND ended_at IS NULL RETURNING *`;

const PAGE = `
  SELECT * FROM opt_out
   WHERE account = :account AND id < :before::bigint AND sender = coalesce(:sender::text, sender)
     AND (ended_at IS NULL OR NOT :isCurrent::boolean)`;
const NEWEST = 'ORDER BY id DESC LIMIT :limit::integer';

const rowsOf = (account: AccountId): string => `opt-outs ${account}`;

export function postgresOptOuts(db: Database, records: Records): OptOutStore {
  const { optOutOf, optOutNumbers } = records;
  return {
    add: (account, entries, since) =>
      lockingBriefly(db, db.as(account), rowsOf(account), async tx => {
        // Two that add the same at the same time would both find it missing.
        await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, ${OPT_OUT_LOCK}))`, [account]);
        const given = withoutRepetitions(entries);
        const numbers = given.flatMap(({ number }) => optOutNumbers(number));
        const current = await tx.query(CURRENT, { account, numbers });
        // As stored: an entry that cannot be read is known all the same.
        const known = new Set(current.map(({ number, sender, covers }) => `${number}\n${sender}\n${covers}`));
        const isKnown = (entry: NewOptOut) =>
          optOutNumbers(entry.number).some(number => known.has(keyOfOptOut({ ...entry, number })));
        const fresh = given.filter(entry => !isKnown(entry));
        if (fresh.length === 0) return 0;
        const rows = fresh.map(entry => optOutFieldsOf(account, entry, since));
        await tx.query(ADD, arraysOf('given', records.optOut, rows));
        return fresh.length;
      }),
    async consent(account, consents, { at, way, by }) {
      const given = consents.flatMap(({ number, sender }) =>
        optOutNumbers(number).map(stored => ({ stored, sender: sender ?? null })),
      );
      const { count } = await lockingBriefly(db, db.as(account), rowsOf(account), tx =>
        tx.query(CONSENT, {
          ...{ account, at, way, by },
          numbers: given.map(({ stored }) => stored),
          senders: given.map(({ sender }) => sender),
        }),
      );
      return count;
    },
    async end(account, id, { at, way, by }) {
      const [row] = await lockingBriefly(db, db.as(account), rowsOf(account), tx =>
        tx.query(END, { account, id, at, way, by }),
      );
      return row && optOutOf(row);
    },
    async find(account, numbers) {
      const rows = await db.as(account).query(CURRENT, { account, numbers: numbers.flatMap(optOutNumbers) });
      return rows.map(optOutOf);
    },
    async page(account, { before = Number.MAX_SAFE_INTEGER, limit, number, sender, isCurrent = false }) {
      const values = { account, before, sender: sender ?? null, isCurrent, limit };
      const rows =
        number === undefined
          ? await db.as(account).query(`${PAGE} ${NEWEST}`, values)
          : await db.as(account).query(`${PAGE} AND number = ANY (:numbers::text[]) ${NEWEST}`, {
              ...values,
              numbers: optOutNumbers(number),
            });
      return rows.map(optOutOf);
    },
    async lists() {
      const rows = await db.query('SELECT account, covers FROM opt_out_list');
      return rows.map(({ account, covers }) => ({ account, covers }) as OptOutList);
    },
    async count(account, most) {
      const [row] = await db
        .as(account)
        .query(
          'SELECT count(*) AS there FROM (SELECT FROM opt_out WHERE account = $1 LIMIT $2::integer) AS counted',
          [account, most],
        );
      return Number(row?.there);
    },
    async ofRecipient(number, account) {
      const rows = await db.query(
        `SELECT * FROM opt_out
          WHERE account = ANY (ARRAY(SELECT account FROM opt_out_list WHERE account = coalesce(:account::text, account)))
            AND number = ANY (:numbers::text[]) ORDER BY id`,
        { account: account ?? null, numbers: optOutNumbers(number) },
      );
      return rows.map(optOutOf);
    },
    async remove(ids) {
      await db.query('DELETE FROM opt_out WHERE id = ANY ($1::bigint[])', [ids]);
    },
    async sweep(endedBefore) {
      const { count } = await db.query(
        `DELETE FROM opt_out WHERE id = ANY (ARRAY(
           SELECT id FROM opt_out WHERE ended_at < $1::bigint ORDER BY ended_at LIMIT ${SWEPT_OPT_OUTS}))`,
        [endedBefore],
      );
      return count === SWEPT_OPT_OUTS;
    },
  };
}
