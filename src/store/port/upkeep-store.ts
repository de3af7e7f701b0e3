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

/** The parts of a sweep by their names. Each deletes a bounded chunk of one kind, and resolves to true if there may be more. */
export type Sweeps = Readonly<Record<string, () => Promise<boolean>>>;

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
   * claimed all of them at that moment, and the first start makes them unknown. The promise of a carrier to send an attempt only
   * once ends with the copy: since then another carrier may have had the step, or the same one as another attempt. Reservations
   * that have not ended are HELD. Inbound messages whose rules are due get no automatic reply (problem `restored`). Only while no node
   * runs; safe to repeat.
   */
  holdBack(order: RestoreOrder): Promise<HeldBack>;
  /** The `now` of the last call of `holdBack`: the store does not know what was sent between the backup and then. */
  restoredAt(): Promise<number | undefined>;
  /** `thorough` reads the whole store where that is how damage is found: not in a process that has other work. */
  examine(depth: 'quick' | 'thorough'): Promise<StoreExamination>;
  /** Makes room for what is written in the days to come. Harmless by a wrong time: it makes a day that stays empty. */
  makeDays(now: number): Promise<void>;
  /** Delete what is past its time. */
  sweeps(cutoffs: RetentionCutoffs): Sweeps;
  /** Removes texts and words of messages, which stay otherwise, a chunk at a time; true if there may be more. */
  removeTexts(order: TextOrder): Promise<boolean>;
}
