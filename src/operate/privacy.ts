/**
 * What is kept of one recipient: all of it as JSON, or none of it any more. Both can be interrupted and begun again.
 */
import { BASE32, type FileKey } from '../domain/ids.ts';
import { maskNumber, storedWritings } from '../domain/request/phone-number.ts';
import type { Clock } from '../platform/clock.ts';
import type { Randomness } from '../platform/randomness.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import {
  type Erased,
  type Erasure,
  NOTHING_ERASED,
  type RestItem,
  type Store,
  sumOfErased,
} from '../store/store.ts';
import { createEraser, type ImageFate, type ImageOf, type RemoveFile } from './erasure.ts';
import { createRecipientFinder, type Subject } from './recipient.ts';
import { createRecipientExport } from './recipient-export.ts';

export type { Subject };

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
  /** What cannot be read, so that it is not known whether it is about this person. It is left to the order. */
  readonly unreadable: number;
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
  /** What was erased is in no log and no free space of the store, as far as that is in our hands. Otherwise it is tried again. */
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
  /** What else has to be done yet: images, what cannot be read, traces in the files of the database. */
  readonly rest: number;
  readonly state: 'done' | 'waiting' | 'not finished';
  readonly endedAt: string | null;
}

const MOST_ORDERS = 100;
const ORDER_ID_LENGTH = 12;

export function createPrivacy(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly formatTime: FormatTime;
  readonly removeFile: RemoveFile;
}): Privacy {
  const { store, clock, random, formatTime } = deps;
  const finder = createRecipientFinder(deps);
  const eraser = createEraser(deps);

  async function orderOf({ number, account }: Subject, withImages: boolean): Promise<string> {
    const id = random.characters(ORDER_ID_LENGTH, BASE32);
    const recipient = maskNumber(number);
    await store.privacy.order({ id, orderedAt: clock.now(), account, recipient, withImages });
    return id;
  }

  async function removeImages(order: string, images: readonly ImageOf[]) {
    const removed = new Set<FileKey>();
    const kept = new Map<FileKey, string>();
    for (const image of images) {
      const fate: ImageFate = await eraser.image(order, image).catch(() => NOT_NOW);
      if (fate.kind === 'removed') removed.add(image.fileKey);
      else if (fate.reason !== undefined) kept.set(image.fileKey, fate.reason);
    }
    return { removed, kept };
  }

  async function keepImages(images: readonly ImageOf[]) {
    const kept = new Map<FileKey, string>();
    for (const { msgKey, fileKey } of images) {
      const fate = await store.privacy.textFate(msgKey);
      // A text that others got stays, and what it names with it.
      if (fate === 'removed') kept.set(fileKey, 'images were not to be deleted');
    }
    return { removed: new Set<FileKey>(), kept };
  }

  function orderView({ orderedAt, endedAt, account, isUnderWay, ...order }: Erasure): ErasureOrder {
    return {
      id: order.id,
      orderedAt: formatTime(orderedAt),
      recipient: order.recipient,
      account: account ?? null,
      messages: order.messages,
      open: order.open,
      rest: order.rest,
      state: endedAt !== undefined ? 'done' : isUnderWay ? 'not finished' : 'waiting',
      endedAt: endedAt === undefined ? null : formatTime(endedAt),
    };
  }

  return {
    async holdings(subject) {
      const counts = { ended: 0, open: 0, parkedReceipts: 0, setAside: 0, reserved: 0, inbound: 0 };
      for await (const page of finder.messages(subject)) {
        for (const { finishedAt } of page) counts[finishedAt === undefined ? 'open' : 'ended']++;
      }
      for await (const _ of finder.parked(subject)) counts.parkedReceipts++;
      for await (const _ of finder.setAside(subject)) counts.setAside++;
      for await (const _ of finder.inbound(subject)) counts.inbound++;
      for await (const _ of finder.reserved(subject, false)) counts.reserved++;
      return { ...counts, optOuts: (await finder.optOuts(subject)).length };
    },

    export: createRecipientExport({ store, clock, formatTime, finder }),

    async erase(subject, { images: withImages = false } = {}) {
      const { number, account } = subject;
      const order = await orderOf(subject, withImages);
      const unread: RestItem[] = [];
      const note = (item: RestItem) => unread.push(item);
      // First: a place that was released in the meantime would be a message that nobody looks for.
      let reserved = 0;
      for await (const _ of finder.reserved(subject, true, note)) reserved++;
      let erased: Erased = NOTHING_ERASED;
      let unreadMessages = 0;
      const images: ImageOf[] = [];
      for await (const page of finder.messages(subject)) {
        const keys = page.map(({ msgKey }) => msgKey);
        const done = await eraser.messages({ id: order, withImages, number }, keys);
        erased = sumOfErased(erased, done.erased);
        unreadMessages += done.unread;
        images.push(...done.images);
      }
      for await (const key of finder.unreadMessages(subject)) note({ kind: 'message', key });
      // A receipt may belong to a message on its way. It is settled with it, or deleted after some days.
      const parked: number[] = [];
      if (erased.open === 0) {
        for await (const { parkedId } of finder.parked(subject, note)) parked.push(parkedId);
      }
      if (parked.length > 0) await store.privacy.unpark(parked);
      let setAside = 0;
      for await (const { id, cleaned } of finder.setAside(subject, note)) {
        await store.privacy.replaceSetAside(id, cleaned);
        setAside++;
      }
      const inbound = await store.inbound.erase(storedWritings(number), account);
      const optOuts = await finder.optOuts(subject);
      const ended = optOuts.filter(optOut => optOut.ended !== undefined);
      if (ended.length > 0) await store.optOuts.remove(ended.map(({ id }) => id));
      if (unread.length > 0) await store.privacy.leaveRest(order, unread, number);
      await store.privacy.lookedThrough(order);
      const { removed, kept } = withImages ? await removeImages(order, images) : await keepImages(images);
      const counts = {
        ...erased,
        parkedReceipts: parked.length,
        setAside,
        inbound,
        reserved,
        optOuts: ended.length,
        keptOptOuts: optOuts.length - ended.length,
        images: removed.size,
        unreadable: unread.length + unreadMessages,
      };
      const keptImages = [...kept].flatMap(([fileKey, reason]) =>
        removed.has(fileKey) ? [] : [{ fileKey, reason }],
      );
      const isScrubbed = await store.privacy.scrub();
      await store.privacy.endOrders(clock.now());
      return { order, counts, keptImages, isScrubbed };
    },

    async orders() {
      return (await store.privacy.orders(MOST_ORDERS)).map(orderView);
    },
  };
}

const NOT_NOW: ImageFate = {
  kind: 'later',
  reason: 'it could not be deleted now: the gateway will try again',
};
