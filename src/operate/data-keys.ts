/** What an operator sees and does of data keys: how much is sealed with which, and sealing everything with the newest. */
import type { ResealPosition, SealedCount, Store } from '../store/store.ts';
import type { RecordChange } from './audit.ts';

export interface DataKeys {
  status(): Promise<DataKeyStatus>;
  /** Stores everything as it would be stored today; `onProgress` is called after each chunk of rows. */
  reseal(onProgress: (progress: ResealProgress) => void): Promise<ResealResult>;
}

export interface DataKeyStatus {
  /** The keys of this process, the one that seals first; `plain` where nothing is sealed. */
  readonly keys: readonly string[];
  /** By table and key. */
  readonly values: readonly SealedCount[];
}

export interface ResealProgress {
  readonly table: string;
  readonly seen: number;
  readonly changed: number;
}

export interface ResealResult {
  readonly seen: number;
  readonly changed: number;
  /** Keys that nothing is sealed with any more: they may be left out of the setting. */
  readonly unused: readonly string[];
  /** Keys that are still in use, because something is sealed with them or a node seals with them. */
  readonly inUse: readonly string[];
}

export function createDataKeys(deps: { readonly store: Store; readonly record: RecordChange }): DataKeys {
  const { store, record } = deps;
  const { dataKeys } = store;
  return {
    async status() {
      return { keys: dataKeys.own, values: summed(await dataKeys.count()) };
    },
    async reseal(onProgress) {
      let [seen, changed] = [0, 0];
      let position: ResealPosition | undefined;
      do {
        const done = await dataKeys.reseal(position);
        seen += done.seen;
        changed += done.changed;
        onProgress({ table: done.table, seen, changed });
        position = done.next;
      } while (position);
      if (changed > 0) await dataKeys.purge();
      const result = { seen, changed, ...(await retire()) };
      await record('data-key.reseal', dataKeys.own[0] ?? '', changed, result.unused);
      return result;
    },
  };

  /** Forgets the keys that are not needed any more. A node that seals with one may do so at any moment. */
  async function retire(): Promise<Pick<ResealResult, 'unused' | 'inUse'>> {
    const others = (await store.nodes.list()).flatMap(({ profile }) => profile.dataKeys?.[0] ?? []);
    const counted = (await dataKeys.count()).map(({ key }) => key);
    const needed = new Set([...counted, ...others, dataKeys.own[0]]);
    const known = await dataKeys.known();
    const unused = known.filter(id => !needed.has(id));
    for (const id of unused) await dataKeys.remove(id);
    return { unused, inUse: known.filter(id => needed.has(id)) };
  }
}

function summed(counts: readonly SealedCount[]): SealedCount[] {
  const sums = new Map<string, SealedCount>();
  for (const { table, key, values } of counts) {
    const name = `${table} ${key}`;
    sums.set(name, { table, key, values: values + (sums.get(name)?.values ?? 0) });
  }
  return [...sums.values()];
}
