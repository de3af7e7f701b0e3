/**
 * Group commit: what queues while the last commit ran goes into the next one together. A lone caller waits for
 * nothing but its own commit.
 *
 * A batch is all or nothing. When one fails by a bug, it is halved until the bad item fails alone. A StoreFault says
 * nothing about the items, so all of them get it.
 *
 * Each item has a time limit, counted from the moment it was added. If it passes while the item waits, the item is taken
 * out: nothing has happened, for certain. If it passes while its commit runs, it may have happened.
 */
import type { Clock } from '../platform/clock.ts';
import { Expiry } from '../platform/expiry.ts';
import { StoreFault } from './store-fault.ts';

export interface GroupCommitOptions<Item, Result> {
  /** Commits all of them or none; the results are in the order of the items. */
  readonly commit: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** How many rows an item writes; batches are bounded by their sum. */
  readonly sizeOf: (item: Item) => number;
  readonly maxSize: number;
  /** Commits that may run at the same time; 1 keeps items in the order they came. */
  readonly maxConcurrent: number;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly onCommit: (items: number) => void;
}

interface Entry<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
  isRunning: boolean;
}

export class GroupCommit<Item, Result> {
  readonly #options: GroupCommitOptions<Item, Result>;
  #waiting: Entry<Item, Result>[] = [];
  /** Waiting or running. */
  readonly #unsettled: Expiry<Entry<Item, Result>>;
  readonly #running = new Set<Promise<void>>();
  #isScheduled = false;
  #onIdle: (() => void)[] = [];

  constructor(options: GroupCommitOptions<Item, Result>) {
    this.#options = options;
    this.#unsettled = new Expiry(options.clock, options.timeoutMs, expired => this.#giveUp(expired));
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const entry = { item, resolve, reject, isRunning: false };
      this.#waiting.push(entry);
      this.#unsettled.add(entry);
      this.#schedule();
    });
  }

  /** Resolves when nothing waits and nothing runs. */
  async idle(): Promise<void> {
    if (this.#waiting.length === 0 && this.#running.size === 0) return;
    await new Promise<void>(resolve => {
      this.#onIdle.push(resolve);
    });
  }

  /** Resolves when every commit that runs now has ended, including those whose callers have given up waiting. */
  async commitsEnded(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Calls made in the same turn of the event loop share a batch even when nothing runs. */
  #schedule(): void {
    if (this.#isScheduled || this.#running.size >= this.#options.maxConcurrent) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      while (this.#waiting.length > 0 && this.#running.size < this.#options.maxConcurrent) this.#run();
    });
  }

  #run(): void {
    const batch = this.#take();
    const running = this.#commit(batch).finally(() => {
      this.#running.delete(running);
      if (this.#waiting.length > 0) this.#schedule();
      else if (this.#running.size === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    });
    this.#running.add(running);
  }

  #take(): Entry<Item, Result>[] {
    const { sizeOf, maxSize } = this.#options;
    let size = 0;
    let count = 0;
    for (const { item } of this.#waiting) {
      size += sizeOf(item);
      if (count > 0 && size > maxSize) break;
      count++;
    }
    const batch = this.#waiting.splice(0, count);
    for (const entry of batch) entry.isRunning = true;
    return batch;
  }

  async #commit(batch: readonly Entry<Item, Result>[]): Promise<void> {
    let results: readonly Result[];
    try {
      results = await this.#options.commit(batch.map(({ item }) => item));
    } catch (error) {
      if (batch.length === 1 || error instanceof StoreFault) {
        this.#rejectAll(batch, error);
        return;
      }
      const middle = Math.ceil(batch.length / 2);
      await this.#commit(batch.slice(0, middle));
      await this.#commit(batch.slice(middle));
      return;
    }
    // From here on it is committed: whatever is wrong now, it must not be tried again.
    if (results.length === batch.length) {
      for (const [index, entry] of batch.entries()) {
        if (this.#unsettled.remove(entry)) entry.resolve(results[index] as Result);
      }
    } else {
      const reason = `a commit of ${batch.length} items gave ${results.length} results`;
      this.#rejectAll(batch, new StoreFault('mayHaveHappened', reason));
    }
    this.#options.onCommit(batch.length);
  }

  #rejectAll(batch: readonly Entry<Item, Result>[], error: unknown): void {
    for (const entry of batch) if (this.#unsettled.remove(entry)) entry.reject(error);
  }

  #giveUp(expired: readonly Entry<Item, Result>[]): void {
    const isExpired = new Set(expired);
    this.#waiting = this.#waiting.filter(entry => !isExpired.has(entry));
    for (const { isRunning, reject } of expired) {
      reject(
        isRunning
          ? new StoreFault('mayHaveHappened', 'its commit was not answered in time')
          : new StoreFault('didNotHappen', 'its turn did not come in time'),
      );
    }
    if (this.#waiting.length === 0 && this.#running.size === 0) {
      for (const resolve of this.#onIdle.splice(0)) resolve();
    }
  }
}
