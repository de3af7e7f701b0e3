/**
 * What operators end in bulk: messages that they have selected, or all that meet filters, of which they see the number first. Never
 * more than they have seen are ended. Which messages can be ended, and how, is said by what is done with them: cancelling or
 * settling by hand.
 */
import { MOST_SETTLED_AT_ONCE } from '../deliver/settle.ts';
import type { StepState } from '../domain/delivery/lifecycle.ts';
import { type AccountId, type MsgKey, parseMsgKey } from '../domain/ids.ts';
import { isObject } from '../domain/request/fields.ts';
import { Problem } from '../domain/request/problem.ts';
import { nextTurn } from '../platform/next-turn.ts';
import type { FoundMessage, MessageQuery, Store } from '../store/store.ts';
import { type Filters, parseFilters } from './messages.ts';

export const MOST_SELECTED = 1000;
/** A count goes no further, and so does a call that ends messages. */
export const MOST_COUNTED = 10_000;
/** A search for something rare may find nothing for a long time. */
const MOST_SEARCHES = 100;
const COUNTED_AT_ONCE = 1000;
/** Messages that are found together. */
const FOUND_AT_ONCE = 200;

export type MessageOrder =
  | { readonly msgKeys: readonly MsgKey[] }
  /** Without `most` they are counted, and none is ended. */
  | { readonly query: Omit<MessageQuery, 'limit'>; readonly most: number | undefined };

export interface MessageCount {
  /** Messages that could be ended now. */
  readonly count: number;
  /** There are more than are counted. */
  readonly isMore: boolean;
}

export interface EndedMessages {
  readonly count: number;
  /** Ended in another way, or in another state, before they could be ended. */
  readonly tooLate: number;
  /** There may be more that meet the filters. */
  readonly isMore: boolean;
  /** Keys of those that were ended, by account. */
  readonly keys: ReadonlyMap<AccountId, readonly MsgKey[]>;
  /** Why it went no further. It is thrown after what was ended is recorded. */
  readonly failure?: unknown;
}

/** Ends those of the messages that can still be ended, all or none, and resolves to them. */
export type EndMessages = (messages: readonly FoundMessage[]) => Promise<readonly FoundMessage[]>;

export interface MessageOrders {
  count(order: MessageOrder): Promise<MessageCount>;
  carryOut(order: MessageOrder, end: EndMessages): Promise<EndedMessages>;
  /** One of those that `carryOut` would hand on for which this is true. */
  find(order: MessageOrder, matches: (message: FoundMessage) => boolean): Promise<FoundMessage | undefined>;
}

export interface OrderRules {
  /** States in which a message can be ended. */
  readonly states: readonly StepState[];
  /** Those that filters without `state` mean. */
  readonly usualStates: readonly StepState[];
  /** Of filters for other states. */
  readonly refusal: string;
}

export function parseMessageOrder(
  body: Readonly<Record<string, unknown>>,
  { states: possible, usualStates, refusal }: OrderRules,
): MessageOrder | Problem {
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
  const states = state?.filter(each => possible.includes(each)) ?? usualStates;
  if (states.length === 0) return new Problem('A300', refusal);
  if (most !== undefined && !(Number.isInteger(most) && Number(most) >= 1 && Number(most) <= MOST_COUNTED)) {
    return new Problem('A300', `"most" must be a whole number from 1 to ${MOST_COUNTED}`);
  }
  return { query: { ...others, state: states }, most: most === undefined ? undefined : Number(most) };
}

function parseKeys(given: unknown): MessageOrder | Problem {
  const keys = Array.isArray(given) ? [...new Set(given.slice(0, MOST_SELECTED + 1))] : [];
  const parsed = keys.map(key => (typeof key === 'string' ? parseMsgKey(key) : undefined));
  const known = parsed.filter(key => key !== undefined);
  if (known.length === 0 || known.length !== parsed.length || keys.length > MOST_SELECTED) {
    return new Problem('A300', `"msgKeys" must be a list of 1 to ${MOST_SELECTED} keys of messages`);
  }
  return { msgKeys: known };
}

/** Nothing is to be ended by it yet. */
export function isCount(order: MessageOrder): boolean {
  return 'query' in order && order.most === undefined;
}

export function createMessageOrders(deps: { readonly store: Pick<Store, 'search'> }): MessageOrders {
  const { search } = deps.store;

  return {
    async count(order) {
      if ('msgKeys' in order) return { count: order.msgKeys.length, isMore: false };
      let count = 0;
      const isMore = await pages(order.query, {
        limit: () => Math.min(COUNTED_AT_ONCE, MOST_COUNTED - count),
        async take(messages) {
          count += messages.length;
        },
      });
      return { count, isMore };
    },
    async carryOut(order, end) {
      const keys = new Map<AccountId, MsgKey[]>();
      let [count, tooLate] = [0, 0];
      const take = async (messages: readonly FoundMessage[]) => {
        for (let start = 0; start < messages.length; start += MOST_SETTLED_AT_ONCE) {
          const together = messages.slice(start, start + MOST_SETTLED_AT_ONCE);
          const ended = await end(together);
          for (const { account, msgKey } of ended) keys.set(account, [...(keys.get(account) ?? []), msgKey]);
          count += ended.length;
          tooLate += together.length - ended.length;
        }
      };
      try {
        if ('msgKeys' in order) {
          await pieces(order.msgKeys, take);
          // Keys without a message count as too late, too.
          return { count, tooLate: order.msgKeys.length - count, isMore: false, keys };
        }
        const most = order.most ?? 0;
        const isMore = await pages(order.query, {
          limit: () => Math.min(FOUND_AT_ONCE, most - count - tooLate),
          take,
        });
        return { count, tooLate, isMore, keys };
      } catch (failure) {
        return { count, tooLate, isMore: true, keys, failure };
      }
    },
    async find(order, matches) {
      let found: FoundMessage | undefined;
      let left = 'query' in order ? (order.most ?? 0) : order.msgKeys.length;
      const take = async (messages: readonly FoundMessage[]) => {
        left -= messages.length;
        found ??= messages.find(matches);
      };
      if ('msgKeys' in order) await pieces(order.msgKeys, take);
      else await pages(order.query, { limit: () => (found ? 0 : Math.min(COUNTED_AT_ONCE, left)), take });
      return found;
    },
  };

  async function pieces(
    keys: readonly MsgKey[],
    take: (messages: readonly FoundMessage[]) => Promise<void>,
  ): Promise<void> {
    for (let start = 0; start < keys.length; start += FOUND_AT_ONCE) {
      await take(await allOf(keys.slice(start, start + FOUND_AT_ONCE)));
    }
  }

  /** Hands on what is found, newest first, until `limit` is 0; resolves to whether there may be more. */
  async function pages(
    query: Omit<MessageQuery, 'limit'>,
    { limit, take }: { limit: () => number; take: (messages: readonly FoundMessage[]) => Promise<void> },
  ): Promise<boolean> {
    let before = query.before;
    for (let searches = 0; searches < MOST_SEARCHES && limit() > 0; searches++) {
      const page = await search.find({ ...query, ...(before && { before }), limit: limit() });
      await take(page.messages);
      before = page.next;
      if (before === undefined) return false;
      // SQLite answers within the turn.
      await nextTurn();
    }
    return before !== undefined;
  }

  async function allOf(keys: readonly MsgKey[]): Promise<FoundMessage[]> {
    const found: FoundMessage[] = [];
    for (const key of keys) found.push(...(await search.find({ key, limit: 1 })).messages);
    return found;
  }
}
