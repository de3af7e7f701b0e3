/**
 * What is kept of one recipient: all of it as JSON, or none of it any more.
 *
 * The number is found however it is written. Both work page by page, so neither the number of messages nor their size matters,
 * and both can be interrupted and begun again.
 */
import { channelOf } from '../domain/channels/channel-table.ts';
import type { OptOut } from '../domain/delivery/opt-out.ts';
import { type AccountId, BASE32, type FileKey, type MsgKey, type RequestId } from '../domain/ids.ts';
import {
  canonicalNumber,
  maskNumber,
  storedWritings,
  withoutNumber,
} from '../domain/request/phone-number.ts';
import { Problem } from '../domain/request/problem.ts';
import { shownStep } from '../domain/text/substitution.ts';
import type { Clock } from '../platform/clock.ts';
import type { Randomness } from '../platform/randomness.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import {
  type Erased,
  type Erasure,
  type FoundMessage,
  NOTHING_ERASED,
  type ParkedReceipt,
  type SetAside,
  type Store,
  type StoredInbound,
  sumOfErased,
} from '../store/store.ts';
import { namedImages } from './named-images.ts';

/** Whose data it is; `number` is canonical. */
export interface Subject {
  readonly number: string;
  /** Only what this account sent. Receipts that match no message are no account's, and left out then. */
  readonly account: AccountId | undefined;
}

export interface Holdings {
  /** Messages that have ended. */
  readonly ended: number;
  /** Messages on their way. */
  readonly open: number;
  readonly parkedReceipts: number;
  readonly setAside: number;
  /** Messages that this person sent. */
  readonly inbound: number;
  /** Places in reservations that wait for their time. */
  readonly reserved: number;
  /** Entries of lists of recipients who opted out, ended ones included. */
  readonly optOuts: number;
}

export interface ErasedCounts extends Erased {
  readonly parkedReceipts: number;
  readonly setAside: number;
  /** Messages that this person sent. */
  readonly inbound: number;
  /** Places in reservations that waited for their time: nothing is sent to it. */
  readonly reserved: number;
  /** Opt-outs that had ended. */
  readonly optOuts: number;
  /** Opt-outs that stay: without them the person would get advertisements again. */
  readonly keptOptOuts: number;
  /** Uploaded images that were deleted. */
  readonly images: number;
}

/** An uploaded image that stays, although a text that was removed named it. */
export interface KeptImage {
  readonly fileKey: FileKey;
  readonly reason: string;
}

export interface ErasureResult {
  readonly order: string;
  readonly counts: ErasedCounts;
  readonly keptImages: readonly KeptImage[];
  /** What was erased is in no log and no free space of the store, as far as that is in our hands. */
  readonly isScrubbed: boolean;
}

export interface Privacy {
  holdings(subject: Subject): Promise<Holdings>;
  /** Everything that is kept, as pieces of one JSON text. */
  export(subject: Subject): AsyncGenerator<string>;
  /**
   * Erases what has ended, and leaves an order for the rest. With `images` also the images that nobody else was sent in the same
   * request: whether they are about this person, only the operator knows.
   */
  erase(subject: Subject, options?: { readonly images?: boolean }): Promise<ErasureResult>;
  /** Newest first. */
  orders(): Promise<readonly ErasureOrder[]>;
}

/** An order to erase, as it is shown. */
export interface ErasureOrder {
  readonly id: string;
  readonly orderedAt: string;
  /** Masked. */
  readonly recipient: string;
  readonly account: string | null;
  /** Messages without their recipient. */
  readonly messages: number;
  /** Messages on their way, which follow. */
  readonly open: number;
  readonly state: 'done' | 'waiting' | 'not finished';
  readonly endedAt: string | null;
}

/** An event that names the number, and the same without it. */
type NamingEvent = SetAside & { readonly id: number; readonly cleaned: string };

const PAGE = 100;
const MOST_ORDERS = 100;
const ORDER_ID_LENGTH = 12;

export function createPrivacy(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly formatTime: FormatTime;
  /** Deletes an uploaded image, or says why it must stay. */
  readonly removeFile: (fileKey: FileKey) => Promise<unknown>;
}): Privacy {
  const { store, clock, random, formatTime, removeFile } = deps;

  async function* pagesOf({ number, account }: Subject): AsyncGenerator<readonly FoundMessage[]> {
    const to = storedWritings(number);
    let before: MsgKey | undefined;
    do {
      const query = { to, limit: PAGE, ...(account && { account }), ...(before && { before }) };
      const { messages, next } = await store.search.find(query);
      if (messages.length > 0) yield messages;
      before = next;
    } while (before !== undefined);
  }

  async function* parkedOf({ number, account }: Subject): AsyncGenerator<ParkedReceipt> {
    if (account !== undefined) return;
    let after = 0;
    for (;;) {
      const page = await store.privacy.parked(after, PAGE);
      for (const receipt of page) if (isOf(receipt.to, number)) yield receipt;
      const last = page.at(-1);
      if (!last) return;
      after = last.parkedId;
    }
  }

  async function* inboundOf({ number, account }: Subject): AsyncGenerator<StoredInbound> {
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
  }

  async function* setAsideOf({ number, account }: Subject): AsyncGenerator<NamingEvent> {
    if (account !== undefined) return;
    let after = 0;
    for (;;) {
      const page = await store.privacy.setAside(after, PAGE);
      for (const entry of page) {
        const event = cleaned(entry.event, number);
        if (event !== undefined) yield { ...entry, cleaned: event };
      }
      const last = page.at(-1);
      if (!last) return;
      after = last.id;
    }
  }

  /** A handful: one for each sender and account. */
  function optOutsOf({ number, account }: Subject): Promise<OptOut[]> {
    return store.optOuts.ofRecipient(number, account);
  }

  async function* reservedOf({ number, account }: Subject, isRemoval: boolean) {
    const to = storedWritings(number);
    let after: RequestId | undefined;
    do {
      const page = await store.reservations.ofRecipient({ to, account, after, isRemoval, now: clock.now() });
      yield* page.found;
      after = page.after;
    } while (after !== undefined);
  }

  async function exported(msgKey: MsgKey): Promise<object | undefined> {
    const message = await store.messages.find(msgKey);
    if (!message) return undefined;
    const { acceptedAt, history, words, textRemovedAt, flow, account, ...rest } = message;
    const { references, deliveries, answers } = await store.privacy.traces(msgKey);
    const records = await store.reports.inquire({ account, msgKey, lastOnly: false, since: 0 });
    const handedOver = await store.reports.handedOver(msgKey);
    return {
      ...rest,
      account,
      acceptedAt: formatTime(acceptedAt),
      ...(textRemovedAt === undefined
        ? {
            flow,
            replaceWords: words,
            asReceived: flow.map(step => shownStep(step, words)),
            files: flow.flatMap(step => channelOf(step).files?.uses(step) ?? []).map(({ name }) => name),
          }
        : { channels: flow.map(({ channel }) => channel), textRemovedAt: formatTime(textRemovedAt) }),
      timeline: [...history, ...handedOver].map(entry => ({ ...entry, at: formatTime(entry.at) })),
      reports: records.map(({ sentAt, reportedAt, ...record }) => ({
        ...record,
        sentAt: sentAt === undefined ? null : formatTime(sentAt),
        reportedAt: formatTime(reportedAt),
      })),
      carrierReferences: references.map(({ createdAt, ...reference }) => ({
        ...reference,
        createdAt: formatTime(createdAt),
      })),
      webhookDeliveries: deliveries.map(
        ({ recent, nextAt, reportedAt, giveUpAt, isHeld: _, ...delivery }) => ({
          ...delivery,
          reportedAt: formatTime(reportedAt),
          giveUpAt: formatTime(giveUpAt),
          recent: recent.map(attempt => ({ ...attempt, at: formatTime(attempt.at) })),
          nextAt: nextAt === undefined ? null : formatTime(nextAt),
        }),
      ),
      idempotencyAnswers: answers.map(({ key, response, createdAt }) => ({
        key,
        response: parsed(response),
        createdAt: formatTime(createdAt),
      })),
    };
  }

  async function removeImages(fileKeys: Iterable<FileKey>): Promise<KeptImage[]> {
    const kept: KeptImage[] = [];
    for (const fileKey of fileKeys) {
      const outcome = await removeFile(fileKey);
      if (outcome instanceof Problem) kept.push({ fileKey, reason: outcome.result });
    }
    return kept;
  }

  function orderView({ orderedAt, endedAt, account, isUnderWay, ...order }: Erasure): ErasureOrder {
    return {
      id: order.id,
      orderedAt: formatTime(orderedAt),
      recipient: order.recipient,
      account: account ?? null,
      messages: order.messages,
      open: order.open,
      state: endedAt !== undefined ? 'done' : isUnderWay ? 'not finished' : 'waiting',
      endedAt: endedAt === undefined ? null : formatTime(endedAt),
    };
  }

  return {
    async holdings(subject) {
      const counts = { ended: 0, open: 0, parkedReceipts: 0, setAside: 0, reserved: 0, inbound: 0 };
      for await (const page of pagesOf(subject)) {
        for (const { finishedAt } of page) counts[finishedAt === undefined ? 'open' : 'ended']++;
      }
      for await (const _ of parkedOf(subject)) counts.parkedReceipts++;
      for await (const _ of setAsideOf(subject)) counts.setAside++;
      for await (const _ of inboundOf(subject)) counts.inbound++;
      for await (const _ of reservedOf(subject, false)) counts.reserved++;
      return { ...counts, optOuts: (await optOutsOf(subject)).length };
    },

    async *export(subject) {
      const { number, account = null } = subject;
      const head = { recipient: number, storedAs: storedWritings(number), account };
      yield `${JSON.stringify({ ...head, exportedAt: formatTime(clock.now()) }).slice(0, -1)},\n"messages":[`;
      let comma = '\n';
      const item = (value: object) => {
        const text = `${comma}${JSON.stringify(value)}`;
        comma = ',\n';
        return text;
      };
      for await (const page of pagesOf(subject)) {
        for (const { msgKey } of page) {
          const message = await exported(msgKey);
          if (message) yield item(message);
        }
      }
      yield '],\n"parkedReceipts":[';
      comma = '\n';
      for await (const { parkedId: _, receivedAt, ...receipt } of parkedOf(subject)) {
        yield item({ ...receipt, receivedAt: formatTime(receivedAt) });
      }
      yield '],\n"inbound":[';
      comma = '\n';
      for await (const { receivedAt, fetchedAt, ...message } of inboundOf(subject)) {
        yield item({
          ...message,
          receivedAt: formatTime(receivedAt),
          fetchedAt: fetchedAt === undefined ? null : formatTime(fetchedAt),
        });
      }
      yield '],\n"setAside":[';
      comma = '\n';
      for await (const { at, reason, event } of setAsideOf(subject)) {
        yield item({ at: formatTime(at), reason, event: parsed(event) });
      }
      yield '],\n"reserved":[';
      comma = '\n';
      for await (const recipient of reservedOf(subject, false)) yield item(recipient);
      yield '],\n"optOuts":[';
      comma = '\n';
      for (const { id: _, since, ended, ...optOut } of await optOutsOf(subject)) {
        yield item({
          ...optOut,
          since: { ...since, at: formatTime(since.at) },
          ended: ended ? { ...ended, at: formatTime(ended.at) } : null,
        });
      }
      yield ']}\n';
    },

    async erase(subject, { images: withImages = false } = {}) {
      const { number, account } = subject;
      const now = clock.now();
      const order = random.characters(ORDER_ID_LENGTH, BASE32);
      await store.privacy.order({
        id: order,
        orderedAt: now,
        account,
        recipient: maskNumber(number),
        withImages,
      });
      let erased = NOTHING_ERASED;
      const images = new Set<FileKey>();
      for await (const page of pagesOf(subject)) {
        const keys = page.map(({ msgKey }) => msgKey);
        const named = await namedImages(store, keys, now);
        erased = sumOfErased(erased, await store.privacy.erase(order, keys, now));
        // A text that others got stays, and what it names with it.
        for (const [msgKey, fileKeys] of named) {
          const after = await store.messages.find(msgKey);
          if (after?.textRemovedAt !== undefined) for (const fileKey of fileKeys) images.add(fileKey);
        }
      }
      // A receipt may belong to a message on its way. It is settled with it, or deleted after some days.
      const parked: number[] = [];
      if (erased.open === 0) for await (const { parkedId } of parkedOf(subject)) parked.push(parkedId);
      if (parked.length > 0) await store.privacy.unpark(parked);
      let setAside = 0;
      for await (const { id, cleaned: event } of setAsideOf(subject)) {
        await store.privacy.replaceSetAside(id, event);
        setAside++;
      }
      const inbound = await store.inbound.erase(storedWritings(number), account);
      let reserved = 0;
      for await (const _ of reservedOf(subject, true)) reserved++;
      const optOuts = await optOutsOf(subject);
      const ended = optOuts.filter(optOut => optOut.ended !== undefined);
      if (ended.length > 0) await store.optOuts.remove(ended.map(({ id }) => id));
      await store.privacy.lookedThrough(order, clock.now());
      const keptImages = withImages
        ? await removeImages(images)
        : [...images].map(fileKey => ({ fileKey, reason: 'images were not to be deleted' }));
      const counts = {
        ...erased,
        parkedReceipts: parked.length,
        setAside,
        inbound,
        reserved,
        optOuts: ended.length,
        keptOptOuts: optOuts.length - ended.length,
        images: images.size - keptImages.length,
      };
      return { order, counts, keptImages, isScrubbed: await store.privacy.scrub() };
    },

    async orders() {
      return (await store.privacy.orders(MOST_ORDERS)).map(orderView);
    },
  };
}

/** Undefined if it does not name the number. */
function cleaned(event: string, number: string): string | undefined {
  const value = parsed(event);
  if (typeof value === 'string') return undefined;
  const without = withoutNumber(event, number);
  return without === JSON.stringify(value) ? undefined : without;
}

function isOf(to: string | undefined, number: string): boolean {
  return to !== undefined && canonicalNumber(to) === number;
}

/** Answers and events are JSON; whatever is not is shown as it is. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
