/** What an operator sees and does of data keys: how much is encrypted with which, and encrypting everything with the newest. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../platform/clock.ts';
import { PLAIN, type SealingMode } from '../platform/vault.ts';
import type { NodeProfile, ResealPosition, SealedCount, Store } from '../store/store.ts';
import type { RecordChange } from './audit.ts';

export interface DataKeys {
  status(): Promise<DataKeyStatus>;
  /**
   * Stores everything as it would be stored today, and then has the store refuse everything else, if it can. `onProgress` is
   * called after each chunk of rows.
   */
  reseal(onProgress: (progress: ResealProgress) => void): Promise<ResealResult>;
  /** Has the store read values again that are not encrypted. False if it did. */
  relax(): Promise<boolean>;
}

export interface DataKeyStatus {
  /** The keys of this process, the one that encrypts first; `plain` where nothing is encrypted. */
  readonly keys: readonly string[];
  readonly mode: SealingMode;
  /** By table, key and form. */
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
  /** Keys that nothing is encrypted with any more: they may be left out of the setting. */
  readonly unused: readonly string[];
  /** Keys that are still in use, because something is encrypted with them or a node encrypts with them. */
  readonly inUse: readonly string[];
  /** Whether the store refuses from now on what is not encrypted, or was by version 0.2. */
  readonly isStrict: boolean;
}

/** A sentence for the operator. */
export class DataKeyProblem extends Error {
  override name = 'DataKeyProblem';
  /** Expected: shown without a stack. */
  readonly code = 'DATA_KEY';
}

const IF_GONE = ', or "bongsu node forget" one that is gone for good (docs/data-key.md)';
/** Nodes ask the store with each heartbeat. */
const LEARNING = { looks: 60, pauseMs: 500 };

export function createDataKeys(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly record: RecordChange;
}): DataKeys {
  const { store, clock, record } = deps;
  const { dataKeys } = store;
  const isEncrypting = dataKeys.own[0] !== PLAIN;

  return {
    async status() {
      return { keys: dataKeys.own, mode: dataKeys.mode, values: summed(await dataKeys.count()) };
    },
    async reseal(onProgress) {
      if (isEncrypting) await leaveEarlierForm();
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
      const result = { seen, changed, ...(await conclude()) };
      await record('data-key.reseal', dataKeys.own[0] ?? '', changed, result.unused);
      return result;
    },
    async relax() {
      if (dataKeys.mode !== 'strict') return false;
      await dataKeys.setMode('gcm', clock.now());
      await record('data-key.relax', dataKeys.own[0] ?? '');
      return true;
    },
  };

  /** From now on new values have the form of this version, on every node. */
  async function leaveEarlierForm(): Promise<void> {
    let unaware: readonly string[] = [];
    for (let look = 0; look < LEARNING.looks; look++) {
      const earlier = await nodesWith(({ sealing }) => sealing === undefined);
      if (earlier.length > 0) {
        throw new DataKeyProblem(
          `${earlier.join(', ')} could not read what this version encrypts: upgrade every node first${IF_GONE}`,
        );
      }
      if (dataKeys.mode === 'ctr') await dataKeys.setMode('gcm', clock.now());
      unaware = await nodesWith(({ sealing }) => sealing === 'ctr');
      if (unaware.length === 0) return;
      await sleep(LEARNING.pauseMs);
    }
    throw new DataKeyProblem(
      `${unaware.join(', ')} has not switched to the new form of encryption: run the command again when that node works${IF_GONE}`,
    );
  }

  /** Also of those that died: one that was only frozen goes on where it was. */
  async function nodesWith(is: (profile: NodeProfile) => boolean): Promise<string[]> {
    return (await store.nodes.known()).filter(({ profile }) => is(profile)).map(({ node }) => node);
  }

  /**
   * Forgets the keys that are not needed any more, and makes the store strict. A node that has a key in the first place may
   * encrypt with it at any moment.
   */
  async function conclude(): Promise<Pick<ResealResult, 'unused' | 'inUse' | 'isStrict'>> {
    const nodes = await store.nodes.known();
    const counts = await dataKeys.count();
    const others = nodes.flatMap(({ profile }) => profile.dataKeys?.[0] ?? PLAIN);
    const needed = new Set([...counts.map(({ key }) => key), ...others, dataKeys.own[0]]);
    const known = await dataKeys.known();
    const unused = known.filter(id => !needed.has(id));
    for (const id of unused) await dataKeys.remove(id);
    const inUse = known.filter(id => needed.has(id));
    const isStrict =
      isEncrypting &&
      !others.includes(PLAIN) &&
      counts.every(({ form }) => form === 'gcm' || form === 'hash');
    if (isStrict) await dataKeys.setMode('strict', clock.now());
    // Then version 0.2 can read everything again.
    else if (inUse.length === 0) await dataKeys.setMode('ctr', clock.now());
    return { unused, inUse, isStrict };
  }
}

function summed(counts: readonly SealedCount[]): SealedCount[] {
  const sums = new Map<string, SealedCount>();
  for (const count of counts) {
    const name = `${count.table} ${count.key} ${count.form}`;
    sums.set(name, { ...count, values: count.values + (sums.get(name)?.values ?? 0) });
  }
  return [...sums.values()];
}
