/**
 * The time that all nodes go by, and whether it can be trusted.
 *
 * Where nodes share a database, its clock decides: `now()` is the monotonic clock of this machine, corrected to the database's
 * time every second. Without a database of its own time, `now()` is the wall clock.
 *
 * Tasks that delete, end or send something because of its age ask for `trusted()`. It is undefined while the time is in doubt:
 *
 *   off      the wall clock of this machine and the database differ by more than a minute, or did a minute ago
 *   jumped   the time changed by more than a minute that did not pass; for ten minutes, so that somebody can correct it. Sleep
 *            of the machine is time that passed
 *   started  the store has rows from the future, or none of the last hour: the clock may have been wrong before the start, or
 *            may be now; for ten minutes
 */
import type { Clock } from './clock.ts';

/** Our choice: what time-outs, tokens and deadlines can bear. */
const TOLERANCE_MS = 60_000;
const AGREEMENT_MS = 60_000;
/** Our choice: long enough to correct a clock that was set by mistake, short enough to wait for deadlines. */
const STEADY_MS = 600_000;
/** Our choice: most gateways that are restarted were in use just before. */
const IDLE_MS = 3_600_000;

interface Doubt {
  readonly reason: string;
  /** By the monotonic clock. */
  readonly until: number;
}

export class ClusterClock implements Clock {
  readonly #own: Clock;
  /** How far the database's time is ahead of the monotonic clock; undefined without a database, and before its first answer. */
  #ahead: number | undefined;
  /** How far the time was ahead of the uptime when it was last looked at. */
  #aheadOfUptime: number;
  #off: Doubt | undefined;
  #jumped: Doubt | undefined;

  constructor(own: Clock) {
    this.#own = own;
    this.#aheadOfUptime = own.now() - own.uptime();
  }

  now(): number {
    return this.#ahead === undefined ? this.#own.now() : Math.floor(this.#own.monotonic() + this.#ahead);
  }

  monotonic(): number {
    return this.#own.monotonic();
  }

  uptime(): number {
    return this.#own.uptime();
  }

  schedule(delayMs: number, task: () => void): () => void {
    return this.#own.schedule(delayMs, task);
  }

  trusted(): number | undefined {
    return this.doubt === undefined ? this.now() : undefined;
  }

  /** Why the time is in doubt. */
  get doubt(): string | undefined {
    if (this.#ahead === undefined) this.#noticeJump();
    return this.offReason ?? this.#valid(this.#jumped);
  }

  /** Why the wall clock of this machine is in doubt. */
  get offReason(): string | undefined {
    const { skewMs } = this;
    if (skewMs !== undefined && Math.abs(skewMs) > TOLERANCE_MS) {
      const side = skewMs > 0 ? 'ahead of' : 'behind';
      this.#off = {
        reason: `the clock of this machine is ${spoken(skewMs)} ${side} the clock of the database`,
        until: this.monotonic() + AGREEMENT_MS,
      };
    }
    return this.#valid(this.#off);
  }

  /** How far the wall clock of this machine is ahead of the database's; undefined without a database. */
  get skewMs(): number | undefined {
    return this.#ahead === undefined ? undefined : Math.round(this.#own.now() - this.now());
  }

  /**
   * Takes the time of the database, which is undefined where it has none of its own. The database read its clock at some moment
   * between question and answer, so a slow answer corrects the time only as far as that proves it wrong.
   */
  async synchronize(ask: () => Promise<number | undefined>): Promise<void> {
    const askedAt = this.monotonic();
    const time = await ask();
    const answeredAt = this.monotonic();
    if (time === undefined) return;
    const [least, most] = [time - answeredAt, time - askedAt];
    if (this.#ahead === undefined) {
      this.#ahead = (least + most) / 2;
      this.#aheadOfUptime = this.now() - this.uptime();
      return;
    }
    this.#ahead = Math.min(Math.max(this.#ahead, least), most);
    this.#noticeJump();
  }

  /** At the start. `newest`: the time of the newest row in the store; undefined where there is none. */
  startAfter(newest: number | undefined): void {
    if (newest === undefined) return;
    const idleMs = this.now() - newest;
    if (idleMs < -TOLERANCE_MS) {
      this.#distrust(`the newest message in the store is ${spoken(idleMs)} ahead of the clock`);
    } else if (idleMs > IDLE_MS) {
      this.#distrust(`the newest message in the store is ${spoken(idleMs)} old, or the clock is ahead`);
    }
  }

  #noticeJump(): void {
    const aheadOfUptime = this.now() - this.uptime();
    const jumpMs = aheadOfUptime - this.#aheadOfUptime;
    this.#aheadOfUptime = aheadOfUptime;
    if (Math.abs(jumpMs) <= TOLERANCE_MS) return;
    const whose = this.#ahead === undefined ? 'the clock' : 'the clock of the database';
    this.#distrust(`${whose} was set ${jumpMs > 0 ? 'ahead' : 'back'} by ${spoken(jumpMs)}`);
  }

  #distrust(reason: string): void {
    this.#jumped = { reason, until: this.monotonic() + STEADY_MS };
  }

  #valid(doubt: Doubt | undefined): string | undefined {
    return doubt && this.monotonic() < doubt.until ? doubt.reason : undefined;
  }
}

/** A task that is left out while the time is in doubt; it is given the time. */
export function whenTrusted(clock: Clock, task: (now: number) => Promise<void>): () => Promise<void> {
  return async () => {
    const now = clock.trusted();
    if (now !== undefined) await task(now);
  };
}

/** A length of time for people, in the largest unit of which there are at least two. */
function spoken(ms: number): string {
  const seconds = Math.abs(ms) / 1000;
  if (seconds < 120) return `${Math.floor(seconds)} s`;
  return seconds < 7200 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`;
}
