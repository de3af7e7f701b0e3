/** The part of the store port that knows the nodes: which are alive, and what becomes of the steps of the dead. */
import type { RepeatPromise } from '../../domain/delivery/takeover.ts';

export interface TakeOverRules {
  /** This node; its own steps are left alone. */
  readonly self: string;
  readonly now: number;
  /** What carriers promise of attempts that are made twice. */
  readonly promises: ReadonlyMap<string, RepeatPromise>;
}

/** What a node publishes about itself. */
export interface NodeProfile {
  readonly mode: string;
  readonly carriers: readonly NodeCarrier[];
  /** Channels for which it has a route. */
  readonly channels: readonly string[];
  /** The names of its data keys, the one that seals first; see platform/vault.ts. An older node does not tell. */
  readonly dataKeys?: readonly string[];
}

export interface NodeCarrier {
  readonly name: string;
  readonly kind: string;
  /** Equal where the settings are; holds no secret. */
  readonly fingerprint: string;
  readonly promise: RepeatPromise;
}

export interface LiveNode {
  readonly node: string;
  readonly profile: NodeProfile;
}

export interface NodeStore {
  /** Says that this node is alive, and what it runs. Other nodes may take over its steps `ttlMs` after the last call. */
  heartbeat(node: string, ttlMs: number, profile: NodeProfile): Promise<void>;
  /** The nodes that are alive, by the store's own clock. */
  list(): Promise<LiveNode[]>;
  /**
   * Frees the steps of dead nodes; what becomes of each: domain/delivery/takeover.ts. Resolves to the number of steps that are
   * made again or became unknown.
   */
  takeOver(rules: TakeOverRules): Promise<number>;
  /** Leaves: what this node still holds may be taken over at once. */
  leave(node: string): Promise<void>;
}
