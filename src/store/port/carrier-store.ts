/** The part of the store port that nodes share about carriers: what each told of them, and which are paused. */

/** What a node tells of one of its carriers. */
export interface CarrierReport {
  readonly node: string;
  readonly carrier: string;
  /** JSON, for people and their tools. */
  readonly report: string;
  readonly toldAt: number;
}

/** A node that has told nothing for this long will not tell any more. */
export const LONG_GONE_MS = 3_600_000;

export interface CarrierStore {
  /** Replaces what the node told before. */
  tell(
    node: string,
    reports: readonly { readonly carrier: string; readonly report: string }[],
    now: number,
  ): Promise<void>;
  /** What nodes told since a moment, by carrier and node. */
  reports(since: number): Promise<CarrierReport[]>;
  /** A paused carrier is sent nothing, on every node, until it is resumed. */
  pause(carrier: string, now: number): Promise<void>;
  resume(carrier: string): Promise<void>;
  paused(): Promise<string[]>;
}
