import type { AccountId } from '../../domain/ids.ts';
import type { RegistryEntry } from '../../domain/registry/registry.ts';
import { isTemplate, TEMPLATE_KINDS } from '../../domain/registry/template.ts';
import {
  KEPT_TEMPLATE_CHANGES,
  type RegistryChange,
  type RegistryStore,
  type TemplateStore,
} from '../port/registry-store.ts';
import type { Records } from '../records/records.ts';
import { placeOf, templateChangeOf, templateOf } from '../rows.ts';
import type { Database, Row } from './database.ts';

export function sqliteRegistry(db: Database, records: Records): RegistryStore {
  const { registryEntry } = records;
  const entryOf = (row: Row) => registryEntry.read(row.entry, row);
  const put = db.prepare(
    `INSERT INTO registry (account, kind, key, entry, revision, changed_at) VALUES (?, ?, ?, ?, 1, ?)
     ON CONFLICT (account, kind, key) DO UPDATE
       SET entry = excluded.entry, revision = revision + 1, changed_at = excluded.changed_at
     RETURNING revision`,
  );
  const keep = historyWriter(db, records);
  const remove = db.prepare('DELETE FROM registry WHERE account = ? AND kind = ? AND key = ?');
  const forget = db.prepare('DELETE FROM template_history WHERE account = ? AND kind = ? AND key = ?');
  const selectAll = db.prepare('SELECT * FROM registry WHERE account = ? ORDER BY kind, key');
  const selectKind = db.prepare('SELECT * FROM registry WHERE account = ? AND kind = ? ORDER BY key');
  const select = db.prepare('SELECT * FROM registry WHERE account = ? AND kind = ? AND key = ?');
  return {
    async put(account, entries, change) {
      await db.write(() => {
        for (const entry of entries) {
          const place = placeOf(account, entry);
          const stored = registryEntry.write(entry, place);
          const row = put.get(...Object.values(place), stored, change?.at ?? null) as Row;
          if (change) keep(account, entry, Number(row.revision), change);
        }
      });
    },
    remove: (account, kind, key) =>
      db.write(() => {
        forget.run(account, kind, key);
        return remove.run(account, kind, key).changes === 1;
      }),
    async list(account, kind) {
      const rows = kind === undefined ? selectAll.all(account) : selectKind.all(account, kind);
      return records.unreadable.each('registry', rows as Row[], entryOf);
    },
    async find(account, wanted) {
      return wanted.flatMap(({ kind, key }) => {
        const rows = key === undefined ? selectKind.all(account, kind) : select.all(account, kind, key);
        return records.unreadable.each('registry', rows as Row[], entryOf);
      });
    },
  };
}

export function sqliteTemplates(db: Database, records: Records): TemplateStore {
  const { registryEntry } = records;
  const keep = historyWriter(db, records);
  const kinds = TEMPLATE_KINDS.map(kind => `'${kind}'`).join(', ');
  const page = db.prepare(
    `SELECT * FROM registry
     WHERE account = ? AND kind IN (${kinds}) AND (kind, key) > (?, ?) ORDER BY kind, key LIMIT ?`,
  );
  const select = db.prepare('SELECT * FROM registry WHERE account = ? AND kind = ? AND key = ?');
  const add = db.prepare(
    `INSERT INTO registry (account, kind, key, entry, revision, changed_at) VALUES (?, ?, ?, ?, 1, ?)
     ON CONFLICT DO NOTHING RETURNING revision`,
  );
  const replace = db.prepare(
    `UPDATE registry SET entry = ?4, revision = revision + 1, changed_at = ?5
     WHERE account = ?1 AND kind = ?2 AND key = ?3 AND revision = ?6 RETURNING revision`,
  );
  const history = db.prepare(
    `SELECT * FROM template_history
     WHERE account = ? AND kind = ? AND key = ? ORDER BY revision DESC`,
  );
  return {
    async page(account, { after, limit }) {
      const rows = page.all(account, after?.kind ?? '', after?.key ?? '', limit) as Row[];
      return records.unreadable.each('registry', rows, row => templateOf(row, records));
    },
    async find(account, { kind, key }) {
      const row = select.get(account, kind, key) as Row | undefined;
      return row && templateOf(row, records);
    },
    replace: (account, entry, revision, change) =>
      db.write(() => {
        const place = placeOf(account, entry);
        const values = [...Object.values(place), registryEntry.write(entry, place), change.at];
        const row = (revision === undefined ? add.get(...values) : replace.get(...values, revision)) as
          | Row
          | undefined;
        if (row) keep(account, entry, Number(row.revision), change);
        return row !== undefined;
      }),
    async history(account, { kind, key }) {
      return (history.all(account, kind, key) as Row[]).map(row => templateChangeOf(row, records));
    },
  };
}

/** Keeps what a template is after a change, and forgets the oldest. Inside of a transaction. */
function historyWriter(db: Database, { templateCopy }: Records) {
  const keep = db.prepare(
    'INSERT INTO template_history (account, kind, key, revision, at, by, entry) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const trim = db.prepare(
    'DELETE FROM template_history WHERE account = ? AND kind = ? AND key = ? AND revision <= ?',
  );
  return (account: AccountId, entry: RegistryEntry, revision: number, { at, by }: RegistryChange) => {
    if (!isTemplate(entry)) return;
    const place = placeOf(account, entry);
    const key = Object.values(place);
    keep.run(...key, revision, at, by, templateCopy.write(entry, { ...place, at }));
    trim.run(...key, revision - KEPT_TEMPLATE_CHANGES);
  };
}
