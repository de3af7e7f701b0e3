/**
 * The store of all seeds of a thread, one after the other: the real engine on a database in memory. It can be opened again,
 * as a process does that starts: then everything is as the database has it, and nothing as the process before had it in
 * mind.
 */
import type { Clock } from '../../src/platform/clock.ts';
import { Database, type Row } from '../../src/store/sqlite/database.ts';
import { sqliteStoreOn } from '../../src/store/sqlite/sqlite-store.ts';
import type { Statement } from '../../src/store/sqlite/statement.ts';
import type { Store } from '../../src/store/store.ts';

export class StoreInMemory {
  readonly #db = new KeptDatabase();

  open(clock: Clock): Store {
    this.#db.forgetListeners();
    const store = sqliteStoreOn(
      this.#db,
      () => clock.now(),
      () => clock.monotonic(),
    );
    return { ...store, close: async () => {} };
  }

  /** Records of an account that nobody has fetched or collected yet; no part of the port asks for it. */
  countUnfetched(account: string): number {
    const count = this.#db.prepare('SELECT count(*) AS records FROM report_queue WHERE account = ?');
    return Number((count.get(account) as Row).records);
  }

  /** As it was at first, for the next seed. */
  clear(): void {
    this.#db.clear();
  }

  close(): void {
    this.#db.close();
  }
}

/** The schema and the statements are made once: making them costs as much as a tenth of a seed. */
class KeptDatabase extends Database {
  readonly #statements = new Map<string, Statement>();
  readonly #clearing: readonly Statement[];
  #onRollback: (() => void)[] = [];

  constructor() {
    super(':memory:', () => {});
    super.onRollback(() => {
      for (const forget of this.#onRollback) forget();
    });
    this.#clearing = this.#tables().flatMap(table => {
      // Migrations write some rows, too.
      this.prepare(`CREATE TEMP TABLE "first ${table}" AS SELECT * FROM main."${table}"`).run();
      return [
        this.prepare(`DELETE FROM main."${table}"`),
        this.prepare(`INSERT INTO main."${table}" SELECT * FROM temp."first ${table}"`),
      ];
    });
  }

  override prepare(sql: string): Statement {
    const statement = this.#statements.get(sql) ?? super.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  override onRollback(listener: () => void): void {
    this.#onRollback.push(listener);
  }

  /** What the process before had in mind is gone with it. */
  forgetListeners(): void {
    this.#onRollback = [];
  }

  clear(): void {
    this.prepare('BEGIN').run();
    for (const statement of this.#clearing) statement.run();
    this.prepare('COMMIT').run();
  }

  #tables(): string[] {
    const rows = this.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as Row[];
    return rows.map(({ name }) => String(name));
  }
}
