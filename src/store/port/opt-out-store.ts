/** The part of the store port for recipients who opted out. */
import type { NewOptOut, OptOut, OptOutCovers, OptOutMark } from '../../domain/delivery/opt-out.ts';
import type { AccountId } from '../../domain/ids.ts';

/** That an account has entries which cover this; it may have had them only. */
export interface OptOutList {
  readonly account: AccountId;
  readonly covers: OptOutCovers;
}

export interface OptOutQuery {
  /** Entries before this one; the newest first without it. */
  readonly before?: number;
  readonly limit: number;
  readonly number?: string;
  readonly sender?: string;
  /** Without those that have ended. */
  readonly isCurrent?: boolean;
}

/** Whose consent is given back; without a sender, to all entries of the recipient. */
export interface Consent {
  readonly number: string;
  readonly sender: string | undefined;
}

export interface OptOutStore {
  /** Adds those that are not there yet, all or none; resolves to how many that were. */
  add(account: AccountId, entries: readonly NewOptOut[], since: OptOutMark): Promise<number>;
  /** Ends the entries of these recipients; resolves to how many that were. */
  consent(account: AccountId, consents: readonly Consent[], ended: OptOutMark): Promise<number>;
  /** Ends one entry; undefined where there is none that has not ended. */
  end(account: AccountId, id: number, ended: OptOutMark): Promise<OptOut | undefined>;
  /** The entries of these recipients that have not ended, in no order. Asked on the way of an advertisement. */
  find(account: AccountId, numbers: readonly string[]): Promise<OptOut[]>;
  /** Newest first. */
  page(account: AccountId, query: OptOutQuery): Promise<OptOut[]>;
  /** Of all accounts: a few rows each. */
  lists(): Promise<OptOutList[]>;
  /** How many entries an account has, counted up to this many. */
  count(account: AccountId, most: number): Promise<number>;
  /** Of all accounts, or of one: what is kept of a recipient. */
  ofRecipient(number: string, account: AccountId | undefined): Promise<OptOut[]>;
  remove(ids: readonly number[]): Promise<void>;
  /** Deletes some of those that ended before; true if there may be more. */
  sweep(endedBefore: number): Promise<boolean>;
}
