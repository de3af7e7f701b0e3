/**
 * What this node has claimed, and has not handed to settle with success.
 *
 * A claim has an id of its own, given before the store is asked. So when the answer of the store is lost, the node can
 * still tell what is really in its hands from what the store only says it holds: the rest was never handed to a carrier
 * and goes back into the queue (`strays`).
 */

import type { LiveStep } from '../domain/delivery/settlement.ts';
import type { MsgKey } from '../domain/ids.ts';
import type { Clock } from '../platform/clock.ts';
import type { ClaimOrder, HeldStep, Store } from '../store/store.ts';

/** A claim whose answer was lost may still be under way at the store for as long as this. */
const SUSPECT_MS = 60_000;
/** Looked at now and then without any suspicion. */
const ROUTINE_MS = 300_000;
const MOST_AT_ONCE = 5000;

export class Claims {
  readonly owner: string;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #underWay = new Set<string>();
  readonly #inHand = new Map<MsgKey, string>();
  /** Claims of which nothing was handed to a carrier, and since when that is known. */
  readonly #unused = new Map<string, number>();
  #made = 0;
  #suspectUntil = Number.NEGATIVE_INFINITY;
  #lookedAt: number;

  constructor(deps: { readonly store: Store; readonly clock: Clock; readonly owner: string }) {
    this.owner = deps.owner;
    this.#store = deps.store;
    this.#clock = deps.clock;
    this.#lookedAt = deps.clock.monotonic();
  }

  async claim(order: Omit<ClaimOrder, 'owner' | 'claim'>): Promise<LiveStep[]> {
    const claim = `${this.owner}/${++this.#made}`;
    this.#underWay.add(claim);
    try {
      const steps = await this.#store.queue.claim({ ...order, owner: this.owner, claim });
      for (const { msgKey } of steps) this.#inHand.set(msgKey, claim);
      return steps;
    } catch (error) {
      this.#unused.set(claim, this.#clock.monotonic());
      this.suspect();
      throw error;
    } finally {
      this.#underWay.delete(claim);
    }
  }

  /** What became of a step is written down. */
  letGo(msgKey: MsgKey, claim: string | undefined): void {
    if (this.#inHand.get(msgKey) === claim) this.#inHand.delete(msgKey);
  }

  /** These were never handed to a carrier, and what to do with them could not be written down. */
  abandon(steps: readonly LiveStep[]): void {
    for (const { msgKey, claim } of steps) {
      this.letGo(msgKey, claim);
      if (claim !== undefined) this.#unused.set(claim, this.#clock.monotonic());
    }
    this.suspect();
  }

  /** Something may be held that is not in hand. */
  suspect(): void {
    this.#suspectUntil = this.#clock.monotonic() + SUSPECT_MS;
  }

  /**
   * Steps that the store says this node holds, and that it does not have. Whoever was frozen for a while finds them taken
   * over and in doubt; it alone knows that they were never sent.
   */
  async strays(): Promise<HeldStep[]> {
    const now = this.#clock.monotonic();
    const isRoutine = now > this.#suspectUntil && this.#unused.size === 0;
    if (isRoutine && now - this.#lookedAt < ROUTINE_MS) return [];
    this.#lookedAt = now;
    // The answer may take its time: what was in hand when it was asked for may be settled when it comes, and is no stray.
    const underWay = new Set(this.#underWay);
    const inHand = new Map(this.#inHand);
    const made = this.#made;
    const held = await this.#store.queue.held(this.owner, [...this.#unused.keys()], MOST_AT_ONCE);
    for (const [claim, since] of this.#unused) {
      if (now - since > SUSPECT_MS && held.length < MOST_AT_ONCE) this.#unused.delete(claim);
    }
    return held.filter(({ msgKey, claim }) => {
      const isUnderWay = claim !== undefined && (underWay.has(claim) || numberOf(claim) > made);
      return !isUnderWay && inHand.get(msgKey) !== claim;
    });
  }
}

/** How many claims its owner had made with it. */
function numberOf(claim: string): number {
  return Number(claim.slice(claim.lastIndexOf('/') + 1));
}
