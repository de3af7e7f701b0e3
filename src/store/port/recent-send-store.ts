/** The part of the store port that remembers recent sends of accounts to recipients. */
import type { AccountId, MsgKey } from '../../domain/ids.ts';

/** A message about to be accepted. */
export interface RecentSend {
  readonly msgKey: MsgKey;
  /** The same for the same text to the same recipient. */
  readonly fingerprint: string;
}

export interface RecentSendOrder {
  readonly account: AccountId;
  /** The same for repetitions of one request, which are not repetitions of its messages. */
  readonly tag: string;
  readonly sends: readonly RecentSend[];
  readonly now: number;
  readonly windowMs: number;
}

export interface RecentSendStore {
  /**
   * Takes note of these sends, before they are accepted; resolves to those that repeat a send within the window. Of two at the
   * same time, on whichever nodes, one is the repetition. A send does not count that has failed, or that was never accepted
   * although it was noted. Calls of one tag share a note, whichever of them is accepted.
   */
  note(order: RecentSendOrder): Promise<ReadonlySet<MsgKey>>;
  /** They were not accepted. */
  forget(account: AccountId, sends: readonly RecentSend[]): Promise<void>;
}
