/**
 * Data keys of a store, the same for every engine: which ones its values need, how they are encrypted (`SealingMode`), and counting
 * and encrypting them again. The table `data_key` has the ids of the keys, and the mode as an id that no key has: version 0.2 takes
 * it for a key that it lacks, and does not start on values that it could not read.
 */
import { namesOf, PLAIN, type SealingMode, type Vault } from '../platform/vault.ts';
import type { DataKeyStore } from './port/data-key-store.ts';
import type { AnyRow } from './records/columns.ts';
import type { Records } from './records/records.ts';
import { INDEX_TABLE, type ResealEngine, resealer } from './reseal.ts';
import { countSql, type KeyColumn, RECIPIENT_TERMS, sealedCountOf, sealedTablesOf } from './sealed-tables.ts';

export interface DataKeyEngine extends ResealEngine {
  /** What the table `data_key` has. */
  ids(): Promise<readonly string[]>;
  add(id: string, now: number): Promise<void>;
  remove(id: string): Promise<void>;
  /** Runs a statement that may read everything. */
  count(sql: string): Promise<readonly AnyRow[]>;
  purge(): Promise<void>;
}

/** A store has those up to its mode. */
const MODE_IDS: readonly SealingMode[] = ['gcm', 'strict'];

/** `refKey`: the key of carrier_ref, which the engines have in common no more than its rows. */
export function createDataKeyStore(
  engine: DataKeyEngine,
  records: Records,
  vault: Vault | undefined,
  refKey: readonly KeyColumn[],
): DataKeyStore {
  const own = namesOf(vault);
  const tables = sealedTablesOf(vault, refKey);
  let mode: SealingMode = vault?.mode ?? 'gcm';

  function take(stored: SealingMode): void {
    mode = stored;
    if (vault) vault.mode = stored;
  }

  return {
    own,
    get mode() {
      return mode;
    },
    async refresh() {
      const ids = await engine.ids();
      take(MODE_IDS.findLast(id => ids.includes(id)) ?? 'ctr');
    },
    async setMode(wanted, now) {
      const kept = MODE_IDS.slice(0, MODE_IDS.indexOf(wanted) + 1);
      for (const id of MODE_IDS) await (kept.includes(id) ? engine.add(id, now) : engine.remove(id));
      take(wanted);
    },
    async known() {
      return (await engine.ids()).filter(id => !MODE_IDS.some(marker => marker === id));
    },
    add: engine.add,
    remove: engine.remove,
    async count() {
      const { from, to } = RECIPIENT_TERMS;
      const statements = [
        ...tables.flatMap(({ table, columns, where = '1 = 1' }) =>
          columns.map(column => ({ table, sql: countSql(table, column, where) })),
        ),
        {
          table: INDEX_TABLE,
          sql: countSql(INDEX_TABLE, { name: 'substr(term, 2)' }, `term >= '${from}' AND term < '${to}'`),
        },
      ];
      const counts = [];
      for (const { table, sql } of statements)
        for (const row of await engine.count(sql)) counts.push(sealedCountOf(table, row, own));
      return counts;
    },
    reseal: resealer({ engine, records, tables, sealing: own[0] ?? PLAIN }),
    purge: engine.purge,
  };
}
