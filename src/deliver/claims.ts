/**
 * Steps that this node has claimed and has not settled yet.
 *
 * A claim has an id of its own, given before the store is asked. So when the store's answer is lost, the node can compare
 * the steps it really has with those that the store has given it: the rest were never handed to a carrier and go back
 * into the queue (`strays`).
 */

import type { LiveStep } from '../domain/delivery/settlement.ts';
import type { MsgKey } from '../domain/ids.ts';
import type { Clock } from '../platform/clock.ts';
import type { ClaimOrder, HeldStep, Store } from '../store/store.ts';

/** A claim whose answer was lost may still be under way at the store for as long as this. */
const SUSPECT_MS = 60_000;
/** How often strays are looked for without a reason to expect any. */
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
  #begun = 0;
  #suspectUntil = Number.NEGATIVE_INFINITY;
  #lookedAt: number;

  constructor(deps: { readonly store: Store; readonly clock: Clock; readonly owner: string }) {
    this.owner = deps.owner;
    this.#store = deps.store;
    this.#clock = deps.clock;
    this.#lookedAt = deps.clock.monotonic();
  }

  async claim(order: Omit<ClaimOrder, 'owner' | 'claim'>): Promise<LiveStep[]> {
    const claim = this.begin();
    try {
      const steps = await this.#store.queue.claim({ ...order, owner: this.owner, claim });
      this.made(claim, steps);
      return steps;
    } catch (error) {
      this.lost(claim);
      throw error;
    }
  }

  /** A claim that is about to be stored: `made`, `lost` or `unmade` ends it. */
  begin(): string {
    const claim = `${this.owner}/${++this.#begun}`;
    this.#underWay.add(claim);
    return claim;
  }

  /** The store has given this node these steps. */
  made(claim: string, steps: readonly Pick<LiveStep, 'msgKey'>[]): void {
    for (const { msgKey } of steps) {
      const other = this.#inHand.get(msgKey);
      // When the store's answer is late, the step may be over, and the next one of its message in hand already.
      if (other === undefined || numberOf(other) < numberOf(claim)) this.#inHand.set(msgKey, claim);
    }
    this.#underWay.delete(claim);
  }

  /** Nothing was stored under the claim. */
  unmade(claim: string): void {
    this.#underWay.delete(claim);
  }

  /** It is not known whether it was stored; nothing of it was handed to a carrier. */
  lost(claim: string): void {
    this.#unused.set(claim, this.#clock.monotonic());
    this.#underWay.delete(claim);
    this.suspect();
  }

  /** The outcome of a step is stored. */
  letGo(msgKey: MsgKey, claim: string | undefined): void {
    if (this.#inHand.get(msgKey) === claim) this.#inHand.delete(msgKey);
  }

  /** These steps were never handed to a carrier, and that could not be stored. */
  abandon(steps: readonly LiveStep[]): void {
    for (const { msgKey, claim } of steps) {
      this.letGo(msgKey, claim);
      if (claim !== undefined) this.#unused.set(claim, this.#clock.monotonic());
    }
    this.suspect();
  }

  /** The store may have given this node steps that it knows nothing of. */
  suspect(): void {
    this.#suspectUntil = this.#clock.monotonic() + SUSPECT_MS;
  }

  /**
   * Steps that the store has given to this node, and that it does not have. A node that was frozen for a while finds them
   * taken over and in doubt; it alone knows that they were never sent.
   */
  async strays(): Promise<HeldStep[]> {
    const now = this.#clock.monotonic();
    const isRoutine = now > this.#suspectUntil && this.#unused.size === 0;
    if (isRoutine && now - this.#lookedAt < ROUTINE_MS) return [];
    this.#lookedAt = now;
    // Steps may be settled while the store answers: those in hand at the time of the question are no strays.
    const underWay = new Set(this.#underWay);
    const inHand = new Map(this.#inHand);
    const begun = this.#begun;
    const held = await this.#store.queue.held(this.owner, [...this.#unused.keys()], MOST_AT_ONCE);
    for (const [claim, since] of this.#unused) {
      if (now - since > SUSPECT_MS && held.length < MOST_AT_ONCE) this.#unused.delete(claim);
    }
    return held.filter(({ msgKey, claim }) => {
      const isUnderWay = claim !== undefined && (underWay.has(claim) || numberOf(claim) > begun);
      return !isUnderWay && inHand.get(msgKey) !== claim;
    });
  }
}

/** How many claims its owner had made with it. */
function numberOf(claim: string): number {
  return Number(claim.slice(claim.lastIndexOf('/') + 1));
}
