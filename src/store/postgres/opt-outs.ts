import type { OptOutList, OptOutStore } from '../port/opt-out-store.ts';
import {
  OPT_OUT_COLUMNS,
  OPT_OUT_NAMES,
  optOutFieldsOf,
  SWEPT_OPT_OUTS,
  withoutRepetitions,
} from '../records/opt-out-columns.ts';
import type { Records } from '../records/records.ts';
import type { Database } from './database.ts';
import { arraysOf, unnest } from './unnest.ts';

/** Sets our locks by account apart from others. */
const OPT_OUT_LOCK = 27;

/** `known`: the ways in which each number may be stored, with the place of its entry. */
const ADD = `
  WITH given AS (
    SELECT * FROM ${unnest('given', OPT_OUT_COLUMNS, 'position')}
  ), known AS (
    SELECT place, number FROM unnest(:places::integer[], :numbers::text[]) AS known (place, number)
  ), added AS (
    INSERT INTO opt_out (${OPT_OUT_NAMES})
    SELECT ${OPT_OUT_NAMES} FROM given
     WHERE NOT EXISTS (
       SELECT FROM opt_out AS old JOIN known ON known.number = old.number
        WHERE known.place = given.position AND old.account = given.account AND old.sender = given.sender
          AND old.covers = given.covers AND old.ended_at IS NULL)
     ORDER BY position
    RETURNING account, covers
  ), listed AS (
    INSERT INTO opt_out_list (account, covers) SELECT DISTINCT account, covers FROM added ON CONFLICT DO NOTHING
  )
  SELECT count(*) AS added FROM added`;

const MARKED = 'SET ended_at = :at::bigint, ended_way = :way::text, ended_by = :by::text';

const CONSENT = `
  UPDATE opt_out ${MARKED}
    FROM unnest(:numbers::text[], :senders::text[]) AS given (number, sender)
   WHERE opt_out.account = :account AND opt_out.number = given.number AND ended_at IS NULL
     AND opt_out.sender = coalesce(given.sender, opt_out.sender)`;

const END = `
  UPDATE opt_out ${MARKED} WHERE account = :account AND id = :id::bigint AND ended_at IS NULL RETURNING *`;

const PAGE = `
  SELECT * FROM opt_out
   WHERE account = :account AND id < :before::bigint AND sender = coalesce(:sender::text, sender)
     AND (ended_at IS NULL OR NOT :isCurrent::boolean)`;
const NEWEST = 'ORDER BY id DESC LIMIT :limit::integer';

export function postgresOptOuts(db: Database, records: Records): OptOutStore {
  const { optOutOf, optOutNumbers } = records;
  return {
    add: (account, entries, since) =>
      db.as(account).transaction(async tx => {
        // Two that add the same at the same time would both find it missing.
        await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, ${OPT_OUT_LOCK}))`, [account]);
        const rows = withoutRepetitions(entries).map(entry => optOutFieldsOf(account, entry, since));
        const known = rows.flatMap(({ number }, index) =>
          optOutNumbers(number).map(stored => ({ place: index + 1, stored })),
        );
        const [row] = await tx.query(ADD, {
          ...arraysOf('given', records.optOut, rows),
          places: known.map(({ place }) => place),
          numbers: known.map(({ stored }) => stored),
        });
        return Number(row?.added);
      }),
    async consent(account, consents, { at, way, by }) {
      const given = consents.flatMap(({ number, sender }) =>
        optOutNumbers(number).map(stored => ({ stored, sender: sender ?? null })),
      );
      const { count } = await db.as(account).query(CONSENT, {
        ...{ account, at, way, by },
        numbers: given.map(({ stored }) => stored),
        senders: given.map(({ sender }) => sender),
      });
      return count;
    },
    async end(account, id, { at, way, by }) {
      const [row] = await db.as(account).query(END, { account, id, at, way, by });
      return row && optOutOf(row);
    },
    async find(account, numbers) {
      const rows = await db
        .as(account)
        .query(
          'SELECT * FROM opt_out WHERE account = $1 AND number = ANY ($2::text[]) AND ended_at IS NULL',
          [account, numbers.flatMap(optOutNumbers)],
        );
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
