import type { AccountId } from '../../domain/ids.ts';
import type { OptOutList, OptOutStore } from '../port/opt-out-store.ts';
import {
  keyOfOptOut,
  OPT_OUT_COLUMNS,
  optOutFieldsOf,
  withoutRepetitions,
} from '../records/opt-out-columns.ts';
import type { Records } from '../records/records.ts';
import { inStretches, STRETCH } from '../stretches.ts';
import { addedOf, insertOf, lockName, sql, type Tables } from './tables.ts';

/** Sets our locks by account apart from others. */
const OPT_OUT_LOCK = 27;

/** Each number by itself, in the index: a plan that was made for a small table would compare every row with every number. */
const rowsOfEach = (given: string, condition: string): string => `
  SELECT found.* FROM ${given} CROSS JOIN LATERAL (
    SELECT * FROM opt_out WHERE account = :account AND number = wanted AND ${condition} OFFSET 0) AS found`;
const NUMBERS = 'unnest(:numbers::text[]) AS given (wanted)';
const CURRENT = rowsOfEach(NUMBERS, 'ended_at IS NULL');

const ADD = insertOf('opt_out', OPT_OUT_COLUMNS);
const ADD_LISTS = `
  INSERT INTO opt_out_list (account, covers)
  SELECT :account, covers FROM unnest(:covers::text[]) AS given (covers) WHERE true ON CONFLICT DO NOTHING`;

const MARKED = 'SET ended_at = :at::bigint, ended_way = :way::text, ended_by = :by::text';
const CONSENT = `
  UPDATE opt_out ${MARKED} WHERE id IN (SELECT id FROM (${rowsOfEach(
    'unnest(:numbers::text[], :senders::text[]) AS given (wanted, from_sender)',
    'ended_at IS NULL AND sender = coalesce(from_sender, sender)',
  )}) AS consented)`;
const END = `
  UPDATE opt_out ${MARKED} WHERE account = :account AND id = :id::bigint AND ended_at IS NULL RETURNING *`;

const FILTER = `
  id < :before::bigint AND id >= :end::bigint AND sender = coalesce(:sender::text, sender)
  AND (ended_at IS NULL OR NOT :isCurrent::boolean)`;
const NEWEST = 'ORDER BY id DESC LIMIT :limit::integer';
const PAGE = `SELECT * FROM opt_out WHERE account = :account AND ${FILTER} ${NEWEST}`;
const PAGE_OF_NUMBERS = `${rowsOfEach(NUMBERS, FILTER)} ${NEWEST}`;
const END_OF_STRETCH = `
  SELECT id FROM opt_out WHERE account = :account AND id < :before::bigint
   ORDER BY id DESC LIMIT 1 OFFSET ${STRETCH - 1}`;

const COUNT = `
  SELECT count(*) AS there
    FROM (SELECT 1 FROM opt_out WHERE account = :account LIMIT :most::integer) AS counted`;
const OF_RECIPIENT = `
  SELECT * FROM opt_out
   WHERE account = ANY (ARRAY(SELECT account FROM opt_out_list WHERE account = coalesce(:account::text, account)))
     AND number = ANY (:numbers::text[]) ORDER BY id`;

/** Rows that one sweep deletes. */
const SWEPT = 1000;
const SWEEP = `
  DELETE FROM opt_out WHERE id = ANY (ARRAY(
    SELECT id FROM opt_out WHERE ended_at < :endedBefore::bigint ORDER BY ended_at LIMIT ${SWEPT}))`;

const turnOf = (account: AccountId): string => `opt-outs ${account}`;

export function optOutTable(tables: Tables, records: Records): OptOutStore {
  const { optOutOf, optOutNumbers } = records;
  return {
    add: (account, entries, since) =>
      tables.write(
        account,
        turnOf(account),
        function* () {
          // Two that add the same at the same time would both find it missing.
          yield* lockName(account, OPT_OUT_LOCK);
          const given = withoutRepetitions(entries);
          const numbers = given.flatMap(({ number }) => optOutNumbers(number));
          const current = yield* sql(CURRENT, { account, numbers });
          // As stored: an entry that cannot be read is known all the same.
          const known = new Set(
            current.map(({ number, sender, covers }) => `${number}\n${sender}\n${covers}`),
          );
          const fresh = given.filter(
            entry =>
              !optOutNumbers(entry.number).some(number => known.has(keyOfOptOut({ ...entry, number }))),
          );
          if (fresh.length === 0) return 0;
          const added = fresh.map(entry => optOutFieldsOf(account, entry, since));
          yield* sql(ADD, addedOf(records.optOut, added));
          yield* sql(ADD_LISTS, { account, covers: [...new Set(fresh.map(({ covers }) => covers))] });
          return fresh.length;
        },
        entries.length,
      ),
    async consent(account, consents, { at, way, by }) {
      const given = consents.flatMap(({ number, sender = null }) =>
        optOutNumbers(number).map(stored => ({ stored, sender })),
      );
      const numbers = given.map(({ stored }) => stored);
      const senders = given.map(({ sender }) => sender);
      const work = () => sql(CONSENT, { account, numbers, senders, at, way, by });
      return (await tables.write(account, turnOf(account), work, given.length)).count;
    },
    async end(account, id, { at, way, by }) {
      const work = () => sql(END, { account, id, at, way, by });
      const [row] = await tables.write(account, turnOf(account), work);
      return row && optOutOf(row);
    },
    async find(account, numbers) {
      const rows = await tables.read(account, CURRENT, { account, numbers: numbers.flatMap(optOutNumbers) });
      return rows.map(optOutOf);
    },
    async page(
      account,
      { before = Number.MAX_SAFE_INTEGER, limit, number, sender = null, isCurrent = false },
    ) {
      const query = { account, sender, isCurrent };
      if (number !== undefined) {
        const numbers = optOutNumbers(number);
        const rows = await tables.read(account, PAGE_OF_NUMBERS, {
          ...query,
          numbers,
          before,
          end: 0,
          limit,
        });
        return rows.map(optOutOf);
      }
      const rows = await inStretches(
        limit,
        before,
        async start => {
          if (sender === null && !isCurrent) return undefined;
          const [row] = await tables.read(account, END_OF_STRETCH, { account, before: start });
          return row && Number(row.id);
        },
        (start, end = 0, left) => tables.read(account, PAGE, { ...query, before: start, end, limit: left }),
      );
      return rows.map(optOutOf);
    },
    async lists() {
      const rows = await tables.read(undefined, 'SELECT account, covers FROM opt_out_list');
      return rows.map(({ account, covers }) => ({ account, covers }) as OptOutList);
    },
    async count(account, most) {
      const [row] = await tables.read(account, COUNT, { account, most });
      return Number(row?.there);
    },
    async ofRecipient(number, account) {
      const query = { account: account ?? null, numbers: optOutNumbers(number) };
      return (await tables.read(undefined, OF_RECIPIENT, query)).map(optOutOf);
    },
    async remove(ids) {
      const work = () => sql('DELETE FROM opt_out WHERE id = ANY (:ids::bigint[])', { ids });
      await tables.write(undefined, undefined, work, ids.length);
    },
    async sweep(endedBefore) {
      const { count } = await tables.write(undefined, undefined, () => sql(SWEEP, { endedBefore }));
      return count === SWEPT;
    },
  };
}
