/**
 * Cancelling messages: those that have certainly not been handed to a carrier end with a report of its own code, and what is
 * left of their flow is not sent. Whether one can still be cancelled is decided where every outcome is, in the transaction that
 * settles it: a node that claims the step at the same moment comes before or after, never in between.
 *
 * A call may be repeated: a message that was already cancelled counts as cancelled.
 */
import type { StepState } from '../domain/delivery/lifecycle.ts';
import type { AccountId, MsgKey, RequestId } from '../domain/ids.ts';
import { CANCELLED } from '../domain/reports/report-codes.ts';
import { Problem } from '../domain/request/problem.ts';
import { RESULT_CODES } from '../domain/request/result-codes.ts';
import { nextTurn } from '../platform/next-turn.ts';
import type { FoundMessage, MessageQuery, Store } from '../store/store.ts';
import type { Settle } from './settle.ts';

/** States in which a message may be cancelled. */
export const CANCELLABLE: readonly StepState[] = ['queued', 'retrying'];

/** Messages that are looked at and settled together. */
const PAGE = 200;

export interface CancelResult {
  readonly msgKey: MsgKey;
  readonly account: AccountId;
  readonly code: 'A000' | 'A825';
  readonly result: string;
  /** Afterwards. */
  readonly state: StepState;
}

export interface Cancelling {
  /** Undefined for a message that is not there, or not of the account. */
  message(msgKey: MsgKey, account?: AccountId): Promise<CancelResult | undefined>;
  /** Every message of a request, in the order of its recipients; none if there is no such request of the account. */
  request(requestId: RequestId, account: AccountId): Promise<readonly CancelResult[]>;
  /** Those of the messages that it has cancelled, or that were cancelled before. */
  found(messages: readonly FoundMessage[]): Promise<readonly FoundMessage[]>;
}

export function createCancelling(deps: {
  readonly store: Pick<Store, 'search' | 'reports'>;
  readonly settle: Settle;
}): Cancelling {
  const { store, settle } = deps;

  return {
    async message(msgKey, account) {
      // Also one that cannot be read: it is there, and nothing ends it.
      const stored = await one(msgKey);
      if (!stored || (account !== undefined && stored.account !== account)) return undefined;
      await cancelAll([msgKey]);
      const found = await one(msgKey);
      return found && resultOf(found);
    },
    async request(requestId, account) {
      const asked = { request: requestId, account, isOwn: true } as const;
      const messages = await allOf(asked);
      await cancelAll(messages.filter(isCancellable).map(({ msgKey }) => msgKey));
      return (await allOf(asked)).map(resultOf).reverse();
    },
    async found(messages) {
      const waiting = messages.filter(isCancellable);
      const settled = await cancelAll(waiting.map(({ msgKey }) => msgKey));
      const cancelled = new Set(waiting.filter((_, index) => settled[index] === 'ended'));
      return messages.filter(message => cancelled.has(message) || message.code === CANCELLED);
    },
  };

  async function one(key: MsgKey): Promise<FoundMessage | undefined> {
    return (await store.search.find({ key, limit: 1 })).messages[0];
  }

  async function allOf(query: Omit<MessageQuery, 'limit'>): Promise<FoundMessage[]> {
    const all: FoundMessage[] = [];
    let before: MsgKey | undefined;
    do {
      const page = await store.search.find({ ...query, ...(before && { before }), limit: PAGE });
      all.push(...page.messages);
      before = page.next;
      await nextTurn();
    } while (before !== undefined);
    return all;
  }

  async function cancelAll(msgKeys: readonly MsgKey[]) {
    const settled: string[] = [];
    for (let start = 0; start < msgKeys.length; start += PAGE) {
      const events = msgKeys.slice(start, start + PAGE).map(msgKey => {
        // Step and attempt are whichever it has.
        return { kind: 'step', msgKey, step: 0, attempt: 0, event: { name: 'cancelled' } } as const;
      });
      settled.push(...(await settle(events)));
    }
    return settled;
  }
}

function isCancellable({ state }: FoundMessage): boolean {
  return CANCELLABLE.includes(state);
}

function resultOf({ msgKey, account, state, code }: FoundMessage): CancelResult {
  if (code === CANCELLED) return { msgKey, account, state, code: 'A000', result: RESULT_CODES.A000.text };
  const { result } = new Problem('A825', WHY_NOT[state]);
  return { msgKey, account, state, code: 'A825', result };
}

const WHY_NOT: Readonly<Record<StepState, string>> = {
  // An attempt whose outcome is not known is to be made again.
  queued: 'A carrier may have taken it already',
  retrying: 'A carrier may have taken it already',
  submitting: 'It is being handed to a carrier',
  submitted: 'A carrier has taken it',
  unknown: 'A carrier may have taken it already',
  delivered: 'It was delivered',
  failed: 'It has failed',
  expired: 'It has expired',
};
