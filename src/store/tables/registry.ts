import type { AccountId } from '../../domain/ids.ts';
import { type RegistryEntry, registryKey } from '../../domain/registry/registry.ts';
import { isTemplate, TEMPLATE_KINDS } from '../../domain/registry/template.ts';
import {
  KEPT_TEMPLATE_CHANGES,
  type RegistryChange,
  type RegistryStore,
  type TemplateStore,
} from '../port/registry-store.ts';
import type { AnyRow } from '../records/columns.ts';
import type { Records } from '../records/records.ts';
import { placeOf, templateChangeOf, templateOf } from '../records/registry-columns.ts';
import { sql, type Tables, type Work } from './tables.ts';

const PUT = `
  INSERT INTO registry (account, kind, key, entry, revision, changed_at)
  SELECT :account, kind, key, entry, 1, :at::bigint
    FROM unnest(:kinds::text[], :keys::text[], :entries::text[]) AS given (kind, key, entry) WHERE true
  ON CONFLICT (account, kind, key) DO UPDATE
    SET entry = excluded.entry, revision = registry.revision + 1, changed_at = excluded.changed_at
  RETURNING kind, key, revision`;
const AT_PLACE = 'account = :account AND kind = :kind AND key = :key';
const REMOVE = `DELETE FROM registry WHERE ${AT_PLACE}`;
const LIST = `
  SELECT * FROM registry WHERE account = :account AND kind = coalesce(:kind::text, kind) ORDER BY kind, key`;
const FIND = `
  SELECT found.* FROM unnest(:kinds::text[], :keys::text[]) AS wanted (of_kind, of_key) CROSS JOIN LATERAL (
    SELECT * FROM registry WHERE account = :account AND kind = of_kind AND key = of_key OFFSET 0) AS found
   UNION ALL SELECT * FROM registry WHERE account = :account AND kind = ANY (:wholeKinds::text[])`;

const PAGE = `
  SELECT * FROM registry
   WHERE account = :account AND kind IN (${TEMPLATE_KINDS.map(kind => `'${kind}'`).join(', ')})
     AND (kind, key) > (:kind, :key)
   ORDER BY kind, key LIMIT :limit`;
const FIND_TEMPLATE = `SELECT * FROM registry WHERE ${AT_PLACE}`;
const ADD_TEMPLATE = `
  INSERT INTO registry (account, kind, key, entry, revision, changed_at)
  VALUES (:account, :kind, :key, :entry, 1, :at::bigint)
  ON CONFLICT (account, kind, key) DO NOTHING RETURNING kind, key, revision`;
const REPLACE_TEMPLATE = `
  UPDATE registry SET entry = :entry, revision = revision + 1, changed_at = :at::bigint
   WHERE ${AT_PLACE} AND revision = :revision::integer RETURNING kind, key, revision`;

const HISTORY = `SELECT * FROM template_history WHERE ${AT_PLACE} ORDER BY revision DESC`;
const FORGET_HISTORY = `DELETE FROM template_history WHERE ${AT_PLACE}`;
const KEEP = `
  INSERT INTO template_history (account, kind, key, revision, at, by, entry)
  SELECT :account, kind, key, revision, :at::bigint, :by, copy
    FROM unnest(:kinds::text[], :keys::text[], :revisions::integer[], :copies::text[]) AS kept (kind, key, revision, copy)`;
const TRIM = `
  DELETE FROM template_history WHERE (account, kind, key, revision) IN (
    SELECT old.account, old.kind, old.key, old.revision
      FROM unnest(:kinds::text[], :keys::text[], :upTo::integer[]) AS kept (of_kind, of_key, up_to)
     CROSS JOIN LATERAL (
       SELECT * FROM template_history
        WHERE account = :account AND kind = of_kind AND key = of_key AND revision <= up_to OFFSET 0) AS old)`;

const turnOf = (account: AccountId): string => `registry ${account}`;

export function registryTable(tables: Tables, records: Records): RegistryStore {
  const { registryEntry, unreadable } = records;
  const entriesOf = (rows: readonly AnyRow[]) =>
    unreadable.each('registry', rows, row => registryEntry.read(row.entry, row));
  return {
    async put(account, entries, change) {
      // One statement may not write a row twice: of two entries under one key the later counts.
      const latest = new Map(entries.map(entry => [`${entry.kind} ${registryKey(entry)}`, entry]));
      const given = [...latest.values()];
      await tables.write(
        account,
        turnOf(account),
        function* () {
          const written = yield* sql(PUT, {
            ...{ account, at: change?.at ?? null },
            kinds: given.map(({ kind }) => kind),
            keys: given.map(registryKey),
            entries: given.map(entry => registryEntry.write(entry, placeOf(account, entry))),
          });
          if (change) yield* keepHistory(account, given, written, change, records);
        },
        given.length,
      );
    },
    remove: (account, kind, key) =>
      tables.write(account, turnOf(account), function* () {
        yield* sql(FORGET_HISTORY, { account, kind, key });
        return (yield* sql(REMOVE, { account, kind, key })).count === 1;
      }),
    async list(account, kind) {
      return entriesOf(await tables.read(account, LIST, { account, kind: kind ?? null }));
    },
    async find(account, wanted) {
      const named = wanted.filter(ref => ref.key !== undefined);
      const rows = await tables.read(account, FIND, {
        account,
        kinds: named.map(({ kind }) => kind),
        keys: named.map(({ key }) => key ?? null),
        wholeKinds: wanted.filter(ref => ref.key === undefined).map(({ kind }) => kind),
      });
      return entriesOf(rows);
    },
  };
}

export function templateTable(tables: Tables, records: Records): TemplateStore {
  const { registryEntry, unreadable } = records;
  return {
    async page(account, { after, limit }) {
      const query = { account, kind: after?.kind ?? '', key: after?.key ?? '', limit };
      const rows = await tables.read(account, PAGE, query);
      return unreadable.each('registry', rows, row => templateOf(row, records));
    },
    async find(account, { kind, key }) {
      const [row] = await tables.read(account, FIND_TEMPLATE, { account, kind, key });
      return row && templateOf(row, records);
    },
    replace: (account, entry, revision, change) =>
      tables.write(account, turnOf(account), function* () {
        const place = placeOf(account, entry);
        const values = { ...place, entry: registryEntry.write(entry, place), at: change.at };
        const written =
          revision === undefined
            ? yield* sql(ADD_TEMPLATE, values)
            : yield* sql(REPLACE_TEMPLATE, { ...values, revision });
        yield* keepHistory(account, [entry], written, change, records);
        return written.length === 1;
      }),
    async history(account, { kind, key }) {
      const rows = await tables.read(account, HISTORY, { account, kind, key });
      return rows.map(row => templateChangeOf(row, records));
    },
  };
}

/** Keeps what the templates among the written entries are now, and forgets the oldest changes of each. */
function* keepHistory(
  account: AccountId,
  entries: readonly RegistryEntry[],
  written: readonly AnyRow[],
  { at, by }: RegistryChange,
  { templateCopy }: Records,
): Work<void> {
  const revisions = new Map(written.map(({ kind, key, revision }) => [`${kind} ${key}`, Number(revision)]));
  const kept = entries.filter(isTemplate).flatMap(entry => {
    const place = placeOf(account, entry);
    const revision = revisions.get(`${place.kind} ${place.key}`);
    return revision === undefined
      ? []
      : [{ ...place, revision, copy: templateCopy.write(entry, { ...place, at }) }];
  });
  if (kept.length === 0) return;
  const places = { account, kinds: kept.map(({ kind }) => kind), keys: kept.map(({ key }) => key) };
  yield* sql(KEEP, {
    ...{ ...places, at, by },
    revisions: kept.map(({ revision }) => revision),
    copies: kept.map(({ copy }) => copy),
  });
  yield* sql(TRIM, { ...places, upTo: kept.map(({ revision }) => revision - KEPT_TEMPLATE_CHANGES) });
}
