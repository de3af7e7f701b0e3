/**
 * Receipts with a reference that was lost when a node died.
 *
 * The answers that a killed node had not stored are lost: its steps are in doubt, and their receipts are parked under
 * references that no step has. A parked receipt with the carrier, sender and recipient of exactly one step in doubt belongs
 * to that step. Where several match, nothing is guessed: they wait, and their timelines say so. A step that ended in doubt may
 * match as well, if a later one of its message is in doubt now.
 */

import { channelOf } from '../domain/channels/channel-table.ts';
import { countOpen } from '../domain/delivery/parts.ts';
import type { HistoryEntry } from '../domain/delivery/settlement.ts';
import type { MsgKey } from '../domain/ids.ts';
import { isSameNumber, significantTail } from '../domain/request/phone-number.ts';
import { segmentText } from '../domain/text/sms-segments.ts';
import { renderStep } from '../domain/text/substitution.ts';
import type { Clock } from '../platform/clock.ts';
import type { DoubtfulStep, ParkedReceipt, Store } from '../store/store.ts';
import type { Settle } from './settle.ts';

/** The answer that names the reference may still come. */
const PATIENCE_MS = 30_000;
/** With more steps in doubt than this the youngest wait until the oldest have ended. */
const MOST_AT_ONCE = 10_000;

export class OrphanReceipts {
  readonly #store: Store;
  readonly #settle: Settle;
  readonly #clock: Clock;
  /** Messages whose timeline says that several receipts or steps fit. */
  readonly #noted = new Set<MsgKey>();

  constructor(deps: { readonly store: Store; readonly settle: Settle; readonly clock: Clock }) {
    this.#store = deps.store;
    this.#settle = deps.settle;
    this.#clock = deps.clock;
  }

  async match(): Promise<void> {
    const steps = await this.#store.queue.doubtful(MOST_AT_ONCE);
    if (steps.length === 0) {
      this.#noted.clear();
      return;
    }
    const byCarrier = Map.groupBy(steps, step => step.carrier);
    for (const [carrier, ofCarrier] of byCarrier) {
      const byRecipient = Map.groupBy(ofCarrier, step => significantTail(step.to));
      const tails = [...byRecipient.keys()].filter(tail => tail !== undefined);
      const before = this.#clock.now() - PATIENCE_MS;
      const receipts = Map.groupBy(await this.#store.queue.parkedFor(carrier, tails, before), tailOf);
      for (const [tail, parked] of receipts) {
        const rivals = byRecipient.get(tail) ?? [];
        for (const step of rivals) await this.#adopt(step, rivals, parked);
      }
    }
  }

  /** `steps`: all steps in doubt to this recipient; `receipts`: all that are parked for it. */
  async #adopt(
    step: DoubtfulStep,
    steps: readonly DoubtfulStep[],
    receipts: readonly ParkedReceipt[],
  ): Promise<void> {
    const fitting = receipts.filter(receipt => isOfSender(receipt, step));
    if (fitting.length === 0) return;
    const rivals = steps.filter(other => fitting.some(receipt => isOfSender(receipt, other)));
    const refs = new Set(fitting.map(({ ref }) => ref));
    // Every part of a text must have arrived; receipts of some parts may have come under known references.
    const missing = step.parts === undefined ? partsOf(step) : countOpen(step.parts);
    if (rivals.length > 1 || refs.size > missing || (await this.#fitsEarlierStep(step, fitting))) {
      await this.#note(step);
      return;
    }
    const failed = fitting.find(({ event }) => event.name === 'receivedFailed');
    if (!failed && refs.size < missing) return;
    const { msgKey, step: index, attempt } = step;
    const about = { msgKey, step: index, attempt };
    await this.#settle((failed ? [failed, ...fitting] : fitting).map(receipt => ({ ...receipt, about })));
  }

  /** Whether one of the receipts may be about an earlier step of the message, which ended in doubt at the same carrier. */
  async #fitsEarlierStep(step: DoubtfulStep, receipts: readonly ParkedReceipt[]): Promise<boolean> {
    const earlier = step.flow.slice(0, step.step).map((_, index) => ({ ...step, step: index }));
    const ofSender = earlier.filter(other => receipts.some(receipt => isOfSender(receipt, other)));
    if (ofSender.length === 0) return false;
    const history = (await this.#store.messages.find(step.msgKey))?.history ?? [];
    return ofSender.some(other => hasEndedInDoubt(other, history));
  }

  /** Once for each message, whichever node does it first. */
  async #note({ msgKey, step, attempt, carrier }: DoubtfulStep): Promise<void> {
    if (this.#noted.has(msgKey)) return;
    this.#noted.add(msgKey);
    const event: HistoryEntry['event'] = 'receiptAmbiguous';
    const view = await this.#store.messages.find(msgKey);
    if (view?.history.some(entry => entry.event === event && entry.step === step)) return;
    await this.#store.queue.note(msgKey, { at: this.#clock.now(), step, attempt, event, carrier });
  }
}

/** Its time was over while it was not known whether the carrier had taken the last attempt. */
function hasEndedInDoubt({ step, carrier }: DoubtfulStep, history: readonly HistoryEntry[]): boolean {
  const ofStep = history.filter(entry => entry.step === step);
  const end = ofStep.find(({ event }) => event === 'deadline');
  if (end === undefined || end.carrier !== carrier || end.attempt === 0) return false;
  return !ofStep.some(
    ({ event, attempt }) => attempt === end.attempt && (event === 'accepted' || event === 'deferred'),
  );
}

function tailOf({ to }: ParkedReceipt): string | undefined {
  return to === undefined ? undefined : significantTail(to);
}

function isOfSender({ from }: ParkedReceipt, step: DoubtfulStep): boolean {
  const sender = senderOf(step);
  if (from === undefined || sender === undefined) return false;
  return from === sender || isSameNumber(from, sender);
}

function senderOf({ flow, step }: DoubtfulStep): string | undefined {
  const message = flow[step];
  return message && 'from' in message ? message.from : undefined;
}

function partsOf({ flow, step, words }: DoubtfulStep): number {
  const message = flow[step];
  if (!message) return 1;
  const text = channelOf(message).textInParts?.(renderStep(message, words));
  return text === undefined ? 1 : segmentText(text).parts.length;
}
