/**
 * Receipts whose reference no step has, because the answer that named it was lost: with the link, or with a node that died.
 *
 * Such a receipt is parked. It may be about a step in doubt with its carrier, sender and recipient, if it came after that
 * step was claimed. It settles the step half a minute after it came, if
 *
 *   - it can be about no other step to this recipient: each has had its receipts, or has none to come
 *   - it repeats no receipt of another message to this recipient: none has its reference
 *   - it can be about no message that a restore of the store has lost: none was restored in the four days before it came
 *   - there are as many references as the carrier made parts of the text; one failure is enough to fail
 *
 * It may have come by another carrier that brings the receipts of this one (`receiptsOf`). Then it may be about the steps of each
 * carrier whose receipts come that way.
 *
 * Otherwise nothing is guessed: receipts and steps wait, and the timelines of the steps say so. How many parts there are is known
 * from the answer or, where there was none, from the carrier, so only a node that runs it looks.
 */

import type { Flow, Step } from '../domain/delivery/flow.ts';
import { mayOweReceipt } from '../domain/delivery/owed-receipts.ts';
import { countOpen } from '../domain/delivery/parts.ts';
import type { HistoryEntry } from '../domain/delivery/settlement.ts';
import { stepInFlow } from '../domain/delivery/step-in-flow.ts';
import type { MsgKey } from '../domain/ids.ts';
import {
  canonicalNumber,
  isSameNumber,
  significantTail,
  storedWritings,
} from '../domain/request/phone-number.ts';
import type { Clock } from '../platform/clock.ts';
import type { DoubtfulStep, MessageView, ParkedReceipt, Store } from '../store/store.ts';
import type { ReceiptsOf } from './receipt-owners.ts';
import type { Settle } from './settle.ts';

/** The answer that names the reference may still come. */
const PATIENCE_MS = 30_000;
/** With more steps in doubt than this the youngest wait until the oldest have ended. */
const MOST_AT_ONCE = 10_000;
/** A step that several receipts or steps fit is looked at again after so long. */
const LOOK_AGAIN_MS = 60_000;
/** Our choice: no carrier sends the receipt of a step that ended longer ago. */
const LATEST_RECEIPT_MS = 4 * 24 * 3_600_000;
/** A recipient of more messages than this is that of no person: nothing is settled. */
const MOST_MESSAGES = 1000;
const PAGE = 100;
/** Reservations that went out early have keys from the future. */
const KEYS_AHEAD_MS = 120_000;

/** How many parts a carrier makes of a message; undefined where this node does not run it. */
export type PartsOf = (carrier: string, message: Step) => number | undefined;

interface Deps {
  readonly store: Store;
  readonly settle: Settle;
  readonly clock: Clock;
  readonly partsOf: PartsOf;
  readonly receiptsOf: () => ReceiptsOf;
}

/** The carriers by which receipts of a carrier may come, and those whose receipts may come by any of these. */
interface Ways {
  readonly by: readonly string[];
  readonly of: readonly string[];
}

export class OrphanReceipts {
  readonly #store: Store;
  readonly #settle: Settle;
  readonly #clock: Clock;
  readonly #partsOf: PartsOf;
  readonly #receiptsOf: () => ReceiptsOf;
  /** Messages whose timeline says that several receipts or steps fit, and when they were looked at. */
  readonly #noted = new Map<MsgKey, number>();

  constructor({ store, settle, clock, partsOf, receiptsOf }: Deps) {
    this.#store = store;
    this.#settle = settle;
    this.#clock = clock;
    this.#partsOf = partsOf;
    this.#receiptsOf = receiptsOf;
  }

  async match(): Promise<void> {
    const steps = await this.#store.queue.doubtful(MOST_AT_ONCE);
    if (steps.length === 0) {
      this.#noted.clear();
      return;
    }
    const now = this.#clock.now();
    const due = steps.filter(({ msgKey }) => now - (this.#noted.get(msgKey) ?? 0) >= LOOK_AGAIN_MS);
    for (const [carrier, ofCarrier] of Map.groupBy(due, step => step.carrier)) {
      const byRecipient = Map.groupBy(ofCarrier, step => canonicalNumber(step.to));
      const tails = ofCarrier.flatMap(step => significantTail(step.to) ?? []);
      const ways = this.#waysOf(carrier);
      const parked = await Promise.all(
        ways.by.map(name => this.#store.queue.parkedFor(name, [...new Set(tails)], now - PATIENCE_MS)),
      );
      for (const [number, receipts] of Map.groupBy(parked.flat(), ({ to = '' }) => canonicalNumber(to))) {
        if (number !== undefined)
          await this.#adoptEach(number, byRecipient.get(number) ?? [], receipts, ways);
      }
    }
  }

  #waysOf(carrier: string): Ways {
    const receiptsOf = this.#receiptsOf();
    const others = [...receiptsOf].flatMap(([name, brought]) => (brought.includes(carrier) ? [name] : []));
    const by = [...new Set([carrier, ...others])];
    return { by, of: [...new Set(by.flatMap(name => [name, ...(receiptsOf.get(name) ?? [])]))] };
  }

  /** `receipts`: all that are parked for this recipient. */
  async #adoptEach(
    number: string,
    steps: readonly DoubtfulStep[],
    receipts: readonly ParkedReceipt[],
    ways: Ways,
  ): Promise<void> {
    const fitting = receipts.filter(receipt => steps.some(step => fits(receipt, step)));
    if (fitting.length === 0) return;
    if (await this.#mayBeOfLostMessage(fitting)) {
      for (const step of steps) if (fitting.some(receipt => fits(receipt, step))) await this.#note(step);
      return;
    }
    const messages = await this.#messagesTo(number, Math.max(...fitting.map(({ receivedAt }) => receivedAt)));
    for (const step of steps) await this.#adopt(step, messages, fitting, ways);
  }

  /** A restored store does not have what was sent after its backup. */
  async #mayBeOfLostMessage(receipts: readonly ParkedReceipt[]): Promise<boolean> {
    const restoredAt = await this.#store.upkeep.restoredAt();
    if (restoredAt === undefined) return false;
    return receipts.some(({ receivedAt }) => receivedAt < restoredAt + LATEST_RECEIPT_MS);
  }

  /** `messages`: all to this recipient; undefined if that is not known. */
  async #adopt(
    step: DoubtfulStep,
    messages: readonly MessageView[] | undefined,
    receipts: readonly ParkedReceipt[],
    ways: Ways,
  ): Promise<void> {
    const fitting = receipts.filter(receipt => fits(receipt, step));
    if (fitting.length === 0) return;
    const refs = new Set(fitting.map(({ ref }) => ref));
    const missing = this.#missingParts(step);
    if (missing === undefined) return;
    const mayFitAnother =
      refs.size > missing ||
      messages === undefined ||
      messages.some(message => hasRival(message, step, fitting, ways)) ||
      (await this.#mayRepeat(step, [...refs], ways));
    if (mayFitAnother) {
      await this.#note(step);
      return;
    }
    const failed = fitting.find(({ event }) => event.name === 'receivedFailed');
    if (!failed && refs.size < missing) return;
    const { msgKey, step: index, attempt, carrier } = step;
    const about = { msgKey, step: index, attempt };
    await this.#settle(
      (failed ? [failed, ...fitting] : fitting).map(receipt => ({ ...receipt, carrier, about })),
    );
  }

  /** Those that a receipt may be about that came until then; undefined if there are too many, or one cannot be read. */
  async #messagesTo(number: string, until: number): Promise<readonly MessageView[] | undefined> {
    const to = storedWritings(number);
    const found: MessageView[] = [];
    for (const span of [{ until: until + 1 }, { from: until + KEYS_AHEAD_MS }]) {
      let before: MsgKey | undefined;
      do {
        const query = { to, limit: PAGE, ...span, ...(before && { before }) };
        const { messages, next } = await this.#store.search.find(query);
        for (const { msgKey, finishedAt } of messages) {
          if (finishedAt !== undefined && finishedAt < until - LATEST_RECEIPT_MS) continue;
          if (found.length === MOST_MESSAGES) return undefined;
          const view = await this.#store.messages.find(msgKey);
          if (!view) return undefined;
          found.push(view);
        }
        before = next;
      } while (before !== undefined);
    }
    return found;
  }

  /** Receipts of the other parts may have come under references that are known. */
  #missingParts({ parts, carrier, flow, step, words }: DoubtfulStep): number | undefined {
    if (parts !== undefined) return countOpen(parts);
    const sent = stepInFlow(flow, step, words);
    return sent && this.#partsOf(carrier, sent.step);
  }

  /** Whether one of the references is that of a message to this recipient. */
  async #mayRepeat({ to }: DoubtfulStep, refs: readonly string[], ways: Ways): Promise<boolean> {
    const known = await Promise.all(ways.of.map(carrier => this.#store.queue.knownRefs(carrier, refs)));
    const recipients = known.flatMap(each => [...each.values()].flat());
    return recipients.some(recipient => recipient === '' || isSameNumber(recipient, to));
  }

  /** Once for each message, whichever node does it first. */
  async #note({ msgKey, step, attempt, carrier }: DoubtfulStep): Promise<void> {
    const isNoted = this.#noted.has(msgKey);
    this.#noted.set(msgKey, this.#clock.now());
    if (isNoted) return;
    const event: HistoryEntry['event'] = 'receiptAmbiguous';
    const view = await this.#store.messages.find(msgKey);
    if (view?.history.some(entry => entry.event === event && entry.step === step)) return;
    await this.#store.queue.note(msgKey, { at: this.#clock.now(), step, attempt, event, carrier });
  }
}

/** Whether a receipt may be about another step than this one. */
function hasRival(
  message: MessageView,
  { msgKey, step }: DoubtfulStep,
  receipts: readonly ParkedReceipt[],
  ways: Ways,
): boolean {
  return message.flow.some((_, index) => {
    if (message.msgKey === msgKey && index === step) return false;
    const began = message.history.find(entry => entry.step === index)?.at;
    if (began === undefined || !ways.of.some(carrier => mayOweReceipt(message, index, carrier))) return false;
    // Without its texts, its sender is not known any more.
    const isOfAnySender = message.textRemovedAt !== undefined;
    const sender = senderOf(message.flow, index);
    return receipts.some(
      receipt => receipt.receivedAt >= began && (isOfAnySender || isOfSender(receipt, sender)),
    );
  });
}

function fits(receipt: ParkedReceipt, { flow, step, claimedAt }: DoubtfulStep): boolean {
  return receipt.receivedAt >= claimedAt && isOfSender(receipt, senderOf(flow, step));
}

function isOfSender({ from }: ParkedReceipt, sender: string | undefined): boolean {
  if (from === undefined || sender === undefined) return false;
  return from === sender || isSameNumber(from, sender);
}

function senderOf(flow: Flow, step: number): string | undefined {
  const message = flow[step];
  return message && 'from' in message ? message.from : undefined;
}
