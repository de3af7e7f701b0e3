/**
 * Work of callers that is long and is done in pieces, such as a file of a whole history. One piece is done at a time, callers take
 * turns, and after each piece there is a rest as long as it took. So however many there are, everybody else waits for one.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type BeginWork, FairQueue } from './fair-queue.ts';
import { nextTurn } from './next-turn.ts';

/** In real time, because it is about real work. */
const restAsLong: BeginWork = () => {
  const began = performance.now();
  return () => delay(performance.now() - began, undefined, { ref: false });
};

/**
 * Instead, for pieces that must be done anyway, large or small: everybody else has a turn of the event loop as soon as so much was
 * done in this one.
 */
export class TurnShare {
  readonly #most: number;
  #done = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** How much a piece was, in the units of `most`. */
  count(amount: number): void {
    this.#done += amount;
  }

  readonly rest: BeginWork = () => async () => {
    if (this.#done < this.#most) return;
    this.#done = 0;
    await nextTurn();
  };
}

export class Pieces {
  readonly #queue: FairQueue;

  constructor(rest: BeginWork = restAsLong) {
    this.#queue = new FairQueue({ atOnce: 1, waiting: Number.POSITIVE_INFINITY, rest });
  }

  /** Does one piece of a caller's work. It should take a few milliseconds. */
  async do<Result>(caller: string, piece: () => Promise<Result>): Promise<Result> {
    const done = await this.#queue.run({
      key: caller,
      isUrgent: false,
      isWanted: () => true,
      work: async () => ({ result: await piece() }),
    });
    if (!done) throw new Error('there is a place for every piece');
    return done.result;
  }

  /** What `work` yields; each is a piece. */
  async *each<Item>(caller: string, work: AsyncIterable<Item>): AsyncGenerator<Item> {
    const items = work[Symbol.asyncIterator]();
    try {
      for (;;) {
        const item = await this.do(caller, () => items.next());
        if (item.done) return;
        yield item.value;
      }
    } finally {
      await items.return?.();
    }
  }
}
