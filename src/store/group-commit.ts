/**
 * Group commit: what queues while the last commit ran goes into the next one together. A lone caller waits for
 * nothing but its own commit.
 *
 * A batch is all or nothing. When one fails, its items are committed one by one, so that a bad item fails alone;
 * unless the failure says nothing about the items, as when the database is away.
 */
export interface GroupCommitOptions<Item, Result> {
  /** Commits all of them or none; the results are in the order of the items. */
  readonly commit: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Rows an item stands for; batches are bounded by their sum. */
  readonly sizeOf: (item: Item) => number;
  readonly maxSize: number;
  /** Commits that may run at the same time; 1 keeps items in the order they came. */
  readonly maxConcurrent: number;
  /** Whether a failed batch may succeed in parts. */
  readonly isWorthSplitting: (error: unknown) => boolean;
  readonly onCommit: (items: number) => void;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

export class GroupCommit<Item, Result> {
  readonly #options: GroupCommitOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #running = 0;
  #isScheduled = false;
  #onIdle: (() => void)[] = [];

  constructor(options: GroupCommitOptions<Item, Result>) {
    this.#options = options;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#schedule();
    });
  }

  /** Resolves when nothing waits and nothing runs. */
  async idle(): Promise<void> {
    if (this.#waiting.length === 0 && this.#running === 0) return;
    await new Promise<void>(resolve => {
      this.#onIdle.push(resolve);
    });
  }

  /** Calls made in the same turn of the event loop share a batch even when nothing runs. */
  #schedule(): void {
    if (this.#isScheduled || this.#running >= this.#options.maxConcurrent) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      while (this.#waiting.length > 0 && this.#running < this.#options.maxConcurrent) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running++;
    await this.#commit(this.#take());
    this.#running--;
    if (this.#waiting.length > 0) this.#schedule();
    else if (this.#running === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  #take(): Waiting<Item, Result>[] {
    const { sizeOf, maxSize } = this.#options;
    let size = 0;
    let count = 0;
    for (const { item } of this.#waiting) {
      size += sizeOf(item);
      if (count > 0 && size > maxSize) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  async #commit(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const { commit, onCommit, isWorthSplitting } = this.#options;
    try {
      const results = await commit(batch.map(({ item }) => item));
      if (results.length !== batch.length) throw new Error('a commit must give one result for each item');
      onCommit(batch.length);
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (batch.length > 1 && isWorthSplitting(error)) {
        for (const alone of batch) await this.#commit([alone]);
      } else {
        for (const { reject } of batch) reject(error);
      }
    }
  }
}
