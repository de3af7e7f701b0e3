/**
 * The part of the store port that only the operator's side uses: named operators, sessions, the audit log, statistics,
 * finding messages.
 */
import type { Channel } from '../../domain/channels/channel.ts';
import type { Fate } from '../../domain/delivery/fate.ts';
import type { StepState } from '../../domain/delivery/lifecycle.ts';
import type { AccountId, MsgKey, RequestId } from '../../domain/ids.ts';
import type { OperatorToken } from '../../domain/operator/operator-token.ts';
import type { Role } from '../../domain/operator/role.ts';
import type { ReportCode } from '../../domain/reports/report-codes.ts';
import type { SumBatch } from './sum-batch.ts';

export interface OperatorTokenStore {
  /**
   * Adds a token, unless another one of this name, or as many as `most`, can be used at the moment it is created. Of
   * those that have ended the newest are kept, as many again.
   */
  add(token: OperatorToken, most: number): Promise<'added' | 'taken' | 'full'>;
  /** By name, newest first; those that have ended too. */
  list(): Promise<OperatorToken[]>;
  find(id: string): Promise<OperatorToken | undefined>;
  findByHash(hash: string): Promise<OperatorToken | undefined>;
  /** False if there is none of this id, or it was revoked before. */
  revoke(id: string, at: number): Promise<boolean>;
  /** Gives whoever was invited with this hash his token, unless the invitation has ended at the moment `at`. */
  accept(
    invitationHash: string,
    token: Pick<OperatorToken, 'hash' | 'expiresAt'>,
    at: number,
  ): Promise<OperatorToken | undefined>;
  /** False if there is none of this id, or it was revoked before. */
  setRole(id: string, role: Role): Promise<boolean>;
  used(id: string, at: number): Promise<void>;
  /** Forgets those that ended before a moment. */
  sweep(before: number): Promise<void>;
}

/** A signed-in operator. */
export interface SessionRow {
  /** Hash of the session's id; the id itself is never stored. */
  readonly hash: string;
  /** What it was given by; a session counts only as long as this is the installation's own. */
  readonly authority: string;
  /** Whose it is; undefined for the admin token. */
  readonly operatorId: string | undefined;
  readonly expiresAt: number;
  /** This and what follows is undefined in sessions from before it was recorded. */
  readonly openedAt: number | undefined;
  readonly usedAt: number | undefined;
  readonly address: string | undefined;
  /** What the browser calls itself. */
  readonly agent: string | undefined;
}

export interface SessionStore {
  /** Of the sessions of one owner the newest `most` are kept. */
  add(session: SessionRow, most: number): Promise<void>;
  find(hash: string): Promise<SessionRow | undefined>;
  /** By the first characters of its hash, which are enough to tell sessions apart. */
  findByPrefix(prefix: string): Promise<SessionRow | undefined>;
  /** Those that have not expired, newest first; of one named operator only where he is named. */
  list(query: {
    readonly now: number;
    readonly limit: number;
    readonly operatorId?: string;
  }): Promise<SessionRow[]>;
  used(hash: string, at: number): Promise<void>;
  /** False if there is none: of several who remove one, one is told true. */
  remove(hash: string): Promise<boolean>;
  sweep(before: number): Promise<void>;
}

export interface AuditEntry {
  readonly at: number;
  /** How the operator was authenticated. */
  readonly who: 'token' | 'session' | 'cli';
  /** Undefined in entries from before names were recorded. */
  readonly name: string | undefined;
  /** Of a named operator. */
  readonly operatorId: string | undefined;
  readonly action: string;
  readonly target: string;
  /** Never holds a secret or the text of a message. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** Where an entry is in the log. */
export interface AuditPlace {
  readonly at: number;
  readonly id: number;
}

export interface StoredAuditEntry extends AuditEntry {
  /** Later entries have higher numbers. */
  readonly id: number;
}

export interface AuditStore {
  add(entry: AuditEntry): Promise<void>;
  /** Newest first, by time and then by id: those since `from` that come after `before` in this order. */
  list(query: {
    readonly limit: number;
    readonly before?: AuditPlace | undefined;
    readonly from?: number | undefined;
  }): Promise<StoredAuditEntry[]>;
  /** Forgets some of those before a moment; true if there may be more. */
  sweep(before: number): Promise<boolean>;
}

/** A sum of one minute. */
export interface Statistic {
  /** Start of the minute. */
  readonly at: number;
  readonly name: string;
  readonly value: number;
}

export interface StatisticStore {
  /** Adds to what is there, whichever node put it there; once, however often a batch is given. */
  add(batch: SumBatch<Statistic>): Promise<void>;
  /** By time. */
  between(from: number, until: number): Promise<Statistic[]>;
  /** Forgets some of what is older, and writers of sums that wrote nothing since; true if there may be more. */
  sweep(before: number): Promise<boolean>;
}

/** What every filter that is given must say of a message. */
export interface MessageQuery {
  readonly key?: MsgKey;
  /** Of all recipients of one request. */
  readonly request?: RequestId;
  /** Every way in which the recipient may be written. */
  readonly to?: readonly string[];
  readonly ref?: string;
  readonly groupKey?: string;
  readonly account?: AccountId;
  /** Of any step of the flow. */
  readonly channel?: Channel;
  /** One of these in its flow. */
  readonly channels?: readonly Channel[];
  /** Of the step that was the last; only messages that have ended have one. */
  readonly lastChannel?: Channel;
  /** Of the current or last attempt. */
  readonly carrier?: string;
  /** One of these. */
  readonly state?: readonly StepState[];
  /** Of the last record. */
  readonly code?: ReportCode;
  /** Accepted from, and before. */
  readonly from?: number;
  readonly until?: number;
  /** The account itself asks: what it must not see is kept from it twice. Needs `account`. */
  readonly isOwn?: boolean;
  /** Continues a search below this key. */
  readonly before?: MsgKey;
  readonly limit: number;
}

export interface FoundMessage {
  readonly msgKey: MsgKey;
  readonly account: AccountId;
  readonly to: string;
  readonly ref: string | undefined;
  readonly groupKey: string | undefined;
  readonly channels: readonly Channel[];
  readonly step: number;
  readonly state: StepState;
  readonly code: ReportCode | undefined;
  readonly carrier: string | undefined;
  readonly acceptedAt: number;
  readonly finishedAt: number | undefined;
  readonly fate: Fate;
}

export interface FoundMessages {
  readonly messages: readonly FoundMessage[];
  /** Where to continue; a page may be short, or empty, and still have one. */
  readonly next: MsgKey | undefined;
}

export interface SearchStore {
  /** How far indexing must stay behind: a key made now may be committed so much later. */
  readonly lagMs: number;
  /** Newest first. Does a bounded amount of work, however many messages there are and however few match. */
  find(query: MessageQuery): Promise<FoundMessages>;
  /** Makes messages accepted before a moment quick to find, oldest first; resolves to how many it took. */
  index(acceptedBefore: number, limit: number): Promise<number>;
  /** Messages accepted from `at` on are to be indexed again: the clock was set back from `from`, and their keys with it. */
  rewind(at: number, from: number): Promise<void>;
}

/** A message that an operator sent again, under a new key. */
export interface Resend {
  readonly newKey: MsgKey;
  readonly oldKey: MsgKey;
  readonly at: number;
}

export interface ResendStore {
  /** Does nothing if it is there. Kept as long as messages are. */
  add(resend: Resend): Promise<void>;
  /** All in which one of these is the old or the new message, oldest first; none whose new message was not stored. */
  of(msgKeys: readonly MsgKey[]): Promise<Resend[]>;
}
