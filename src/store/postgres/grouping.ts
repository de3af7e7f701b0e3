import { GroupCommit, type GroupCommitOptions } from '../group-commit.ts';
import type { Database } from './database.ts';

/** Rows of one batch. Beyond that a commit costs more and waits longer, and gains nothing. */
const MAX_BATCH = 1000;

/** The group commits of one store, so that it can wait for all of them when it closes. */
export class Grouping {
  readonly #db: Database;
  readonly #onCommit: (items: number) => void;
  readonly #groups: { idle(): Promise<void> }[] = [];

  constructor(db: Database, onCommit: (items: number) => void) {
    this.#db = db;
    this.#onCommit = onCommit;
  }

  group<Item, Result>(
    options: Pick<GroupCommitOptions<Item, Result>, 'commit'> &
      Partial<Pick<GroupCommitOptions<Item, Result>, 'sizeOf' | 'maxConcurrent'>>,
  ): GroupCommit<Item, Result> {
    const { commit, sizeOf = () => 1, maxConcurrent = 1 } = options;
    const group = new GroupCommit<Item, Result>({
      commit: items => this.#db.retrying(() => commit(items)),
      sizeOf,
      maxConcurrent,
      maxSize: MAX_BATCH,
      timeoutMs: this.#db.timeoutMs,
      clock: this.#db.clock,
      onCommit: this.#onCommit,
    });
    this.#groups.push(group);
    return group;
  }

  async idle(): Promise<void> {
    await Promise.all(this.#groups.map(group => group.idle()));
  }
}
