/** The part of the store port that nodes share about carriers: the state that each publishes, and what operators ask of all. */

/** The state of one carrier, as a node sees it. */
export interface CarrierReport {
  readonly node: string;
  readonly carrier: string;
  /** JSON, for people and their tools. */
  readonly report: string;
  readonly publishedAt: number;
}

/** After this long without a report a node is taken for gone, and its last reports are deleted. */
export const LONG_GONE_MS = 3_600_000;

export interface CarrierStore {
  /** Replaces what the node published before. */
  publish(
    node: string,
    reports: readonly { readonly carrier: string; readonly report: string }[],
    now: number,
  ): Promise<void>;
  /** What nodes published since a moment, by carrier and node. */
  reports(since: number): Promise<CarrierReport[]>;
  /** A paused carrier is sent nothing, on every node, until it is resumed. */
  pause(carrier: string, now: number): Promise<void>;
  resume(carrier: string): Promise<void>;
  paused(): Promise<string[]>;
  /** Asks every node that runs the carrier not to wait for its next attempt. */
  reconnect(carrier: string): Promise<void>;
  /** How often that was asked, for each carrier; a node acts when it has grown. */
  reconnects(): Promise<ReadonlyMap<string, number>>;
}
