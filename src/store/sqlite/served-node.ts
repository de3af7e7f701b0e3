/** What the node of a server tells those that work beside it on the same file, such as the command line. */
import type { LiveNode } from '../port/node-store.ts';
import type { Database, Row } from './database.ts';

const NAME = 'node';

export class ServedNode {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** In a transaction of the caller. */
  tell(node: LiveNode): void {
    this.#db
      .prepare('INSERT OR REPLACE INTO remembered (name, value) VALUES (?, ?)')
      .run(NAME, JSON.stringify(node));
  }

  /** What a server told that was killed. */
  forget(): Promise<unknown> {
    return this.#db.write(() => this.#db.prepare('DELETE FROM remembered WHERE name = ?').run(NAME));
  }

  read(): LiveNode[] {
    const row = this.#db.prepare('SELECT value FROM remembered WHERE name = ?').get(NAME) as Row | undefined;
    if (row === undefined) return [];
    const { node, profile, drainingSince } = JSON.parse(String(row.value)) as LiveNode;
    return [{ node, profile, drainingSince }];
  }
}
