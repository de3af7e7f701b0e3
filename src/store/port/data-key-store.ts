/** The part of the store port that knows how its values are encrypted, and with which data keys; see platform/vault.ts. */

import type { Form, SealingMode } from '../../platform/vault.ts';

/** How many values of a table are stored under a key and in a form; the key is `plain` for those that are stored as they are. */
export interface SealedCount {
  readonly table: string;
  readonly key: string;
  readonly form: Form;
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
  /** The names of the keys that this process has, the one that encrypts first; `plain` where it encrypts nothing. */
  readonly own: readonly string[];
  /** How this process encrypts and what it reads: what the store said when it was last asked. */
  readonly mode: SealingMode;
  /** Asks the store. */
  refresh(): Promise<void>;
  setMode(mode: SealingMode, now: number): Promise<void>;
  /** The ids of the keys that stored values may be encrypted with. */
  known(): Promise<string[]>;
  /** To be on disk before the first value is encrypted with the key. */
  add(id: string, now: number): Promise<void>;
  /** No value is encrypted with it any more. */
  remove(id: string): Promise<void>;
  /** Reads everything. */
  count(): Promise<SealedCount[]>;
  /** Stores a bounded number of rows as they would be stored today. What others change in the meantime stays theirs. */
  reseal(position?: ResealPosition): Promise<Resealed>;
  /** Makes sure that files hold nothing of what was changed or deleted, as far as the engine can. */
  purge(): Promise<void>;
}
