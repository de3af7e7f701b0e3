/**
 * Who may begin in this turn. What begins in one turn of the event loop is done before anybody else is heard, so whoever asks
 * often would hold up whoever asks seldom. Each asker begins one thing a turn at once, and some more begin together; the
 * rest waits in a line for each asker, and the lines take turns.
 */
import type { Clock } from './clock.ts';

/** Who else asks: nobody, only such as want more under way than they may have, or also somebody who asks seldom. */
export type Company = 'none' | 'busy' | 'quiet';

export interface TurnRules {
  /** Calls back when the next turn begins. */
  readonly onNextTurn: (begin: () => void) => void;
  /** Begun in one turn while somebody asks alone, besides his first: larger batches are cheaper. */
  readonly mostAlone: number;
  /** What an asker may have begun and not ended, where somebody else does the work: he must not fill that one's turns. */
  readonly mostUnderWay?: (company: Company, askers: number) => number;
  /**
   * Places for what has begun and not ended, of all askers and however long it takes. An asker may have as many as are left free:
   * the first half of them, the next half of the rest. So it takes several askers to fill them: eight for 128 places.
   */
  readonly mostInAll?: number;
}

/**
 * Begun in one turn while several ask, besides the first of each: so many at least, and one more for each two milliseconds
 * that the last turn took. Where a turn is long because it waits for the disk, a few more make it hardly longer.
 */
const LEAST = 8;
const MOST = 16;
const MS_FOR_ONE = 2;
/** For so long an asker counts after it asked, or began what it had asked for. */
const ASKER_MS = 1000;
/** For so long an asker counts as busy after it wanted more under way than it may have. */
const BUSY_MS = 100;
/** Of more askers somebody is quiet, without a look at each. */
const FEW_ASKERS = 16;
/** Askers that are told apart; of more, those that are longest silent are forgotten. */
const MOST_ASKERS = 10_000;
/** What takes longer waits for its client, not for us, and counts no more. */
const LONGEST_COUNTED_MS = 200;

/** In one turn so many at most go another way, instead of beginning here. */
const MOST_ELSEWHERE = 500;

/** Calls back with what tells that it has ended, once or never. */
type Begin = (end: () => void) => void;

interface Waiting {
  readonly begin: Begin;
  readonly goesElsewhere: () => boolean;
}

interface Asker {
  readonly key: string;
  seenAt: number;
  /** When it last wanted more under way than it may have. */
  fullAt: number;
  /** The turn in which it began something last. */
  turn: number;
  readonly line: Waiting[];
  /** When each thing that has not ended began, in this order. */
  readonly underWay: Set<{ readonly since: number }>;
}

export class FairTurns {
  readonly #clock: Clock;
  readonly #rules: TurnRules;
  readonly #mostInAll: number;
  /** In the order in which they were seen last. */
  readonly #askers = new Map<string, Asker>();
  /** The last of them. */
  #seenLast: Asker | undefined;
  /** Those with a line, in the order of their turns. */
  readonly #waiting = new Set<Asker>();
  #turn = 0;
  #turnBeganAt = 0;
  #isTurnOpen = false;
  #cancelLook: (() => void) | undefined;
  #most = LEAST;
  #begun = 0;
  /** Begun by anybody and not ended. */
  #inAll = 0;
  /** The same by asker. It outlasts those that are forgotten. */
  readonly #places = new Map<string, number>();
  /** Somebody waits for a place. */
  #isShort = false;
  #areAllBusy = false;

  constructor(clock: Clock, rules: TurnRules) {
    this.#clock = clock;
    this.#rules = rules;
    this.#mostInAll = rules.mostInAll ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Calls `begin`, now or in a later turn. Where it has to wait, `goesElsewhere` is asked when its turn comes: if it says so, this
   * one is not begun, and takes no place from the others.
   */
  enter(key: string, begin: Begin, goesElsewhere: () => boolean = () => false): void {
    const asker = this.#askerOf(key);
    this.#openTurn();
    const isFirst = asker.turn !== this.#turn;
    const isTurn = isFirst || this.#begun < this.#mostInTurn;
    if (this.#hasRoom(asker) && isTurn && asker.line.length === 0) {
      if (!isFirst) this.#begun++;
      asker.turn = this.#turn;
      this.#begin(asker, begin);
      return;
    }
    asker.line.push({ begin, goesElsewhere });
    this.#waiting.add(asker);
  }

  get #mostInTurn(): number {
    return this.#askers.size <= 1 ? this.#rules.mostAlone : this.#most;
  }

  get #company(): Company {
    if (this.#askers.size <= 1) return 'none';
    return this.#areAllBusy ? 'busy' : 'quiet';
  }

  #begin(asker: Asker, begin: Begin): void {
    if (!this.#rules.mostUnderWay) {
      begin(() => {});
      return;
    }
    const work = { since: this.#clock.monotonic() };
    asker.underWay.add(work);
    this.#addPlaces(asker, 1);
    let hasEnded = false;
    begin(() => {
      if (hasEnded) return;
      hasEnded = true;
      this.#addPlaces(asker, -1);
      const madeRoom = asker.underWay.delete(work) && asker.line.length > 0;
      if (madeRoom || this.#isShort) this.#openTurn();
    });
  }

  #addPlaces({ key }: Asker, count: 1 | -1): void {
    if (this.#rules.mostInAll === undefined) return;
    const places = this.#placesOf(key) + count;
    if (places > 0) this.#places.set(key, places);
    else this.#places.delete(key);
    this.#inAll += count;
  }

  #placesOf(key: string): number {
    return this.#places.get(key) ?? 0;
  }

  #hasRoom(asker: Asker): boolean {
    if (this.#placesOf(asker.key) >= this.#mostInAll - this.#inAll) {
      this.#isShort = true;
      return false;
    }
    const { underWay } = asker;
    const most = this.#rules.mostUnderWay?.(this.#company, this.#askers.size) ?? Number.POSITIVE_INFINITY;
    if (underWay.size < most) return true;
    asker.fullAt = this.#clock.monotonic();
    for (const work of underWay) {
      if (work.since > asker.fullAt - LONGEST_COUNTED_MS) break;
      underWay.delete(work);
    }
    return underWay.size < most;
  }

  #askerOf(key: string): Asker {
    const asker = this.#askers.get(key) ?? {
      key,
      seenAt: 0,
      fullAt: Number.NEGATIVE_INFINITY,
      turn: -1,
      line: [],
      underWay: new Set(),
    };
    this.#see(asker);
    if (asker.fullAt < asker.seenAt - BUSY_MS) this.#areAllBusy = false;
    for (const [other, { seenAt }] of this.#askers) {
      if (asker.seenAt - seenAt < ASKER_MS && this.#askers.size <= MOST_ASKERS) break;
      this.#askers.delete(other);
    }
    return asker;
  }

  #see(asker: Asker): void {
    asker.seenAt = this.#clock.monotonic();
    // A map from which something is taken each time is copied every few times.
    if (asker === this.#seenLast) return;
    this.#seenLast = asker;
    this.#askers.delete(asker.key);
    this.#askers.set(asker.key, asker);
  }

  /** Turns are counted while somebody asks or waits. */
  #openTurn(): void {
    if (this.#isTurnOpen) return;
    this.#isTurnOpen = true;
    this.#cancelLook?.();
    this.#cancelLook = undefined;
    this.#turnBeganAt = this.#clock.monotonic();
    this.#rules.onNextTurn(() => {
      this.#isTurnOpen = false;
      const turnMs = this.#clock.monotonic() - this.#turnBeganAt;
      this.#most = Math.min(MOST, Math.max(LEAST, Math.ceil(turnMs / MS_FOR_ONE)));
      this.#turn++;
      this.#begun = 0;
      this.#areAllBusy = this.#isNobodyQuiet();
      this.#serveLines();
    });
  }

  #isNobodyQuiet(): boolean {
    if (this.#askers.size > FEW_ASKERS) return false;
    const since = this.#clock.monotonic() - BUSY_MS;
    return [...this.#askers.values()].every(({ fullAt }) => fullAt > since);
  }

  #serveLines(): void {
    this.#isShort = false;
    let hasBegun = false;
    let elsewhere = 0;
    for (const asker of this.#waiting) {
      if (this.#begun >= this.#mostInTurn || elsewhere >= MOST_ELSEWHERE) break;
      if (!this.#hasRoom(asker)) continue;
      hasBegun = true;
      this.#waiting.delete(asker);
      const next = asker.line.shift();
      // At the end of the set, and so of this loop.
      if (asker.line.length > 0) this.#waiting.add(asker);
      this.#see(asker);
      if (next?.goesElsewhere()) {
        elsewhere++;
        continue;
      }
      this.#begun++;
      if (next) this.#begin(asker, next.begin);
    }
    if (this.#waiting.size === 0) return;
    if (hasBegun) this.#openTurn();
    // All are at their limit: the next turn comes when something has ended, or has taken so long that it does not count.
    else this.#cancelLook ??= this.#clock.schedule(LONGEST_COUNTED_MS, () => this.#openTurn());
  }
}
