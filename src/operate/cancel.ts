/**
 * Operators cancel messages: those that they have selected, or all that meet filters, of which they see the number first. Never
 * more than they have seen are cancelled.
 */
import { CANCELLABLE, type Cancelling } from '../deliver/cancel.ts';
import { type AccountId, type MsgKey, parseMsgKey } from '../domain/ids.ts';
import { isObject } from '../domain/request/fields.ts';
import { Problem } from '../domain/request/problem.ts';
import { nextTurn } from '../platform/next-turn.ts';
import type { MessageQuery, Store } from '../store/store.ts';
import { type Filters, parseFilters } from './messages.ts';

export const MOST_SELECTED = 1000;
/** A count goes no further, and so does a call that cancels. */
export const MOST_COUNTED = 10_000;
/** A search for something rare may find nothing for a long time. */
const MOST_SEARCHES = 100;
const PAGE = 1000;

export type CancelOrder =
  | { readonly msgKeys: readonly MsgKey[] }
  /** Without `most` they are counted, and none is cancelled. */
  | { readonly query: Omit<MessageQuery, 'limit'>; readonly most: number | undefined };

export interface CancelCount {
  /** Messages that could be cancelled now. */
  readonly cancellable: number;
  /** There are more than are counted. */
  readonly isMore: boolean;
}

export interface CancelSums {
  readonly cancelled: number;
  /** Handed to a carrier, or ended, before they could be cancelled. */
  readonly tooLate: number;
  /** There may be more that meet the filters. */
  readonly isMore: boolean;
  /** Keys of those that were cancelled, by account. */
  readonly keys: ReadonlyMap<AccountId, readonly MsgKey[]>;
}

export interface OperatorCancelling {
  count(order: CancelOrder): Promise<CancelCount>;
  cancel(order: CancelOrder): Promise<CancelSums>;
}

export function parseCancelOrder(body: Readonly<Record<string, unknown>>): CancelOrder | Problem {
  const { msgKeys, filters, most } = body;
  if ((msgKeys === undefined) === (filters === undefined)) {
    return new Problem('A300', 'One of "msgKeys" and "filters" is required');
  }
  if (filters === undefined) return parseKeys(msgKeys);
  if (!isObject(filters)) return new Problem('A300', '"filters" must be an object');
  const query = parseFilters(filters as Filters);
  if (query instanceof Problem) return query;
  const { state, ...others } = query;
  if (Object.keys(others).length === 0) {
    return new Problem('A300', '"filters" must have at least one filter beside "state"');
  }
  const states = state?.filter(each => CANCELLABLE.includes(each)) ?? CANCELLABLE;
  if (states.length === 0) {
    return new Problem('A300', `Only messages that are ${CANCELLABLE.join(' or ')} can be cancelled`);
  }
  if (most !== undefined && !(Number.isInteger(most) && Number(most) >= 1 && Number(most) <= MOST_COUNTED)) {
    return new Problem('A300', `"most" must be a whole number from 1 to ${MOST_COUNTED}`);
  }
  return { query: { ...others, state: states }, most: most === undefined ? undefined : Number(most) };
}

function parseKeys(given: unknown): CancelOrder | Problem {
  const keys = Array.isArray(given) ? [...new Set(given.slice(0, MOST_SELECTED + 1))] : [];
  const parsed = keys.map(key => (typeof key === 'string' ? parseMsgKey(key) : undefined));
  const known = parsed.filter(key => key !== undefined);
  if (known.length === 0 || known.length !== parsed.length || keys.length > MOST_SELECTED) {
    return new Problem('A300', `"msgKeys" must be a list of 1 to ${MOST_SELECTED} keys of messages`);
  }
  return { msgKeys: known };
}

export function createOperatorCancelling(deps: {
  readonly store: Pick<Store, 'search'>;
  readonly cancelling: Cancelling;
}): OperatorCancelling {
  const { store, cancelling } = deps;

  return {
    async count(order) {
      if ('msgKeys' in order) return { cancellable: order.msgKeys.length, isMore: false };
      let cancellable = 0;
      let before = order.query.before;
      for (let search = 0; search < MOST_SEARCHES && cancellable < MOST_COUNTED; search++) {
        const limit = Math.min(PAGE, MOST_COUNTED - cancellable);
        const page = await store.search.find({ ...order.query, ...(before && { before }), limit });
        cancellable += page.messages.length;
        before = page.next;
        if (before === undefined) break;
        // SQLite answers within the turn.
        await nextTurn();
      }
      return { cancellable, isMore: before !== undefined };
    },
    async cancel(order) {
      const keys = new Map<AccountId, MsgKey[]>();
      const add = (account: AccountId, more: readonly MsgKey[]) =>
        keys.set(account, [...(keys.get(account) ?? []), ...more]);
      if ('msgKeys' in order) {
        let tooLate = 0;
        for (const msgKey of order.msgKeys) {
          const result = await cancelling.message(msgKey);
          if (result?.code === 'A000') add(result.account, [msgKey]);
          else tooLate++;
        }
        return { cancelled: order.msgKeys.length - tooLate, tooLate, isMore: false, keys };
      }
      const most = order.most ?? 0;
      let [cancelled, tooLate] = [0, 0];
      let before = order.query.before;
      for (let search = 0; search < MOST_SEARCHES && cancelled + tooLate < most; search++) {
        const query = { ...order.query, ...(before && { before }) };
        const page = await cancelling.found(query, most - cancelled - tooLate);
        for (const [account, own] of page.cancelled) {
          add(account, own);
          cancelled += own.length;
        }
        tooLate += page.tooLate;
        before = page.next;
        if (before === undefined) break;
        await nextTurn();
      }
      return { cancelled, tooLate, isMore: before !== undefined, keys };
    },
  };
}
