/**
 * Looks for the first rows of a queue, and how often they are made.
 *
 * PostgreSQL keeps what was deleted or changed for as long as any transaction may read it, such as a backup of an hour. A look for
 * the first rows that are left then reads the index entries of all that were taken out since: 0.7 s behind 300,000 on a busy machine.
 *
 * So when looks from the beginning take long, they get rests, and those in between begin where a row may be: behind what was taken
 * before. A row that comes to lie before that (it was given back, or committed late) is found by the next look from the beginning.
 */
import type { Clock } from '../../platform/clock.ts';
import type { Values } from '../tables/tables.ts';
import type { Patience, Rows, Session } from './database.ts';

/** Our choice: a look that is no burden is made each time. */
const SHORT_MS = 100;
/** A server that is busy for a moment makes some looks long. */
const LONG_IN_A_ROW = 5;
/** Our choice: a twentieth of the time goes to long looks. */
const REST_FACTOR = 20;
/** Of a look that reads all that is kept. */
export const LONG_PATIENCE = { withinMs: 60_000 };
/** Rows are committed within this of their time; one that comes later is found from the beginning. */
export const LATE_COMMIT_MS = 10_000;

type Monotonic = Pick<Clock, 'monotonic'>;

/** When a look from the beginning is made. */
export class LongLook {
  readonly #clock: Monotonic;
  #longOnes = 0;
  #restUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Monotonic) {
    this.#clock = clock;
  }

  get isLong(): boolean {
    return this.#longOnes >= LONG_IN_A_ROW;
  }

  get isDue(): boolean {
    return !this.isLong || this.#clock.monotonic() >= this.#restUntil;
  }

  async make<Result>(look: () => Promise<Result>): Promise<Result> {
    const startedAt = this.#clock.monotonic();
    try {
      return await look();
    } finally {
      const endedAt = this.#clock.monotonic();
      const tookMs = endedAt - startedAt;
      this.#longOnes = tookMs < SHORT_MS ? 0 : this.#longOnes + 1;
      this.#restUntil = endedAt + REST_FACTOR * tookMs;
    }
  }
}

/** A queue, and where looks at it begin between those from the beginning. */
abstract class LookedAt {
  readonly #look: LongLook;
  protected from = 0;

  constructor(clock: Monotonic) {
    this.#look = new LongLook(clock);
  }

  /** Calls `look` with where there may be rows, and with the time for one that reads all that is kept. */
  make<Result>(look: (from: number, patience: Patience | undefined) => Promise<Result>): Promise<Result> {
    const patience = this.#look.isLong ? LONG_PATIENCE : undefined;
    return this.#look.isDue ? this.#look.make(() => look(0, patience)) : look(this.from, patience);
  }

  /** Asks with `:from`. */
  ask(session: Session, text: string, values: Values): Promise<Rows> {
    return this.make((from, patience) => {
      const order = { ...values, from };
      return patience
        ? session.transaction(tx => tx.query(text, order), patience)
        : session.query(text, order);
    });
  }
}

/** In the order of numbers that rows get as they are written, a little before they are committed. */
export class NumberedQueue extends LookedAt {
  readonly #clock: Monotonic;
  /** What was reached when `from` was set; nothing before it is committed any more when `from` is set again. */
  #next = 0;
  #setAgainAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Monotonic) {
    super(clock);
    this.#clock = clock;
  }

  /** Everything up to this was taken out. */
  reached(number: number): void {
    const now = this.#clock.monotonic();
    if (now < this.#setAgainAt) return;
    this.from = this.#next;
    this.#next = Math.max(this.#next, number);
    this.#setAgainAt = now + LATE_COMMIT_MS;
  }
}

/** In the order of times at which rows are due. */
export class DatedQueue extends LookedAt {
  /** A look took these, of up to `most`, the oldest first. */
  took(dates: readonly number[], most: number, now: number): void {
    this.from = dates.length < most ? now - LATE_COMMIT_MS : Math.max(...dates);
  }

  /** A look found these, the oldest first, and left them there. */
  found([oldest]: readonly number[], now: number): void {
    this.from = oldest ?? now - LATE_COMMIT_MS;
  }

  /** A row came back at its old time. */
  returned(at: number): void {
    this.from = Math.min(this.from, at);
  }
}

/** What is remembered of each of many. */
export function ofEach<Key, Value>(make: () => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return key => {
    const value = known.get(key) ?? make();
    known.set(key, value);
    return value;
  };
}

/** The last answer to what is asked of a whole queue, while it takes long to ask again. */
export class LongAnswer<Answer> {
  readonly #look: LongLook;
  #answer: Answer | undefined;

  constructor(clock: Monotonic) {
    this.#look = new LongLook(clock);
  }

  async get(ask: () => Promise<Answer>): Promise<Answer> {
    if (this.#answer === undefined || this.#look.isDue) this.#answer = await this.#look.make(ask);
    return this.#answer;
  }
}
