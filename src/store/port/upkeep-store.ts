/** The part of the store port that deletes what is past its time, texts first, then everything; and that looks for damage. */
export interface RetentionCutoffs {
  readonly now: number;
  /** Unfetched records from before leave the queue. */
  readonly unfetchedBefore: number;
  /** Messages, records, links between resent messages, open batches and what was set aside from before are deleted. */
  readonly inquiryBefore: number;
  /** Idempotency keys from before are deleted. */
  readonly idempotencyBefore: number;
  /** Tokens that expired before are deleted. */
  readonly tokensBefore: number;
  /** Parked receipts from before are deleted. */
  readonly parkedBefore: number;
  /** Of a carrier's parked receipts the oldest beyond this number are deleted. */
  readonly mostParked: number;
  /** Pending webhook deliveries whose window closed before are failed, even those that a node holds. */
  readonly giveUpBefore: number;
  /** Webhook deliveries that ended before are deleted. */
  readonly deliveriesBefore: number;
}

/** Which texts go. */
export interface TextOrder {
  readonly now: number;
  /** Of requests that were accepted before, as soon as all their messages have ended. */
  readonly acceptedBefore: number;
}

/** What the engine says about itself. */
export interface StoreExamination {
  /** Signs of damage, in its own words; empty if none was found. */
  readonly damages: readonly string[];
  /** Whether pages carry checksums; undefined where the engine has no such choice. */
  readonly hasChecksums: boolean | undefined;
  /** By how much its clock is ahead of ours, and how exactly that is known; undefined where it has none of its own. */
  readonly clock: { readonly aheadMs: number; readonly toleranceMs: number } | undefined;
  readonly bytes: number;
}

/** The store was put back to an earlier moment. */
export interface RestoreOrder {
  /** The last moment at which it is known what was sent; 0 if there is none. */
  readonly since: number;
  readonly now: number;
}

export interface HeldBack {
  /** Steps that waited to be sent. */
  readonly doubted: number;
  /** Reservations. */
  readonly held: number;
}

export interface UpkeepStore {
  /**
   * What waits in a restored store may have been sent since. Steps are left as a node leaves them that has died after it
   * claimed all of them at that moment: the first start repeats what a carrier promised to send only once, and the rest
   * becomes unknown. Reservations that would be sent by themselves are HELD. Only while no node runs; safe to repeat.
   */
  holdBack(order: RestoreOrder): Promise<HeldBack>;
  /** `thorough` reads the whole store where that is how damage is found: not in a process that has other work. */
  examine(depth: 'quick' | 'thorough'): Promise<StoreExamination>;
  /** Deletes what is past its time, in bounded chunks; true if there may be more. */
  sweep(cutoffs: RetentionCutoffs): Promise<boolean>;
  /** Removes texts and words of messages, which stay otherwise, a chunk at a time; true if there may be more. */
  removeTexts(order: TextOrder): Promise<boolean>;
}
