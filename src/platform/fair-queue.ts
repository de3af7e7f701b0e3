/**
 * A queue for work that is expensive to whoever does it and cheap to ask for, such as hashing passwords: few at once,
 * few waiting, and in turns by key. Who asks often waits behind himself; when the queue is full, the longest line
 * loses its last. Urgent work goes first, has places of its own, and does not wait while the queue rests.
 */
export interface QueuedWork<Result> {
  /** Who asks, for instance an address. */
  readonly key: string;
  readonly isUrgent: boolean;
  work(): Promise<Result>;
  /** Asked before the work starts: false when nobody waits for the result any more. */
  isWanted(): boolean;
}

interface Waiting {
  isWanted(): boolean;
  start(): void;
  refuse(): void;
}

/** Called when work begins; what it returns is called at its end, and resolves when there has been enough rest. */
export type BeginWork = () => () => Promise<void>;

export interface QueueRules {
  readonly atOnce: number;
  /** So many of urgent work, and so many of other. */
  readonly waiting: number;
  /** After work that is not urgent. */
  readonly rest?: BeginWork;
}

const NO_REST: BeginWork = () => async () => {};

export class FairQueue {
  readonly #atOnce: number;
  readonly #beginWork: BeginWork;
  readonly #urgent: Lines;
  readonly #others: Lines;
  #running = 0;
  #resting = 0;

  constructor({ atOnce, waiting, rest = NO_REST }: QueueRules) {
    this.#atOnce = atOnce;
    this.#beginWork = rest;
    this.#urgent = new Lines(waiting);
    this.#others = new Lines(waiting);
  }

  /** The result, or undefined if the work was not done: there was no place, or nobody wants it any more. */
  run<Result>({ key, isUrgent, work, isWanted }: QueuedWork<Result>): Promise<Result | undefined> {
    return new Promise((resolve, reject) => {
      const start = () => {
        this.#running++;
        const rest = isUrgent ? undefined : this.#beginWork();
        work()
          .then(resolve, reject)
          .finally(() => {
            this.#running--;
            if (rest) void this.#restFor(rest);
            this.#startNext();
          });
      };
      if (!isWanted()) resolve(undefined);
      else if (this.#hasPlace(isUrgent)) start();
      else
        (isUrgent ? this.#urgent : this.#others).add(key, {
          isWanted,
          start,
          refuse: () => resolve(undefined),
        });
    });
  }

  #hasPlace(isUrgent: boolean): boolean {
    return this.#running + (isUrgent ? 0 : this.#resting) < this.#atOnce;
  }

  async #restFor(rest: () => Promise<void>): Promise<void> {
    this.#resting++;
    await rest();
    this.#resting--;
    this.#startNext();
  }

  #startNext(): void {
    while (this.#hasPlace(true)) {
      const next = this.#urgent.take() ?? (this.#hasPlace(false) ? this.#others.take() : undefined);
      if (!next) return;
      if (next.isWanted()) next.start();
      else next.refuse();
    }
  }
}

/** A line for each key; the lines take turns. */
class Lines {
  readonly #most: number;
  readonly #byKey = new Map<string, Waiting[]>();
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(key: string, waiting: Waiting): void {
    if (this.#size >= this.#most) this.#dropUnwanted();
    if (this.#size >= this.#most && !this.#shortenLongest(this.#byKey.get(key)?.length ?? 0)) {
      waiting.refuse();
      return;
    }
    const line = this.#byKey.get(key);
    if (line) line.push(waiting);
    else this.#byKey.set(key, [waiting]);
    this.#size++;
  }

  take(): Waiting | undefined {
    for (const [key, line] of this.#byKey) {
      this.#byKey.delete(key);
      const first = line.shift();
      if (line.length > 0) this.#byKey.set(key, line);
      this.#size--;
      return first;
    }
    return undefined;
  }

  #dropUnwanted(): void {
    for (const [key, line] of this.#byKey) {
      const wanted = line.filter(waiting => waiting.isWanted());
      for (const waiting of line) if (!wanted.includes(waiting)) waiting.refuse();
      this.#size -= line.length - wanted.length;
      if (wanted.length > 0) this.#byKey.set(key, wanted);
      else this.#byKey.delete(key);
    }
  }

  /** Makes a place for a line of this length, at the cost of one that stays at least as long. */
  #shortenLongest(length: number): boolean {
    const lines = [...this.#byKey.values()];
    const longest = lines.reduce<Waiting[]>((long, line) => (line.length > long.length ? line : long), []);
    if (longest.length <= length + 1) return false;
    longest.pop()?.refuse();
    this.#size--;
    return true;
  }
}
