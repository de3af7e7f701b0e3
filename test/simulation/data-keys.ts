/**
 * The data keys of a world, and how they are changed: the next key seals while the last one opens, then everything is re-encrypted
 * piece by piece, then the last key is gone. Nodes start again for it.
 */
import { createHash } from 'node:crypto';
import { createVault, type Vault } from '../../src/platform/vault.ts';
import type { ResealPosition } from '../../src/store/port/data-key-store.ts';
import type { Store } from '../../src/store/store.ts';

/** The same in all worlds: statements that name them are prepared once. */
const KEYS = ['first', 'second'].map(name => createHash('sha256').update(name).digest());

export class DataKeys {
  #current = 0;
  #hasLast = false;
  #position: ResealPosition | undefined;
  #isResealed = false;

  vault(): Vault {
    const order = [this.#current, 1 - this.#current].slice(0, this.#hasLast ? 2 : 1);
    return createVault({ keys: order.flatMap(index => KEYS[index] ?? []), isSealing: true });
  }

  /** What the next start does with the keys: the last one goes once nothing is sealed with it. */
  change(): void {
    if (!this.#hasLast) {
      this.#current = 1 - this.#current;
      this.#hasLast = true;
      this.#position = undefined;
    } else if (this.#isResealed) {
      this.#hasLast = false;
      this.#isResealed = false;
    }
  }

  /** Re-encrypts everything. True if something is left under the last key after all. */
  async reseal(store: Store): Promise<boolean> {
    if (!this.#hasLast || this.#isResealed) return false;
    do this.#position = (await store.dataKeys.reseal(this.#position)).next;
    while (this.#position);
    this.#isResealed = true;
    const last = store.dataKeys.own[1];
    return (await store.dataKeys.count()).some(({ key, values }) => key === last && values > 0);
  }
}
