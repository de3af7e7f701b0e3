/**
 * Carries out orders to erase: at once what can be done, and from then on, every minute, what is left of them.
 *
 * What an order has yet to do is stored before the step that may fail, and deleted after it, so that neither a crash nor a failure
 * loses it: images before the texts that name them are gone, and what could not be read.
 */
import type { FileKey, MsgKey, RequestId } from '../domain/ids.ts';
import { storedWritings } from '../domain/request/phone-number.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Clock } from '../platform/clock.ts';
import {
  type EndedSince,
  type Erased,
  type ErasureRest,
  type RestItem,
  type RestKind,
  type Store,
  UNREADABLE,
} from '../store/store.ts';
import { namedImages } from './named-images.ts';
import { cleaned, isOf, type Subject } from './recipient.ts';

/** Deletes an uploaded image, or says why it must stay. */
export type RemoveFile = (fileKey: FileKey) => Promise<unknown>;

/** What an order asks for. */
export interface Order {
  readonly id: string;
  readonly withImages: boolean;
  /** Undefined where the order has forgotten it. */
  readonly number: string | undefined;
}

export interface Eraser {
  /** Erases these messages, those on their way when they have ended; with the images that only their recipients got. */
  messages(
    order: Order,
    keys: readonly MsgKey[],
  ): Promise<{ readonly erased: Erased; readonly images: readonly ImageOf[]; readonly unread: number }>;
  /** Deletes an image if its text is gone. The order is done with it, unless it is `later`. */
  image(order: string, image: ImageOf): Promise<ImageFate>;
  /** What is left of all orders. Each part by itself: rejects with the first failure, when all have had their turn. */
  goOn(isStopped: () => boolean): Promise<void>;
}

/** An image with a message that names it. */
export interface ImageOf {
  readonly msgKey: MsgKey;
  readonly fileKey: FileKey;
}

export interface ImageFate {
  /** `shared`: others got the same text. `later`: the message has not ended, or it is not known whether others need the image. */
  readonly kind: 'removed' | 'shared' | 'stays' | 'later';
  /** Why it is still there, though its text is not. */
  readonly reason?: string | undefined;
}

const PAGE = 200;
/** So many failures of one run mean that the store is in trouble, and not its rows. */
const MOST_FAILED = 100;

export function createEraser(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly removeFile: RemoveFile;
}): Eraser {
  const { store, clock, removeFile } = deps;
  const { privacy } = store;

  async function messages({ id, withImages, number }: Order, keys: readonly MsgKey[]) {
    const { images: named, unread } = await namedImages(store, keys, clock.now());
    const images = [...named].flatMap(([msgKey, fileKeys]) => fileKeys.map(fileKey => ({ msgKey, fileKey })));
    if (withImages && images.length > 0) {
      await privacy.leaveRest(
        id,
        images.map(({ msgKey: key, fileKey }) => ({ kind: 'image', key, fileKey })),
      );
    }
    // Without its text nobody would know its images any more.
    const left = withImages && number !== undefined ? unread : [];
    if (left.length > 0) {
      const items = left.map((key): RestItem => ({ kind: 'message', key }));
      await privacy.leaveRest(id, items, number);
    }
    const readable = keys.filter(key => !left.includes(key));
    const writings = number === undefined ? [] : storedWritings(number);
    const erased = await privacy.erase(id, readable, clock.now(), writings);
    return { erased, images, unread: left.length };
  }

  async function image(order: string, { msgKey, fileKey }: ImageOf): Promise<ImageFate> {
    const text = await privacy.textFate(msgKey);
    if (text === 'there') return { kind: 'later' };
    const outcome = text === 'removed' ? await removeFile(fileKey) : undefined;
    const problem = outcome instanceof Problem ? outcome : undefined;
    if (problem?.retryAfterSeconds !== undefined) return { kind: 'later', reason: problem.result };
    await privacy.restDone({ order, kind: 'image', key: msgKey, fileKey });
    if (text === 'shared') return { kind: 'shared' };
    return problem && problem.status !== 404
      ? { kind: 'stays', reason: problem.result }
      : { kind: 'removed' };
  }

  /** Messages of a request to the number, which were a list of a reservation when they were to be erased. */
  async function messagesOf(rest: ErasureRest, number: string): Promise<MsgKey[]> {
    const { account } = rest;
    const keys: MsgKey[] = [];
    let before: MsgKey | undefined;
    do {
      const query = { request: rest.key as RequestId, limit: PAGE, ...(account && { account }) };
      const page = await store.search.find({ ...query, ...(before && { before }) });
      keys.push(...page.messages.filter(({ to }) => isOf(to, number)).map(({ msgKey }) => msgKey));
      before = page.next;
    } while (before !== undefined);
    return keys;
  }

  /** Each resolves to whether nothing is left of it. */
  const tasks: Readonly<
    Record<Exclude<RestKind, 'image'>, (rest: ErasureRest, subject: Subject) => Promise<boolean>>
  > = {
    async message(rest, { number, account }) {
      const key = rest.key as MsgKey;
      const { messages: found } = await store.search.find({ key, limit: 1, ...(account && { account }) });
      if (found[0]?.to === UNREADABLE) return false;
      if (!isOf(found[0]?.to, number)) return true;
      if (rest.withImages && !(await store.messages.find(key))) return false;
      await messages({ id: rest.order, withImages: rest.withImages, number }, [key]);
      return true;
    },
    async list(rest, { number, account }) {
      const list = { to: storedWritings(number), account, isRemoval: true, now: clock.now() };
      // Just below it: it is the first of the page, unless it is there no more.
      const after = rest.key.slice(0, -1) as RequestId;
      const { unreadable } = await store.reservations.ofRecipient({ ...list, after });
      if (unreadable.some(key => key === rest.key)) return false;
      const keys = await messagesOf(rest, number);
      await messages({ id: rest.order, withImages: rest.withImages, number }, keys);
      return true;
    },
    async receipt({ key }, { number }) {
      const { receipts, unreadable } = await privacy.parked(Number(key) - 1, 1);
      if (unreadable.includes(Number(key))) return false;
      const its = receipts.filter(({ parkedId, to }) => parkedId === Number(key) && isOf(to, number));
      if (its.length > 0) await privacy.unpark(its.map(({ parkedId }) => parkedId));
      return true;
    },
    async event({ key }, { number }) {
      const [entry] = await privacy.setAside(Number(key) - 1, 1);
      if (entry?.id !== Number(key)) return true;
      if (entry.event === UNREADABLE) return false;
      const event = cleaned(entry.event, number);
      if (event !== undefined) await privacy.replaceSetAside(entry.id, event);
      return true;
    },
  };

  async function goOnWith(rest: ErasureRest): Promise<void> {
    const { order, kind, key, fileKey, number, account } = rest;
    if (kind === 'image') {
      if (fileKey) await image(order, { msgKey: key as MsgKey, fileKey });
    } else if (number !== undefined && (await tasks[kind](rest, { number, account }))) {
      await privacy.restDone(rest);
    }
  }

  return {
    messages,
    image,
    async goOn(isStopped) {
      const failures: unknown[] = [];
      const isOver = () => isStopped() || failures.length >= MOST_FAILED;
      const attempt = async (task: () => Promise<unknown>) => {
        if (isOver()) return;
        try {
          await task();
        } catch (error) {
          failures.push(error);
        }
      };
      let ended: EndedSince | undefined;
      for (let isMore = true; isMore; ) {
        const page = await privacy.endedSince(ended, PAGE);
        for (const { order: id, msgKey, withImages } of page) {
          await attempt(() => messages({ id, withImages, number: undefined }, [msgKey]));
        }
        ended = page.at(-1);
        isMore = page.length === PAGE && !isOver();
      }
      let rest: ErasureRest | undefined;
      for (let isMore = true; isMore; ) {
        const page = await privacy.rest(rest, PAGE);
        for (const item of page) await attempt(() => goOnWith(item));
        rest = page.at(-1);
        isMore = page.length === PAGE && !isOver();
      }
      await attempt(() => privacy.scrub());
      await attempt(() => privacy.endOrders(clock.now()));
      if (failures.length > 0) throw failures[0];
    },
  };
}
