/**
 * Limits that hold across processes. The buckets are elsewhere; this process leases some tokens of each ahead and takes from
 * those, so that most calls wait for nobody.
 *
 *   in hand          taken at once; when half of a lease is used up the next is asked for
 *   nothing in hand  the call waits for the next lease; calls that wait for one key share it
 *   known to be empty  refused at once, until enough can have flowed in
 *
 * A lease is a tenth of the burst at most, and what is not used for a second is given back: no more than that is out of the
 * reach of the others. What must never happen: a token that was not granted is used, so all processes together never exceed
 * a rate. Where nobody answers, a call that needs a lease fails with that error.
 */
import type { Clock } from './clock.ts';
import { sha256 } from './hashing.ts';
import type { Limiter, Over } from './limiter.ts';
import type { Rate } from './token-bucket.ts';

export interface LeaseAsk {
  /** A hash: keys hold addresses. */
  readonly key: string;
  readonly ratePerSecond: number;
  readonly burst: number;
  readonly returned: number;
  readonly least: number;
  readonly most: number;
}

export interface LeaseGrant {
  readonly granted: number;
  readonly left: number;
}

interface Waiting {
  readonly cost: number;
  readonly resolve: (over: Over | undefined) => void;
  readonly reject: (error: unknown) => void;
}

interface Lease {
  readonly hash: string;
  rate: Rate;
  /** Tokens in hand. */
  held: number;
  /** What the bucket had left when it was last asked, and when. */
  left: number;
  leftAt: number;
  usedAt: number;
  isAsked: boolean;
  waiting: Waiting[];
}

const MAX_KEYS = 100_000;
/** Of the burst. */
const LEASE_SHARE = 0.1;
/** A key that was found empty is not asked for again before this. */
const ASK_AGAIN_MS = 20;
const UNUSED_MS = 1000;
const FORGOTTEN_MS = 60_000;
const SWEEP_MS = 60_000;
/** Keys that are given back at once. */
const MOST_RETURNED = 1000;
const HASH_LENGTH = 24;

export class LeasedLimiter implements Limiter {
  readonly #clock: Clock;
  readonly #lease: (asks: readonly LeaseAsk[]) => Promise<readonly LeaseGrant[]>;
  readonly #leases = new Map<string, Lease>();
  readonly #sweep: () => Promise<void>;
  #toAsk: Lease[] = [];
  #sweptAt: number;

  constructor(deps: {
    readonly clock: Clock;
    readonly lease: (asks: readonly LeaseAsk[]) => Promise<readonly LeaseGrant[]>;
    /** Forgets elsewhere what is not needed any more. */
    readonly sweep: () => Promise<void>;
  }) {
    this.#clock = deps.clock;
    this.#lease = deps.lease;
    this.#sweep = deps.sweep;
    this.#sweptAt = deps.clock.monotonic();
  }

  /** Gives back what is in hand, if somebody takes it. */
  async close(): Promise<void> {
    await this.#giveUp([...this.#leases.values()]).catch(() => {});
  }

  take(key: string, rate: Rate, cost = 1): Over | undefined | Promise<Over | undefined> {
    const now = this.#clock.monotonic();
    const lease = this.#leaseOf(key, rate, now);
    lease.usedAt = now;
    if (lease.waiting.length === 0 && lease.held >= cost) {
      lease.held -= cost;
      const chunk = chunkOf(rate);
      if (chunk > 1 && lease.held < chunk / 2 && !this.#overAt(lease, 1, now)) this.#ask(lease);
      return undefined;
    }
    const over = lease.isAsked ? undefined : this.#overAt(lease, cost, now);
    if (over) return over;
    return new Promise((resolve, reject) => {
      lease.waiting.push({ cost, resolve, reject });
      this.#ask(lease);
    });
  }

  giveBack(key: string): void {
    const lease = this.#leases.get(key);
    if (lease) lease.held = Math.min(lease.rate.burst, lease.held + 1);
  }

  /** Whether the bucket cannot have enough yet, even if nobody else has taken from it since. */
  #overAt(lease: Lease, cost: number, now: number): Over | undefined {
    const { ratePerSecond, burst } = lease.rate;
    const sinceMs = now - lease.leftAt;
    const atMost = Math.min(burst, lease.left + (sinceMs / 1000) * ratePerSecond);
    const missing = Math.min(cost, burst) - lease.held - atMost;
    const isJustAsked = lease.left < 1 && sinceMs < ASK_AGAIN_MS;
    if (missing <= 0 && !isJustAsked) return undefined;
    return { retryAfterSeconds: Math.max(1, Math.ceil(missing / ratePerSecond)) };
  }

  /** Leases that are asked for in one turn of the event loop go together. */
  #ask(lease: Lease): void {
    if (lease.isAsked) return;
    lease.isAsked = true;
    if (this.#toAsk.push(lease) > 1) return;
    queueMicrotask(() => {
      const leases = this.#toAsk;
      this.#toAsk = [];
      void this.#renew(leases);
    });
  }

  async #renew(leases: readonly Lease[]): Promise<void> {
    const asked = leases.map(lease => ({ lease, ask: askOf(lease), waiting: lease.waiting }));
    // What is in hand goes back with the question, so that the answer is about all there is.
    for (const { lease } of asked) [lease.waiting, lease.held] = [[], 0];
    const askedAt = this.#clock.monotonic();
    try {
      const grants = await this.#lease(asked.map(({ ask }) => ask));
      for (const [index, { lease, waiting }] of asked.entries()) {
        const { granted, left } = grants[index] ?? { granted: 0, left: 0 };
        lease.held += granted;
        lease.left = left;
        lease.leftAt = askedAt;
        this.#serve(lease, waiting);
      }
    } catch (error) {
      for (const { waiting } of asked) for (const { reject } of waiting) reject(error);
    } finally {
      for (const { lease } of asked) this.#answered(lease);
    }
  }

  #answered(lease: Lease): void {
    lease.isAsked = false;
    if (lease.waiting.length > 0) this.#ask(lease);
  }

  #serve(lease: Lease, waiting: readonly Waiting[]): void {
    const { ratePerSecond, burst } = lease.rate;
    for (const { cost, resolve } of waiting) {
      if (lease.held >= cost) {
        lease.held -= cost;
        resolve(undefined);
      } else {
        const missing = Math.min(cost, burst) - lease.held - lease.left;
        resolve({ retryAfterSeconds: Math.max(1, Math.ceil(missing / ratePerSecond)) });
      }
    }
  }

  /** Gives back what is not used; to be called every second. */
  async tidy(): Promise<void> {
    const now = this.#clock.monotonic();
    const unused: Lease[] = [];
    for (const [key, lease] of this.#leases) {
      // The one that was not used for longest is first.
      if (now - lease.usedAt < UNUSED_MS || unused.length >= MOST_RETURNED) break;
      if (lease.isAsked) continue;
      if (lease.held > 0) unused.push(lease);
      else if (now - lease.usedAt > FORGOTTEN_MS) this.#leases.delete(key);
    }
    await this.#giveUp(unused);
    if (now - this.#sweptAt < SWEEP_MS) return;
    this.#sweptAt = now;
    await this.#sweep();
  }

  async #giveUp(leases: readonly Lease[]): Promise<void> {
    const returned = leases.filter(({ held, isAsked }) => held > 0 && !isAsked);
    if (returned.length === 0) return;
    const asks = returned.map(lease => ({ ...askOf(lease), least: 0, most: 0 }));
    // Before it is answered: what may have been given back is not used.
    for (const lease of returned) [lease.isAsked, lease.held] = [true, 0];
    try {
      await this.#lease(asks);
    } finally {
      for (const lease of returned) this.#answered(lease);
    }
  }

  #leaseOf(key: string, rate: Rate, now: number): Lease {
    const known = this.#leases.get(key);
    if (known) {
      // Now the youngest: keys that are made up must not push out one that is in use.
      this.#leases.delete(key);
      this.#leases.set(key, known);
      known.rate = rate;
      return known;
    }
    if (this.#leases.size >= MAX_KEYS) this.#forgetOldest();
    const hash = sha256(key).slice(0, HASH_LENGTH);
    const unknown = { held: 0, left: rate.burst, leftAt: now - ASK_AGAIN_MS };
    const lease: Lease = { hash, rate, ...unknown, usedAt: now, isAsked: false, waiting: [] };
    this.#leases.set(key, lease);
    return lease;
  }

  #forgetOldest(): void {
    const oldest = this.#leases.keys().next();
    if (!oldest.done) this.#leases.delete(oldest.value);
  }
}

/** Tokens that are leased ahead. */
function chunkOf({ burst }: Rate): number {
  return Math.max(1, Math.floor(burst * LEASE_SHARE));
}

/** The first that waits must be served; the others, and some tokens in advance, if there are as many. */
function askOf({ hash, rate, held, waiting }: Lease): LeaseAsk {
  const { ratePerSecond, burst } = rate;
  const first = waiting[0]?.cost ?? 1;
  const all = waiting.reduce((sum, { cost }) => sum + Math.min(cost, burst), 0);
  const most = Math.max(first, Math.min(all, burst) + chunkOf(rate));
  return { key: hash, ratePerSecond, burst, returned: held, least: first, most };
}
