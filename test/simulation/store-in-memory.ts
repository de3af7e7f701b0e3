/**
 * The store of all seeds of a thread, one after the other: the real engine on a database in memory. It can be opened again,
 * as a process does that starts: then everything is as the database has it, and nothing as the process before had it in
 * mind.
 */
import { type MsgKey, requestIdOf } from '../../src/domain/ids.ts';
import type { Clock } from '../../src/platform/clock.ts';
import type { Vault } from '../../src/platform/vault.ts';
import { Database, type Row } from '../../src/store/sqlite/database.ts';
import { sqliteStoreOn } from '../../src/store/sqlite/sqlite-store.ts';
import type { Statement } from '../../src/store/sqlite/statement.ts';
import type { Store } from '../../src/store/store.ts';
import type { UnreadableRow } from '../../src/store/unreadable.ts';

export class StoreInMemory {
  readonly #db = new KeptDatabase();

  open(options: {
    readonly clock: Clock;
    /** It is a database whose clock all nodes go by. */
    readonly hasTime: boolean;
    readonly vault: Vault | undefined;
    readonly onUnreadable: (row: UnreadableRow) => void;
  }): Store {
    const { clock, hasTime, vault, onUnreadable } = options;
    this.#db.forgetListeners();
    // Whatever is stored as it is, where it should be encrypted, cannot be read.
    if (vault) {
      vault.mode = 'strict';
      this.#db
        .prepare("INSERT OR IGNORE INTO data_key (id, first_used_at) VALUES ('gcm', 0), ('strict', 0)")
        .run();
    }
    const store = sqliteStoreOn(
      this.#db,
      () => clock.now(),
      () => clock.monotonic(),
      vault,
      onUnreadable,
    );
    const nodes = hasTime ? { ...store.nodes, time: async () => clock.now() } : store.nodes;
    return { ...store, nodes, close: async () => {} };
  }

  /** Records of an account that nobody has fetched or collected yet; no part of the port asks for it. */
  countUnfetched(account: string): number {
    const count = this.#db.prepare('SELECT count(*) AS records FROM report_queue WHERE account = ?');
    return Number((count.get(account) as Row).records);
  }

  takeSnapshot(): void {
    this.#db.takeSnapshot();
  }

  /** What a message sends can be read no more, until `mend`. */
  damage(msgKey: MsgKey): void {
    this.#db
      .prepare("UPDATE request SET flow = '!' || flow WHERE request_id = ? AND flow NOT LIKE '!%'")
      .run(requestIdOf(msgKey));
  }

  mend(): void {
    this.#db.prepare("UPDATE request SET flow = substr(flow, 2) WHERE flow LIKE '!%'").run();
  }

  /** As it was when the snapshot was taken. It is to be opened again. */
  restoreSnapshot(): void {
    this.#db.restoreSnapshot();
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
  #kept: { readonly keep: readonly Statement[]; readonly putBack: readonly Statement[] }[] | undefined;

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
    this.#runAll(this.#clearing);
  }

  takeSnapshot(): void {
    this.#runAll(this.#copies().flatMap(({ keep }) => keep));
  }

  restoreSnapshot(): void {
    this.#runAll(this.#copies().flatMap(({ putBack }) => putBack));
  }

  /** Made when the first world wants them. */
  #copies() {
    this.#kept ??= this.#tables().map(table => {
      this.prepare(`CREATE TEMP TABLE "kept ${table}" AS SELECT * FROM main."${table}" WHERE false`).run();
      const [live, kept] = [`main."${table}"`, `temp."kept ${table}"`];
      const moved = (from: string, to: string) =>
        [`DELETE FROM ${to}`, `INSERT INTO ${to} SELECT * FROM ${from}`].map(sql => this.prepare(sql));
      return { keep: moved(live, kept), putBack: moved(kept, live) };
    });
    return this.#kept;
  }

  #runAll(statements: readonly Statement[]): void {
    this.prepare('BEGIN').run();
    for (const statement of statements) statement.run();
    this.prepare('COMMIT').run();
  }

  #tables(): string[] {
    const rows = this.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as Row[];
    return rows.map(({ name }) => String(name));
  }
}
