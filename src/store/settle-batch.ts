/**
 * Settling a batch of events, the same for every engine.
 *
 * An engine reads what the batch refers to (and locks it), `settleBatch` works out in memory what changes, and the
 * engine writes the changes in the same transaction. Several events of one message in one batch become one write.
 *
 * Receipts find their message by the carrier's reference. A receipt whose reference is unknown is parked, never
 * dropped: the answer that names the reference may still come, and settles the receipt then. Several messages may have
 * the same reference: then the recipient decides, and of equals the one that has waited longest.
 *
 * References are registered under the carrier that was asked, even if the step has moved to another carrier or is over
 * by now: the receipt will still come.
 */

import type { FinalState } from '../domain/delivery/lifecycle.ts';
import { isOpen } from '../domain/delivery/parts.ts';
import type { HistoryEntry, LiveStep } from '../domain/delivery/settlement.ts';
import type { MsgKey } from '../domain/ids.ts';
import { DELIVERED, type ReportCode } from '../domain/reports/report-codes.ts';
import { lateRecordOf, type ReportRecord } from '../domain/reports/report-record.ts';
import { isSameNumber } from '../domain/request/phone-number.ts';
import type { Decide, QueueEvent, Settled, SettleResult, StepKey } from './port/queue-store.ts';

type StepQueueEvent = Extract<QueueEvent, { kind: 'step' }>;
export type Receipt = Extract<QueueEvent, { kind: 'receipt' }>;

/** What a carrier's reference belongs to: a part of an attempt. */
export interface RefTarget extends StepKey {
  readonly part: number;
  /** The recipient; empty where it was not kept. */
  readonly to: string;
}

/** A reference that an answer brought. */
export interface CarrierRef extends RefTarget {
  readonly carrier: string;
  readonly ref: string;
  readonly createdAt: number;
}

/** What a batch refers to, as read at the start of its transaction. */
export interface SettleContext {
  /** Messages on their way, by key; those of the batch's events and of its receipts' references. */
  readonly live: ReadonlyMap<MsgKey, LiveStep>;
  /** What the references in the receipts belong to, by `refKey`; the oldest first. */
  readonly refs: ReadonlyMap<string, readonly RefTarget[]>;
  /** Messages on their way that cannot be read: what is told of them waits. */
  readonly unreadable: ReadonlySet<MsgKey>;
  /** Parked receipts for the references that the answers bring, by `refKey`. */
  readonly parked: ReadonlyMap<string, readonly Receipt[]>;
  /** Steps that have ended, by `stepKey`. */
  readonly ended: ReadonlyMap<string, EndedStep>;
}

export interface EndedStep {
  readonly report: ReportRecord;
  /** See `endedAs`. */
  readonly code: ReportCode;
  /** A late success gets a record of its own. */
  readonly reportsLateDelivery: boolean;
}

export interface JobChange {
  readonly live: LiveStep;
  readonly dueAt: number;
}

/** The end of a whole message: the step that was its last, and what became of it. */
export interface MessageEnd {
  readonly state: FinalState | undefined;
  readonly step: number | undefined;
  readonly finishedAt: number | undefined;
}

/** What a message has while it is on its way. */
export const NOT_ENDED: MessageEnd = { state: undefined, step: undefined, finishedAt: undefined };

export interface MessageChange extends MessageEnd {
  readonly msgKey: MsgKey;
  /** Lines to add. */
  readonly history: readonly HistoryEntry[];
}

export interface SettleChanges {
  /** Messages still on their way and changed. */
  readonly jobs: readonly JobChange[];
  /** Messages that are over: their job goes. */
  readonly done: readonly MsgKey[];
  readonly messages: readonly MessageChange[];
  readonly reports: readonly ReportRecord[];
  readonly refs: readonly CarrierRef[];
  readonly park: readonly Receipt[];
  /** Parked receipts that have been used. */
  readonly unpark: readonly number[];
}

export const refKey = (carrier: string, ref: string): string => `${carrier}\n${ref}`;
export const stepKey = (msgKey: MsgKey, step: number): string => `${msgKey}/${step}`;

/** How a step ended, as far as is known: a late delivery in the message's history overrides its report. */
export function endedAs(step: number, reportCode: ReportCode, history: readonly HistoryEntry[]): ReportCode {
  const isDelivered = history.some(entry => entry.event === 'lateDelivery' && entry.step === step);
  return isDelivered ? DELIVERED : reportCode;
}

/** One call of `settle`. */
export interface SettleCall {
  readonly events: readonly QueueEvent[];
  readonly decide: Decide;
}

/** Settles the calls in their order; one result for each. */
export function settleBatch(
  context: SettleContext,
  calls: readonly SettleCall[],
  now: number,
): { changes: SettleChanges; results: SettleResult[] } {
  const batch = new SettlingBatch(context, now);
  const results = calls.map(call => batch.settle(call));
  return { changes: batch.changes(), results };
}

/** How long a receipt waits for a message to exactly its recipient, before the reference alone decides. */
const PATIENCE_MS = 30_000;

class SettlingBatch {
  readonly #context: SettleContext;
  readonly #now: number;
  #decide: Decide = () => ({ kind: 'ignored' });
  #enqueued = false;
  readonly #changed = new Map<MsgKey, JobChange | 'done'>();
  readonly #ends = new Map<MsgKey, MessageEnd>();
  readonly #history = new Map<MsgKey, HistoryEntry[]>();
  readonly #reports: ReportRecord[] = [];
  readonly #late: { readonly record: ReportRecord; readonly isReported: boolean }[] = [];
  readonly #ended = new Map<string, EndedStep>();
  readonly #refs = new Map<string, CarrierRef[]>();
  readonly #park = new Map<string, Receipt[]>();
  readonly #unpark = new Set<number>();

  constructor(context: SettleContext, now: number) {
    this.#context = context;
    this.#now = now;
  }

  settle({ events, decide }: SettleCall): SettleResult {
    this.#decide = decide;
    this.#enqueued = false;
    const reportsBefore = this.#reports.length;
    const lateBefore = this.#late.length;
    const settled = events.map(event => (event.kind === 'step' ? this.#answer(event) : this.#receipt(event)));
    return {
      settled,
      reports: this.#reports.slice(reportsBefore),
      late: this.#late.slice(lateBefore).map(({ record }) => record),
      enqueued: this.#enqueued,
    };
  }

  /** An answer to a submit, or a deadline. */
  #answer(event: StepQueueEvent): Settled {
    const live = this.#liveOf(event.msgKey);
    const asked = event.carrier;
    const refs = event.refs ?? [];
    if (asked !== undefined) this.#register(event, asked, live?.to ?? '');
    const running = live && runningAttempt(live, event);
    const settled = running ? this.#apply(running, event.event) : 'ignored';
    if (asked !== undefined) this.#deliverParked(asked, refs, live?.to);
    return settled;
  }

  #receipt(receipt: Receipt): Settled {
    const { about, carrier, event } = receipt;
    if (about) {
      if (this.#context.unreadable.has(about.msgKey)) return this.#leaveParked(receipt);
      if (receipt.parkedId !== undefined) this.#unpark.add(receipt.parkedId);
      const live = this.#liveOf(about.msgKey);
      if (live?.step !== about.step) return this.#afterTheEnd(about, receipt);
      return isOutdated(live, about, event) ? 'ignored' : this.#apply(live, event);
    }
    const key = refKey(carrier, receipt.ref);
    const ref = this.#targetOf(receipt, key);
    if (!ref || this.#context.unreadable.has(ref.msgKey)) return this.#leaveParked(receipt);
    if (receipt.parkedId !== undefined) this.#unpark.add(receipt.parkedId);
    const live = this.#liveOf(ref.msgKey);
    if (live?.step !== ref.step) return this.#afterTheEnd(ref, receipt);
    if (isOutdated(live, ref, event)) return 'ignored';
    const isOfPart = live.parts !== undefined && event.name === 'receivedDelivered';
    return this.#apply(live, isOfPart ? { ...event, part: ref.part } : event);
  }

  #leaveParked(receipt: Receipt): Settled {
    const { carrier, ref, parkedId } = receipt;
    if (parkedId === undefined) push(this.#park, refKey(carrier, ref), receipt);
    return 'parked';
  }

  /** Of everything that has the receipt's reference, what the receipt is about. */
  #targetOf({ to, parkedId, receivedAt }: Receipt, key: string): RefTarget | undefined {
    const known = [...(this.#context.refs.get(key) ?? []), ...(this.#refs.get(key) ?? [])];
    const matching =
      to === undefined ? known : known.filter(ref => ref.to === '' || isSameNumber(ref.to, to));
    // The answer that names the reference for this recipient may be on its way. If it does not come, the carrier has
    // its own way of writing recipients.
    const isPatient = parkedId === undefined || this.#now - receivedAt < PATIENCE_MS;
    const candidates = matching.length > 0 || isPatient ? matching : known;
    return candidates.find(ref => this.#awaits(ref)) ?? candidates.at(-1);
  }

  #awaits({ msgKey, step, part }: RefTarget): boolean {
    const live = this.#liveOf(msgKey);
    return live?.step === step && (live.parts === undefined || isOpen(live.parts, part));
  }

  changes(): SettleChanges {
    const jobs: JobChange[] = [];
    const done: MsgKey[] = [];
    for (const [msgKey, change] of this.#changed) {
      if (change === 'done') done.push(msgKey);
      else jobs.push(change);
    }
    const messages: MessageChange[] = [];
    for (const [msgKey, history] of this.#history) {
      messages.push({ msgKey, history, ...(this.#ends.get(msgKey) ?? NOT_ENDED) });
    }
    return {
      jobs,
      done,
      messages,
      reports: [
        ...this.#reports,
        ...this.#late.filter(({ isReported }) => isReported).map(({ record }) => record),
      ],
      refs: [...this.#refs.values()].flat(),
      park: [...this.#park.values()].flat(),
      unpark: [...this.#unpark],
    };
  }

  #apply(live: LiveStep, event: Parameters<Decide>[1]): Settled {
    const settlement = this.#decide(live, event);
    switch (settlement.kind) {
      case 'ignored':
        return 'ignored';
      case 'moved':
        this.#changed.set(live.msgKey, settlement);
        if (settlement.live.state === 'queued') this.#enqueued = true;
        if (settlement.history) push(this.#history, live.msgKey, settlement.history);
        return 'moved';
      case 'ended':
        this.#reports.push(settlement.report);
        this.#ended.set(stepKey(live.msgKey, live.step), {
          report: settlement.report,
          code: settlement.report.reportCode,
          // Of one batch with the receipt: too close to be worth a record of its own.
          reportsLateDelivery: false,
        });
        push(this.#history, live.msgKey, ...settlement.history);
        if (settlement.next) {
          this.#enqueued = true;
          this.#changed.set(live.msgKey, { live: settlement.next, dueAt: this.#now });
        } else {
          this.#changed.set(live.msgKey, 'done');
          const { state } = settlement;
          this.#ends.set(live.msgKey, { state, step: live.step, finishedAt: this.#now });
        }
        return 'ended';
    }
  }

  /** A receipt for a step that is over: a repetition, or a success that came late. */
  #afterTheEnd(ref: StepKey, receipt: Receipt): Settled {
    const key = stepKey(ref.msgKey, ref.step);
    const ended = this.#ended.get(key) ?? this.#context.ended.get(key);
    const isLate =
      receipt.event.name === 'receivedDelivered' && ended !== undefined && ended.code !== DELIVERED;
    if (!isLate || this.#hasLateDelivery(ref)) return 'ignored';
    const record = lateRecordOf(ended.report, receipt.event, this.#now);
    this.#late.push({ record, isReported: ended.reportsLateDelivery });
    push(this.#history, ref.msgKey, {
      at: this.#now,
      step: ref.step,
      attempt: ref.attempt,
      event: 'lateDelivery',
      carrier: receipt.carrier,
      code: DELIVERED,
    });
    return 'late';
  }

  #hasLateDelivery(ref: StepKey): boolean {
    const isSame = (entry: HistoryEntry) => entry.event === 'lateDelivery' && entry.step === ref.step;
    return this.#history.get(ref.msgKey)?.some(isSame) ?? false;
  }

  #register(event: StepQueueEvent, carrier: string, to: string): void {
    const { msgKey, step, attempt } = event;
    const createdAt = this.#now;
    for (const [part, ref] of event.refs?.entries() ?? []) {
      if (ref === undefined) continue;
      push(this.#refs, refKey(carrier, ref), { carrier, ref, msgKey, step, attempt, part, to, createdAt });
    }
  }

  /** Receipts that came before this answer, those for the same recipient. */
  #deliverParked(carrier: string, refs: readonly (string | undefined)[], to: string | undefined): void {
    const isForRecipient = (receipt: Receipt) =>
      receipt.to === undefined || to === undefined || isSameNumber(receipt.to, to);
    for (const ref of refs) {
      if (ref === undefined) continue;
      const key = refKey(carrier, ref);
      const stored = (this.#context.parked.get(key) ?? []).filter(
        receipt => isForRecipient(receipt) && !this.#unpark.has(receipt.parkedId ?? 0),
      );
      const fresh = this.#park.get(key) ?? [];
      if (stored.length + fresh.length === 0) continue;
      this.#park.set(
        key,
        fresh.filter(receipt => !isForRecipient(receipt)),
      );
      for (const receipt of [...stored, ...fresh.filter(isForRecipient)]) this.#receipt(receipt);
    }
  }

  #liveOf(msgKey: MsgKey): LiveStep | undefined {
    const change = this.#changed.get(msgKey);
    if (change === 'done') return undefined;
    return change?.live ?? this.#context.live.get(msgKey);
  }
}

/** Events that end a doubt because nothing was sent. */
const UNSENT: ReadonlySet<StepQueueEvent['event']['name']> = new Set([
  ...(['deferred', 'returned', 'rerouted', 'postponed', 'optedOut'] as const),
]);

/**
 * The step as the answer found it, if the answer is about its running attempt. One to an earlier attempt says nothing about
 * it. If the same attempt was claimed again, or waits to be made again, then only the news that the carrier took it still
 * counts: the first claimer may not give back what another holds.
 */
function runningAttempt(
  live: LiveStep,
  { step, attempt, claim, event }: StepQueueEvent,
): LiveStep | undefined {
  // It is about the message, at whichever step it is.
  if (event.name === 'cancelled') return live;
  if (live.step !== step) return undefined;
  const isTaken = event.name === 'accepted';
  const isToBeRepeated = live.state === 'queued' && live.repeatUntil !== undefined;
  if (isTaken && isToBeRepeated && live.attempt + 1 === attempt) return { ...live, attempt };
  if (live.attempt !== attempt) return undefined;
  // It says that this claim sent nothing; whether another did is not known.
  if (live.state === 'unknown' && UNSENT.has(event.name))
    return claim !== undefined && live.claim === claim ? live : undefined;
  return claim === undefined || live.claim === claim || isTaken ? live : undefined;
}

/** A failure of an earlier attempt does not fail the one that is under way. */
function isOutdated(live: LiveStep, { attempt }: StepKey, event: Receipt['event']): boolean {
  return event.name === 'receivedFailed' && attempt < live.attempt;
}

function push<K, V>(lists: Map<K, V[]>, key: K, ...values: V[]): void {
  const list = lists.get(key);
  if (list) list.push(...values);
  else lists.set(key, values);
}
