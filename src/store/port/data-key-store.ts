/** The part of the store port that knows with which data keys its values are sealed; see platform/vault.ts. */

export interface DataKeyStore {
  /** The names of the keys that this process has, the one that seals first; `plain` where it seals nothing. */
  readonly own: readonly string[];
  /** The ids of the keys that stored values may be sealed with. */
  known(): Promise<string[]>;
  /** To be on disk before the first value is sealed with the key. */
  add(id: string, now: number): Promise<void>;
}
