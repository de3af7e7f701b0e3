/** The part of the store port for accounts and their tokens. */
import type { Account } from '../../domain/account/account.ts';
import type { AccountId, MsgKey } from '../../domain/ids.ts';
import type { Soon } from '../../platform/soon.ts';

export interface AccountStore {
  /** True if it was created, false if the id is taken: by an account, or by one that was deleted and not forgotten yet. */
  create(account: Account): Promise<boolean>;
  /** At once where it is known: every request asks. */
  find(id: AccountId): Soon<Account | undefined>;
  list(): Promise<Account[]>;
  /**
   * Changes an account, its id aside; false if there is no such account. Read and written in one transaction, so that
   * two changes at the same time both count, and seen by every node at once.
   */
  update(id: AccountId, edit: (account: Account) => Account): Promise<boolean>;
  /** A value this installation generated once and keeps, such as the hash of its admin token. */
  remember(name: string, value: string): Promise<string>;
  recall(name: string): Promise<string | undefined>;
  /** Keeps the hash of an address from which the owner of a secret has proved himself, and the newest `keep` of the owner. */
  rememberAddress(address: KnownAddress, keep: number): Promise<void>;
  knowsAddress(hash: string): Promise<boolean>;
  /** What an account has at the moment `now`; tokens and reservations are counted up to `most`. */
  usage(id: AccountId, now: number, most: number): Promise<AccountUsage>;
  /** Messages of the account that are on their way, at most so many. Reads the whole queue, a stretch at a time. */
  onTheWay(id: AccountId, most: number): Promise<MsgKey[]>;
  /**
   * Deletes a blocked account; false if there is none. Nothing finds it any more from then on, on every node. `purge`
   * deletes what it had.
   */
  remove(id: AccountId, at: number): Promise<boolean>;
  /** When an account was deleted that is not forgotten yet. */
  deletedAt(id: AccountId): Promise<number | undefined>;
  /** Deletes what deleted accounts had, up to `limit` rows of a table; true if there may be more. Their files expire. */
  purge(now: number, limit: number): Promise<boolean>;
  /** Forgets all but the ids of accounts that were deleted before a moment; an id is never given again. */
  forget(deletedBefore: number): Promise<void>;
}

export interface AccountUsage {
  readonly forms: number;
  /** That have not ended. */
  readonly reservations: number;
  /** That wait in these reservations, and how much all of it takes. */
  readonly reservationRecipients: number;
  readonly reservationBytes: number;
  readonly files: number;
  readonly fileBytes: number;
  readonly tokens: number;
}

export interface KnownAddress {
  /** Hash of address and secret. */
  readonly hash: string;
  /** An account, or '' for the operator. */
  readonly owner: string;
  readonly seenAt: number;
}

export interface TokenRow {
  /** Hash of the token; the token itself is never stored. */
  readonly hash: string;
  readonly account: AccountId;
  readonly expiresAt: number;
  /** The epoch of the account when it was issued. */
  readonly epoch: number;
}

export interface TokenStore {
  add(token: TokenRow): Promise<void>;
  find(hash: string): Promise<TokenRow | undefined>;
  /** Deletes tokens of an account beyond its `keep` newest, at most `limit` at a time; returns their hashes. */
  trim(account: AccountId, keep: number, limit: number): Promise<readonly string[]>;
}
