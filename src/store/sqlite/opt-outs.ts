import type { OptOutList, OptOutStore } from '../port/opt-out-store.ts';
import {
  OPT_OUT_NAMES,
  optOutFieldsOf,
  SWEPT_OPT_OUTS,
  withoutRepetitions,
} from '../records/opt-out-columns.ts';
import type { Records } from '../records/records.ts';
import type { Database, Row } from './database.ts';
import { inserter } from './inserter.ts';
import { inStretches, STRETCH } from './stretches.ts';

export function sqliteOptOuts(db: Database, records: Records): OptOutStore {
  const { optOutOf, optOutNumbers } = records;
  const insert = inserter(db, 'opt_out', records.optOut);
  const isThere = db.prepare(
    `SELECT 1 FROM opt_out
      WHERE account = ? AND number = ? AND sender = ? AND covers = ? AND ended_at IS NULL`,
  );
  const insertList = db.prepare('INSERT OR IGNORE INTO opt_out_list (account, covers) VALUES (?, ?)');
  const consent = db.prepare(
    `UPDATE opt_out SET ended_at = ?1, ended_way = ?2, ended_by = ?3
      WHERE account = ?4 AND number = ?5 AND ended_at IS NULL AND sender = coalesce(?6, sender)`,
  );
  const end = db.prepare(
    `UPDATE opt_out SET ended_at = ?1, ended_way = ?2, ended_by = ?3
      WHERE account = ?4 AND id = ?5 AND ended_at IS NULL RETURNING id, ended_at, ended_way, ended_by, ${OPT_OUT_NAMES}`,
  );
  const find = db.prepare('SELECT * FROM opt_out WHERE account = ? AND number = ? AND ended_at IS NULL');
  const all = db.prepare(
    `SELECT * FROM opt_out
      WHERE account = ?1 AND id < ?2 AND id >= ?6 AND sender = coalesce(?3, sender) AND (ended_at IS NULL OR NOT ?4)
      ORDER BY id DESC LIMIT ?5`,
  );
  const endOfStretch = db.prepare(
    `SELECT id FROM opt_out WHERE account = ? AND id < ? ORDER BY id DESC LIMIT 1 OFFSET ${STRETCH - 1}`,
  );
  const ofNumber = db.prepare(
    `SELECT * FROM opt_out
      WHERE account = ?1 AND id < ?2 AND sender = coalesce(?3, sender) AND (ended_at IS NULL OR NOT ?4)
        AND number = ?6
      ORDER BY id DESC LIMIT ?5`,
  );
  const lists = db.prepare('SELECT account, covers FROM opt_out_list');
  const count = db.prepare('SELECT count(*) AS there FROM (SELECT 1 FROM opt_out WHERE account = ? LIMIT ?)');
  const ofAccount = db.prepare('SELECT * FROM opt_out WHERE account = ? AND number = ? ORDER BY id');
  const remove = db.prepare('DELETE FROM opt_out WHERE id = ?');
  const sweep = db.prepare(
    `DELETE FROM opt_out WHERE id IN
      (SELECT id FROM opt_out WHERE ended_at < ? ORDER BY ended_at LIMIT ${SWEPT_OPT_OUTS})`,
  );

  return {
    add: (account, entries, since) =>
      db.write(() => {
        let added = 0;
        for (const entry of withoutRepetitions(entries)) {
          const { number, sender, covers } = entry;
          const isKnown = optOutNumbers(number).some(
            stored => isThere.get(account, stored, sender, covers) !== undefined,
          );
          if (isKnown) continue;
          insert(optOutFieldsOf(account, entry, since));
          insertList.run(account, covers);
          added++;
        }
        return added;
      }, entries.length),
    consent: (account, consents, { at, way, by }) =>
      db.write(() => {
        let ended = 0;
        for (const { number, sender } of consents) {
          for (const stored of optOutNumbers(number)) {
            ended += Number(consent.run(at, way, by, account, stored, sender ?? null).changes);
          }
        }
        return ended;
      }, consents.length),
    end: (account, id, { at, way, by }) =>
      db.write(() => {
        const row = end.get(at, way, by, account, id) as Row | undefined;
        return row && optOutOf(row);
      }),
    async find(account, numbers) {
      return numbers
        .flatMap(optOutNumbers)
        .flatMap(number => (find.all(account, number) as Row[]).map(optOutOf));
    },
    async page(account, { before = Number.MAX_SAFE_INTEGER, limit, number, sender, isCurrent = false }) {
      const filters = [sender ?? null, isCurrent ? 1 : 0];
      if (number === undefined) {
        const rows = await inStretches(
          limit,
          before,
          start => {
            if (sender === undefined && !isCurrent) return undefined;
            return (endOfStretch.get(account, start) as { readonly id: number } | undefined)?.id;
          },
          (start, end, left) => all.all(account, start, ...filters, left, end ?? 0) as Row[],
        );
        return rows.map(optOutOf);
      }
      return optOutNumbers(number)
        .flatMap(stored => (ofNumber.all(account, before, ...filters, limit, stored) as Row[]).map(optOutOf))
        .sort((one, other) => other.id - one.id)
        .slice(0, limit);
    },
    async lists() {
      return (lists.all() as Row[]).map(({ account, covers }) => ({ account, covers }) as OptOutList);
    },
    async count(account, most) {
      return Number((count.get(account, most) as Row).there);
    },
    async ofRecipient(number, account) {
      const accounts = account === undefined ? accountsWithLists() : [account];
      return accounts.flatMap(id =>
        optOutNumbers(number).flatMap(stored => (ofAccount.all(id, stored) as Row[]).map(optOutOf)),
      );
    },
    async remove(ids) {
      await db.write(() => {
        for (const id of ids) remove.run(id);
      });
    },
    sweep: endedBefore => db.write(() => Number(sweep.run(endedBefore).changes) === SWEPT_OPT_OUTS),
  };

  function accountsWithLists(): string[] {
    return [...new Set((lists.all() as Row[]).map(({ account }) => String(account)))];
  }
}
