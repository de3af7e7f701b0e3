/**
 * Writes that wait for a transaction.
 *
 * A large transaction is cheap by the row, and everybody waits for it: a send that arrives meanwhile, too. So it is large where
 * nobody waits, or so many that they are better off with it; and short where a few wait, whose sends come first. Sends that
 * have not even reached this thread count: another thread says that it has some (`isAskedFor`), and a transaction under way
 * ends after the task at hand.
 */

/** Rows of a transaction besides the sends. Measured: fewer cost more commits than they save waiting. */
const LEAST_ROWS = 50;
const MOST_ROWS = 400;
/** Sends that are worth a short transaction. */
const FEW = 8;
/**
 * Sends of a transaction while nothing else waits: the thread that answers them works on these while the next are written. With all
 * of them in one, each of the two threads waits for the other. Where more waits, this thread has no time to lose with commits.
 */
const MOST_SENDS = 24;

export interface WriteTask {
  readonly run: () => unknown;
  /** Whether it goes before all others: a send. */
  readonly isFirst: boolean;
  /** About as many as it writes. */
  readonly rows: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** Gives one task after the other, until there is no more to do for now. */
export type NextTask = () => WriteTask | undefined;

export class WriteQueue {
  readonly #isAskedFor: () => boolean;
  readonly #mostSends: number;
  #first: WriteTask[] = [];
  #others: WriteTask[] = [];
  #wasForSends = false;

  /** Without `isAskedFor` there is no other thread. */
  constructor(isAskedFor?: () => boolean) {
    this.#isAskedFor = isAskedFor ?? (() => false);
    this.#mostSends = isAskedFor ? MOST_SENDS : Number.POSITIVE_INFINITY;
  }

  add(task: WriteTask): void {
    (task.isFirst ? this.#first : this.#others).push(task);
  }

  get isEmpty(): boolean {
    return this.#first.length + this.#others.length === 0;
  }

  /** The tasks of a transaction that begins now. */
  transaction(): NextTask {
    const waiting = this.#first.length;
    let sends = this.#others.length > 0 ? waiting : Math.min(waiting, this.#mostSends);
    // The others do not wait for ever: after a transaction without them comes one with some.
    const isForSends = sends > 0 && sends <= FEW && !this.#wasForSends;
    this.#wasForSends = isForSends;
    let rows = 0;
    return () => {
      if (sends > 0) {
        sends--;
        return this.#first.shift();
      }
      const next = isForSends ? undefined : this.#others[0];
      if (!next || (rows > 0 && rows + next.rows > MOST_ROWS)) return undefined;
      if (rows >= LEAST_ROWS && this.#isAskedFor()) return undefined;
      rows += next.rows;
      return this.#others.shift();
    };
  }

  /** All that waits. */
  takeAll(): WriteTask[] {
    const tasks = [...this.#first, ...this.#others];
    this.#first = [];
    this.#others = [];
    return tasks;
  }
}

export function nextOf(tasks: readonly WriteTask[]): NextTask {
  const left = tasks.values();
  return () => left.next().value;
}
