/**
 * The part of the store port that holds what the nodes of a cluster share for a moment: what is left of a limit, how the
 * rate of a carrier is divided, which node does what only one may do, and what happens on each node while somebody watches.
 *
 * Nothing here outlives a crash of the store for certain, and nothing needs to: limits begin full, everything else is
 * asked for again.
 */

/** Asks for tokens of a bucket that all nodes take from; one that nobody has used yet is full. */
export interface BudgetAsk {
  readonly key: string;
  readonly ratePerSecond: number;
  readonly burst: number;
  /** Tokens given back before anything is taken. */
  readonly returned: number;
  /** Granted are at least so many, or none. More than `burst` can be had of a full bucket, which is in debt afterwards. */
  readonly least: number;
  readonly most: number;
}

export interface BudgetGrant {
  readonly granted: number;
  /** What is left for all nodes; below zero where it is in debt. */
  readonly left: number;
}

export interface RateWish {
  readonly carrier: string;
  /** Parts a second that all nodes together may send. */
  readonly rate: number;
  /** What this node could use of it; 0 where it cannot send. */
  readonly wanted: number;
}

export interface ClusterStore {
  /** Takes from budgets; one answer for each ask, in order. Keys are different. `now` is the wall clock of the node. */
  lease(asks: readonly BudgetAsk[], now: number): Promise<readonly BudgetGrant[]>;
  /** Forgets budgets that are full again, and old news. */
  sweep(now: number): Promise<void>;
  /**
   * Divides the rates of carriers between nodes (domain/delivery/rate-shares.ts): gives the share of this node, for
   * `ttlMs` or until it asks again. The shares of all nodes together never exceed a rate.
   */
  shareRates(node: string, ttlMs: number, wishes: readonly RateWish[]): Promise<ReadonlyMap<string, number>>;
  /** True if the duty is this node's now: it has been before, or the node that had it has left it or is dead. */
  takeDuty(duty: string, node: string): Promise<boolean>;
  leaveDuty(duty: string, node: string): Promise<void>;
  /** What happens on this node, for those who watch on another; replaces what it said before. Undefined: nothing more. */
  tellNews(node: string, news: string | undefined): Promise<void>;
  /** What other nodes told lately. */
  newsOfOthers(node: string): Promise<readonly NodeNews[]>;
}

export interface NodeNews {
  readonly node: string;
  readonly news: string;
}

/** News that are older are nobody's any more. */
export const NEWS_MS = 10_000;
/** A budget that was filled in the future of a node's clock by more than this is taken to have been filled now. */
export const MOST_SKEW_MS = 10_000;
