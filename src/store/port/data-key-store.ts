/** The part of the store port that knows with which data keys its values are sealed; see platform/vault.ts. */

/** How many values of a table are stored under a key; `plain` for those that are stored as they are. */
export interface SealedCount {
  readonly table: string;
  readonly key: string;
  readonly values: number;
}

/** How far a walk over all values has come. */
export interface ResealPosition {
  readonly table: string;
  readonly after: readonly (string | number)[] | undefined;
}

export interface Resealed {
  readonly table: string;
  /** Rows that were looked at, and those that were changed. */
  readonly seen: number;
  readonly changed: number;
  /** Where to continue; undefined at the end. */
  readonly next: ResealPosition | undefined;
}

export interface DataKeyStore {
  /** The names of the keys that this process has, the one that seals first; `plain` where it seals nothing. */
  readonly own: readonly string[];
  /** The ids of the keys that stored values may be sealed with. */
  known(): Promise<string[]>;
  /** To be on disk before the first value is sealed with the key. */
  add(id: string, now: number): Promise<void>;
  /** No value is sealed with it any more. */
  remove(id: string): Promise<void>;
  /** Reads everything. */
  count(): Promise<SealedCount[]>;
  /** Stores a bounded number of rows as they would be stored today. What others change in the meantime stays theirs. */
  reseal(position?: ResealPosition): Promise<Resealed>;
  /** Makes sure that files hold nothing of what was changed or deleted, as far as the engine can. */
  purge(): Promise<void>;
}
