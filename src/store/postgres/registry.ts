import type { AccountId } from '../../domain/ids.ts';
import { type RegistryEntry, type RegistryRef, registryKey } from '../../domain/registry/registry.ts';
import { isTemplate, TEMPLATE_KINDS } from '../../domain/registry/template.ts';
import {
  KEPT_TEMPLATE_CHANGES,
  type RegistryChange,
  type RegistryStore,
  type TemplatePlace,
  type TemplateStore,
} from '../port/registry-store.ts';
import type { Records } from '../records/records.ts';
import { placeOf, templateChangeOf, templateOf } from '../rows.ts';
import { lockingBriefly } from './busy.ts';
import type { Database, Row } from './database.ts';

const rowsOf = (account: AccountId): string => `registry ${account}`;

export function postgresRegistry(db: Database, records: Records): RegistryStore {
  const { registryEntry } = records;
  const entryOf = (row: Row) => registryEntry.read(row.entry, row);
  return {
    async put(account, entries, change) {
      // One statement may not write a row twice: of two entries under one key the later counts.
      const latest = new Map(entries.map(entry => [`${entry.kind} ${registryKey(entry)}`, entry]));
      const rows = [...latest.values()];
      await lockingBriefly(db, db.as(account), rowsOf(account), tx =>
        tx.query(
          `WITH given AS (
           SELECT * FROM unnest(:kinds::text[], :keys::text[], :entries::text[], :copies::text[])
             AS given (kind, key, entry, copy)
         ), written AS (
           INSERT INTO registry AS old (account, kind, key, entry, revision, changed_at)
           SELECT :account, kind, key, entry, 1, :at::bigint FROM given
           ON CONFLICT (account, kind, key) DO UPDATE
             SET entry = excluded.entry, revision = old.revision + 1, changed_at = excluded.changed_at
           RETURNING kind, key, revision
         ), ${TRIMMED}
         INSERT INTO template_history (account, kind, key, revision, at, by, entry)
         SELECT :account, kind, key, revision, :at::bigint, :by, copy
           FROM written JOIN given USING (kind, key) WHERE copy IS NOT NULL`,
          {
            account,
            kinds: rows.map(({ kind }) => kind),
            keys: rows.map(registryKey),
            entries: rows.map(entry => registryEntry.write(entry, placeOf(account, entry))),
            copies: rows.map(entry => (change ? copyOf(account, entry, change, records) : null)),
            at: change?.at ?? null,
            by: change?.by ?? null,
            kept: KEPT_TEMPLATE_CHANGES,
          },
        ),
      );
    },
    async remove(account, kind, key) {
      const { count } = await lockingBriefly(db, db.as(account), rowsOf(account), tx =>
        tx.query(
          `WITH forgotten AS (
           DELETE FROM template_history WHERE account = :account AND kind = :kind AND key = :key
         )
         DELETE FROM registry WHERE account = :account AND kind = :kind AND key = :key`,
          { account, kind, key },
        ),
      );
      return count === 1;
    },
    async list(account, kind) {
      const rows = await db
        .as(account)
        .query(
          `SELECT * FROM registry WHERE account = $1 AND kind = coalesce($2::text, kind) ORDER BY kind, key`,
          [account, kind ?? null],
        );
      return records.unreadable.each('registry', rows, entryOf);
    },
    async find(account, wanted) {
      const named = wanted.filter(ref => ref.key !== undefined);
      const rows = await db.as(account).query(
        `SELECT registry.*
         FROM unnest(:kinds::text[], :keys::text[]) AS wanted (kind, key)
         JOIN registry ON registry.account = :account AND registry.kind = wanted.kind AND registry.key = wanted.key
         UNION ALL
         SELECT * FROM registry WHERE account = :account AND kind = ANY (:wholeKinds::text[])`,
        {
          account,
          kinds: named.map(kindOf),
          keys: named.map(({ key }) => key ?? null),
          wholeKinds: wholeKinds(wanted),
        },
      );
      return records.unreadable.each('registry', rows, entryOf);
    },
  };
}

/** The oldest changes of what `written` has changed. */
const TRIMMED = `trimmed AS (
  DELETE FROM template_history AS old USING written
   WHERE old.account = :account AND old.kind = written.kind AND old.key = written.key
     AND old.revision <= written.revision - :kept::integer
)`;

export function postgresTemplates(db: Database, records: Records): TemplateStore {
  const { registryEntry } = records;
  const kinds = TEMPLATE_KINDS.map(kind => `'${kind}'`).join(', ');
  const history = `${TRIMMED}
    INSERT INTO template_history (account, kind, key, revision, at, by, entry)
    SELECT :account, kind, key, revision, :at::bigint, :by, :copy FROM written RETURNING revision`;
  const add = `
    WITH written AS (
      INSERT INTO registry (account, kind, key, entry, revision, changed_at)
      VALUES (:account, :kind, :key, :entry, 1, :at::bigint)
      ON CONFLICT (account, kind, key) DO NOTHING RETURNING kind, key, revision
    ), ${history}`;
  const replace = `
    WITH written AS (
      UPDATE registry SET entry = :entry, revision = revision + 1, changed_at = :at::bigint
       WHERE account = :account AND kind = :kind AND key = :key AND revision = :revision::integer
      RETURNING kind, key, revision
    ), ${history}`;
  const find = (account: AccountId, text: string, { kind, key }: TemplatePlace) =>
    db.as(account).query(`${text} WHERE account = :account AND kind = :kind AND key = :key`, {
      account,
      kind,
      key,
    });
  return {
    async page(account, { after, limit }) {
      const rows = await db.as(account).query(
        `SELECT * FROM registry
         WHERE account = :account AND kind IN (${kinds}) AND (kind, key) > (:kind, :key)
         ORDER BY kind, key LIMIT :limit`,
        { account, kind: after?.kind ?? '', key: after?.key ?? '', limit },
      );
      return records.unreadable.each('registry', rows, row => templateOf(row, records));
    },
    async find(account, place) {
      const [row] = await find(account, 'SELECT * FROM registry', place);
      return row && templateOf(row, records);
    },
    async replace(account, entry, revision, change) {
      const place = placeOf(account, entry);
      const copy = copyOf(account, entry, change, records);
      const values = { entry: registryEntry.write(entry, place), copy };
      const written = await lockingBriefly(db, db.as(account), rowsOf(account), tx =>
        tx.query(revision === undefined ? add : replace, {
          ...place,
          ...values,
          at: change.at,
          by: change.by,
          kept: KEPT_TEMPLATE_CHANGES,
          ...(revision !== undefined && { revision }),
        }),
      );
      return written.length === 1;
    },
    async history(account, place) {
      const rows = await find(account, 'SELECT * FROM template_history', place);
      return rows
        .map(row => templateChangeOf(row, records))
        .sort((one, other) => other.revision - one.revision);
    },
  };
}

/** Of a template, for its history. */
function copyOf(account: AccountId, entry: RegistryEntry, { at }: RegistryChange, { templateCopy }: Records) {
  return isTemplate(entry) ? templateCopy.write(entry, { ...placeOf(account, entry), at }) : null;
}

function wholeKinds(wanted: readonly RegistryRef[]): string[] {
  return wanted.filter(ref => ref.key === undefined).map(kindOf);
}

function kindOf({ kind }: RegistryRef): string {
  return kind;
}
