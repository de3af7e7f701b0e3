/** The operator's view of what people send: all of it, what is nobody's, and a handset of the simulated network. */
import { type AccountId, type MsgKey, parseAccountId, parseMsgKey } from '../domain/ids.ts';
import { isStorable } from '../domain/request/field-kinds.ts';
import { isObject } from '../domain/request/fields.ts';
import { canonicalNumber } from '../domain/request/phone-number.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Sight } from '../operations/shapes.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import { sendersNamed } from '../report/inbound-messages.ts';
import { INBOUND_HANDOVERS, type InboundHandover, type Store, type StoredInbound } from '../store/store.ts';
import { shownInbound } from './masking.ts';
import type { Filters } from './messages.ts';

export { INBOUND_HANDOVERS };

export interface InboundRow {
  readonly msgKey: MsgKey;
  readonly account: AccountId | null;
  readonly carrier: string;
  readonly to: string;
  readonly from: string;
  readonly text: string | null;
  readonly keyword: string | null;
  readonly receivedAt: string;
  readonly handover: InboundHandover;
  readonly fetchedAt: string | null;
  /** The answer that was sent to it. */
  readonly replyKey: string | null;
  /** Why no answer was sent: a result code, or late, tooMany, blocked, restored. */
  readonly replyProblem: string | null;
  readonly masked: boolean;
}

export interface InboundDesk {
  /** Newest first. A filter must match exactly. */
  list(
    filters: Filters,
    limit: number,
    sight: Sight,
  ): Promise<{ readonly messages: readonly InboundRow[]; readonly next: MsgKey | null } | Problem>;
  find(msgKey: string, sight: Sight): Promise<InboundRow | Problem>;
  /** Gives a message that is nobody's to an account. */
  assign(msgKey: string, account: string): Promise<InboundRow | Problem>;
  /** A handset of the simulated network writes to a number. */
  simulate(
    body: unknown,
  ): Promise<{ readonly msgKey: string; readonly account: string | null; readonly to: string } | Problem>;
}

/** Resolves to the key of the message; undefined where no simulated network runs. */
export type SimulateInbound = (message: {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}) => Promise<string | undefined>;

const LONGEST_NUMBER = 32;
const LONGEST_TEXT = 2000;
const NOBODYS = 'none';

export function createInboundDesk(deps: {
  readonly store: Pick<Store, 'inbound' | 'accounts'>;
  readonly formatTime: FormatTime;
  readonly simulate: SimulateInbound;
  /** Messages came to an account: they can be handed over. */
  readonly onAssigned: (messages: readonly { readonly account: AccountId }[]) => void;
}): InboundDesk {
  const { store, formatTime } = deps;

  async function find(key: string): Promise<StoredInbound | Problem> {
    const msgKey = parseMsgKey(key);
    const found = msgKey && (await store.inbound.find(msgKey));
    return found ?? new Problem('A300', 'There is no such message', { status: 404 });
  }

  function row(message: StoredInbound, sight: Sight): InboundRow {
    const { account, text, keyword, receivedAt, fetchedAt, reply, ...rest } = shownInbound(message, sight);
    return {
      ...rest,
      account: account ?? null,
      text: text ?? null,
      keyword: keyword ?? null,
      receivedAt: formatTime(receivedAt),
      fetchedAt: fetchedAt === undefined ? null : formatTime(fetchedAt),
      replyKey: reply && 'msgKey' in reply ? reply.msgKey : null,
      replyProblem: reply && 'problem' in reply ? reply.problem : null,
      masked: sight === 'masked',
    };
  }

  return {
    async list(filters, limit, sight) {
      const query = parseFilters(filters);
      if (query instanceof Problem) return query;
      const found = await store.inbound.list({ ...query, since: 0, order: 'newest', limit: limit + 1 });
      const messages = found.slice(0, limit);
      return {
        messages: messages.map(message => row(message, sight)),
        next: found.length > limit ? (messages.at(-1)?.msgKey ?? null) : null,
      };
    },
    async find(key, sight) {
      const found = await find(key);
      return found instanceof Problem ? found : row(found, sight);
    },
    async assign(key, id) {
      const found = await find(key);
      if (found instanceof Problem) return found;
      const account = parseAccountId(id);
      if (!account || !(await store.accounts.find(account))) {
        return new Problem('A300', `There is no account "${id.slice(0, 64)}"`, { status: 404 });
      }
      if (!(await store.inbound.assign(found.msgKey, account))) {
        return new Problem('A300', 'The message belongs to an account already');
      }
      deps.onAssigned([{ account }]);
      return row({ ...found, account, handover: 'waiting' }, 'masked');
    },
    async simulate(body) {
      if (!isObject(body)) return new Problem('A011', 'The body must be a JSON object');
      const { from, to, text } = body;
      if (!isNumber(from)) return new Problem('A300', '"from" must be a telephone number');
      if (!isNumber(to)) return new Problem('A300', '"to" must be a telephone number');
      if (typeof text !== 'string' || text.length > LONGEST_TEXT || !isStorable(text)) {
        return new Problem('A300', `"text" must be a text of at most ${LONGEST_TEXT} characters`);
      }
      const msgKey = await deps.simulate({ from, to, text });
      if (msgKey === undefined) return new Problem('A300', 'No simulated network runs on this node');
      const stored = await store.inbound.find(msgKey as MsgKey);
      return { msgKey, account: stored?.account ?? null, to };
    },
  };
}

function isNumber(given: unknown): given is string {
  return typeof given === 'string' && /^\+?\d{3,16}$/.test(given);
}

function parseFilters(filters: Filters) {
  const given = (name: string) => {
    const value = filters[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const [account, from, cursor] = [given('account'), given('from'), given('cursor')];
  const to = given('to');
  const owner = account === undefined || account === NOBODYS ? undefined : parseAccountId(account);
  if (account !== undefined && account !== NOBODYS && owner === undefined) {
    return new Problem('A300', '"account" must be the id of an account');
  }
  if (from !== undefined && (from.length > LONGEST_NUMBER || canonicalNumber(from) === undefined)) {
    return new Problem('A300', '"from" must be a telephone number');
  }
  if (to !== undefined && !/^\+?[\d -]{3,32}$/.test(to)) {
    return new Problem('A300', '"to" must be a telephone number');
  }
  const after = cursor === undefined ? undefined : parseMsgKey(cursor);
  if (cursor !== undefined && after === undefined) {
    return new Problem('A300', '"cursor" must be the "next" of an earlier answer');
  }
  return {
    account: account === NOBODYS ? null : owner,
    from: from === undefined ? undefined : sendersNamed(from),
    to: to?.replace(/[ -]/g, ''),
    after,
  };
}
