/**
 * Who may begin in this turn. What begins in one turn of the event loop is done before anybody else is heard, so whoever asks
 * often would hold up whoever asks seldom. Each asker begins one thing a turn at once, and some more begin together; the
 * rest waits in a line for each asker, and the lines take turns.
 */
import type { Clock } from './clock.ts';

export interface TurnRules {
  /** Calls back when the next turn begins. */
  readonly onNextTurn: (begin: () => void) => void;
  /** Begun in one turn while somebody asks alone, besides his first: larger batches are cheaper. */
  readonly mostAlone: number;
}

/**
 * Begun in one turn while several ask, besides the first of each: so many at least, and one more for each two milliseconds
 * that the last turn took. Where a turn is long because it waits for the disk, a few more make it hardly longer.
 */
const LEAST = 8;
const MOST = 16;
const MS_FOR_ONE = 2;
/** For so long an asker counts after it asked. */
const ASKER_MS = 1000;
/** Askers that are told apart; of more, those that are longest silent are forgotten. */
const MOST_ASKERS = 10_000;

interface Asker {
  askedAt: number;
  /** The turn in which it began something last. */
  turn: number;
  readonly line: (() => void)[];
}

export class FairTurns {
  readonly #clock: Clock;
  readonly #rules: TurnRules;
  /** In the order in which they asked last. */
  readonly #askers = new Map<string, Asker>();
  /** Those with a line, in the order of their turns. */
  readonly #waiting = new Set<Asker>();
  #turn = 0;
  #turnBeganAt = 0;
  #isTurnOpen = false;
  #most = LEAST;
  #begun = 0;

  constructor(clock: Clock, rules: TurnRules) {
    this.#clock = clock;
    this.#rules = rules;
  }

  /** Calls `begin`, now or in a later turn. */
  enter(key: string, begin: () => void): void {
    const asker = this.#askerOf(key);
    this.#openTurn();
    const isFirst = asker.turn !== this.#turn;
    const most = this.#askers.size === 1 ? this.#rules.mostAlone : this.#most;
    if (asker.line.length === 0 && (isFirst || this.#begun < most)) {
      if (!isFirst) this.#begun++;
      asker.turn = this.#turn;
      begin();
      return;
    }
    asker.line.push(begin);
    this.#waiting.add(asker);
  }

  #askerOf(key: string): Asker {
    const now = this.#clock.monotonic();
    const known = this.#askers.get(key);
    const asker = known ?? { askedAt: now, turn: -1, line: [] };
    asker.askedAt = now;
    if (known) this.#askers.delete(key);
    this.#askers.set(key, asker);
    for (const [other, { askedAt }] of this.#askers) {
      if (now - askedAt < ASKER_MS && this.#askers.size <= MOST_ASKERS) break;
      this.#askers.delete(other);
    }
    return asker;
  }

  /** Turns are counted while somebody asks or waits. */
  #openTurn(): void {
    if (this.#isTurnOpen) return;
    this.#isTurnOpen = true;
    this.#turnBeganAt = this.#clock.monotonic();
    this.#rules.onNextTurn(() => {
      this.#isTurnOpen = false;
      const turnMs = this.#clock.monotonic() - this.#turnBeganAt;
      this.#most = Math.min(MOST, Math.max(LEAST, Math.ceil(turnMs / MS_FOR_ONE)));
      this.#turn++;
      this.#begun = 0;
      this.#serveLines();
    });
  }

  #serveLines(): void {
    if (this.#waiting.size === 0) return;
    this.#openTurn();
    const most = this.#askers.size <= 1 ? this.#rules.mostAlone : this.#most;
    for (const asker of this.#waiting) {
      if (this.#begun >= most) return;
      this.#begun++;
      this.#waiting.delete(asker);
      const begin = asker.line.shift();
      // At the end of the set, and so of this loop.
      if (asker.line.length > 0) this.#waiting.add(asker);
      begin?.();
    }
  }
}
