/**
 * Finds what is kept of one recipient, however its number is written, page by page: neither the number of messages nor their size
 * matters. What cannot be read is passed over and told, as it may be about the recipient.
 */
import type { OptOut } from '../domain/delivery/opt-out.ts';
import { type AccountId, type MsgKey, parseMsgKey, type RequestId } from '../domain/ids.ts';
import { canonicalNumber, storedWritings, withoutNumber } from '../domain/request/phone-number.ts';
import type { Clock } from '../platform/clock.ts';
import {
  type FoundMessage,
  type ParkedReceipt,
  type RestItem,
  type SetAside,
  type Store,
  type StoredInbound,
  UNREADABLE,
  type WaitingRecipient,
} from '../store/store.ts';

/** Whose data it is; `number` is canonical. */
export interface Subject {
  readonly number: string;
  /** Only what this account sent. Receipts that match no message are no account's, and left out then. */
  readonly account: AccountId | undefined;
}

/** An event that names the number, and the same without it. */
export type NamingEvent = SetAside & { readonly id: number; readonly cleaned: string };

/** Told of what could not be read. */
export type OnUnread = (item: RestItem) => void;

export interface RecipientFinder {
  messages(subject: Subject): AsyncGenerator<readonly FoundMessage[]>;
  /** Messages whose recipient cannot be read, and that are not found by the number. */
  unreadMessages(subject: Subject): AsyncGenerator<MsgKey>;
  parked(subject: Subject, onUnread?: OnUnread): AsyncGenerator<ParkedReceipt>;
  inbound(subject: Subject): AsyncGenerator<StoredInbound>;
  setAside(subject: Subject, onUnread?: OnUnread): AsyncGenerator<NamingEvent>;
  /** A handful: one for each sender and account. */
  optOuts(subject: Subject): Promise<OptOut[]>;
  /** Takes it out of the lists if that is asked for. */
  reserved(subject: Subject, isRemoval: boolean, onUnread?: OnUnread): AsyncGenerator<WaitingRecipient>;
}

const PAGE = 100;
const ignore: OnUnread = () => {};

export function createRecipientFinder(deps: {
  readonly store: Store;
  readonly clock: Clock;
}): RecipientFinder {
  const { store, clock } = deps;

  async function* setAsideEvents() {
    let after = 0;
    for (;;) {
      const page = await store.privacy.setAside(after, PAGE);
      yield* page;
      const last = page.at(-1);
      if (!last) return;
      after = last.id;
    }
  }

  return {
    async *messages({ number, account }) {
      const to = storedWritings(number);
      let before: MsgKey | undefined;
      do {
        const query = { to, limit: PAGE, ...(account && { account }), ...(before && { before }) };
        const { messages, next } = await store.search.find(query);
        if (messages.length > 0) yield messages;
        before = next;
      } while (before !== undefined);
    },
    async *unreadMessages({ account }) {
      for await (const { event } of setAsideEvents()) {
        const key = keyOfMessageIn(event);
        if (key === undefined) continue;
        const { messages } = await store.search.find({ key, limit: 1, ...(account && { account }) });
        if (messages[0]?.to === UNREADABLE) yield key;
      }
    },
    async *parked({ number, account }, onUnread = ignore) {
      if (account !== undefined) return;
      let after: number | undefined = 0;
      do {
        const page = await store.privacy.parked(after, PAGE);
        for (const id of page.unreadable) onUnread({ kind: 'receipt', key: String(id) });
        for (const receipt of page.receipts) if (isOf(receipt.to, number)) yield receipt;
        after = page.after;
      } while (after !== undefined);
    },
    async *inbound({ number, account }) {
      let after: MsgKey | undefined;
      for (;;) {
        const page = await store.inbound.list({
          ...{ account, since: 0, from: storedWritings(number), to: undefined, after },
          ...{ order: 'oldest', limit: PAGE },
        });
        yield* page;
        after = page.at(-1)?.msgKey;
        if (after === undefined) return;
      }
    },
    async *setAside({ number, account }, onUnread = ignore) {
      if (account !== undefined) return;
      for await (const entry of setAsideEvents()) {
        if (entry.event === UNREADABLE) onUnread({ kind: 'event', key: String(entry.id) });
        const event = cleaned(entry.event, number);
        if (event !== undefined) yield { ...entry, cleaned: event };
      }
    },
    optOuts: ({ number, account }) => store.optOuts.ofRecipient(number, account),
    async *reserved({ number, account }, isRemoval, onUnread = ignore) {
      const to = storedWritings(number);
      let after: RequestId | undefined;
      do {
        const page = await store.reservations.ofRecipient({
          ...{ to, account, after, isRemoval },
          now: clock.now(),
        });
        for (const key of page.unreadable) onUnread({ kind: 'list', key });
        yield* page.found;
        after = page.after;
      } while (after !== undefined);
    },
  };
}

export function isOf(to: string | undefined, number: string): boolean {
  return to !== undefined && canonicalNumber(to) === number;
}

/** Undefined if it does not name the number. */
export function cleaned(event: string, number: string): string | undefined {
  const value = parsed(event);
  if (typeof value === 'string') return undefined;
  const without = withoutNumber(event, number);
  return without === JSON.stringify(value) ? undefined : without;
}

/** Answers and events are JSON; whatever is not is shown as it is. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Of an entry about a message that cannot be read. */
function keyOfMessageIn(event: string): MsgKey | undefined {
  const entry = parsed(event);
  if (typeof entry !== 'object' || entry === null) return undefined;
  if (!('table' in entry) || entry.table !== 'message') return undefined;
  return 'key' in entry && typeof entry.key === 'string' ? parseMsgKey(entry.key) : undefined;
}
