/**
 * A store for one seed: the real engine on a database in memory. It can be opened again, as a process does that starts: then
 * everything is as the database has it, and nothing as the process before had it in mind.
 */
import type { Clock } from '../../src/platform/clock.ts';
import { Database } from '../../src/store/sqlite/database.ts';
import { sqliteStoreOn } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';

export class StoreInMemory {
  readonly #db = new Database(':memory:', () => {});

  open(clock: Clock): Store {
    const store = sqliteStoreOn(
      this.#db,
      () => clock.now(),
      () => clock.monotonic(),
    );
    return { ...store, close: async () => {} };
  }

  close(): void {
    this.#db.close();
  }
}
