/** The part of the store port that knows the nodes: which are alive, and what becomes of the steps of the dead. */
import type { RepeatPromise } from '../../domain/delivery/takeover.ts';
import type { SealingMode } from '../../platform/vault.ts';

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
  /** The names of its data keys, the one that encrypts first; see platform/vault.ts. An older node does not tell. */
  readonly dataKeys?: readonly string[];
  /** How it encrypts, and what it reads; version 0.2 does not tell. */
  readonly sealing?: SealingMode;
  /** The rest an older node does not tell. */
  /** Stays the same when it is started again; `node` does not, because it owns what is in progress. */
  readonly name?: string;
  readonly version?: string;
  readonly host?: string;
  readonly pid?: number;
  readonly startedAt?: number;
  /** How far its wall clock is ahead of the store's. */
  readonly clockSkewMs?: number;
  /** That is so much, or was a minute ago, that its wall clock cannot be trusted. */
  readonly isClockOff?: boolean;
  /** Steps that it is submitting. */
  readonly inFlight?: number;
  /** Somebody watches live events on it. */
  readonly isWatched?: boolean;
  /** For each setting that should be the same on every node, a fingerprint of its value; holds no secret. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A fingerprint of the routes. */
  readonly routes?: string;
}

export interface NodeCarrier {
  readonly name: string;
  readonly kind: string;
  /** Equal where the settings are; holds no secret. */
  readonly fingerprint: string;
  readonly promise: RepeatPromise;
  /** It takes messages of that node now, or will in a moment; an older node does not tell. */
  readonly isUp?: boolean;
}

export interface LiveNode {
  readonly node: string;
  readonly profile: NodeProfile;
  /** Since when it is told to send nothing more; undefined where it is not. */
  readonly drainingSince: number | undefined;
}

/** A node that lives, or died less than a day ago without leaving. */
export interface KnownNode extends LiveNode {
  /** How long ago its lease ended, by the store's clock; undefined while it lives. */
  readonly deadForMs: number | undefined;
}

/** Steps of a dead node that went out by one carrier. */
export interface TakenOver {
  /** The id of that node. */
  readonly node: string;
  readonly carrier: string;
  /** Made again, or unknown from now on. */
  readonly outcome: 'repeated' | 'unknown';
  readonly steps: number;
}

export interface NodeStore {
  /** Says that this node is alive, and what it runs. Other nodes may take over its steps `ttlMs` after the last call. */
  heartbeat(node: string, ttlMs: number, profile: NodeProfile): Promise<void>;
  /** The clock of the store, in milliseconds since 1970; undefined where that is the clock of this machine. */
  time(): Promise<number | undefined>;
  /** The nodes that are alive, by the store's own clock. */
  list(): Promise<LiveNode[]>;
  known(): Promise<KnownNode[]>;
  /** Tells a living node to send nothing more, or to send again; false if there is none of this name. */
  drain(node: string, since: number | undefined): Promise<boolean>;
  /**
   * Frees the steps of dead nodes; what becomes of each: domain/delivery/takeover.ts. Resolves to those that are made again or
   * became unknown.
   */
  takeOver(rules: TakeOverRules): Promise<readonly TakenOver[]>;
  /** Removes a dead node and what it published; false if there is none. What it held is taken over all the same. */
  forget(node: string): Promise<boolean>;
  /** Leaves: what this node still holds may be taken over at once. */
  leave(node: string): Promise<void>;
}
