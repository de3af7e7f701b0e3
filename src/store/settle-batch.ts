/**
 * Settling a batch of events, the same for every engine.
 *
 * An engine reads what the batch refers to (and locks it), `settleBatch` works out in memory what changes, and the
 * engine writes the changes in the same transaction. Several events of one message in one batch become one write.
 *
 * Receipts find their message by the carrier's reference. A receipt whose reference is unknown is parked, never
 * dropped: the answer that names the reference may still come, and settles the receipt then. Which message a receipt is about,
 * and whether it counts, is in event-target.ts.
 *
 * References are registered under the carrier that was asked, even if the step has moved to another carrier or is over
 * by now: the receipt will still come.
 */

import type { FinalState } from '../domain/delivery/lifecycle.ts';
import { areAllDelivered, isOpen, type Parts, partsSent, withDelivered } from '../domain/delivery/parts.ts';
import { withRecipientOf } from '../domain/delivery/receipt-numbers.ts';
import type { HistoryEntry, LiveStep } from '../domain/delivery/settlement.ts';
import type { MsgKey } from '../domain/ids.ts';
import { DELIVERED, type ReportCode } from '../domain/reports/report-codes.ts';
import { lateRecordOf, type ReportRecord } from '../domain/reports/report-record.ts';
import { isOutdated, type Receipt, runningAttempt, type StepQueueEvent } from './event-target.ts';
import { parseHistory } from './history.ts';
import { REPETITION_MS } from './parked.ts';
import type { Decide, QueueEvent, Settled, SettleResult, StepKey } from './port/queue-store.ts';
import type { AnyRow } from './records/columns.ts';
import { reportOf } from './records/report-columns.ts';

/** What a carrier's reference belongs to: a part of an attempt. */
export interface RefTarget extends StepKey {
  readonly part: number;
  /** The recipient; empty where it was not kept. */
  readonly to: string;
}

/** What a receipt is about: a step as a whole, or one part of it. */
type ReceiptTarget = StepKey & Partial<Pick<RefTarget, 'part'>>;

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

export interface EndedStep extends Ending {
  readonly report: ReportRecord;
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

/** A receipt to park, and when it is looked at first. */
export type Parking = Receipt & { readonly lookAt: number };

export interface SettleChanges {
  /** Messages still on their way and changed. */
  readonly jobs: readonly JobChange[];
  /** Messages that are over: their job goes. */
  readonly done: readonly MsgKey[];
  readonly messages: readonly MessageChange[];
  readonly reports: readonly ReportRecord[];
  readonly refs: readonly CarrierRef[];
  readonly park: readonly Parking[];
  /** Parked receipts that have been used. */
  readonly unpark: readonly number[];
}

export const refKey = (carrier: string, ref: string): string => `${carrier}\n${ref}`;
export const stepKey = (msgKey: MsgKey, step: number): string => `${msgKey}/${step}`;

/** How a step ended, as far as is known by now. */
interface Ending {
  /** A late delivery in the message's history overrides the report. */
  readonly code: ReportCode;
  /** Receipts of its parts, those that came after the end included; undefined where it went out whole. */
  readonly parts: Parts | undefined;
  /** A receipt has come for it; of a step in parts, for one of them. */
  readonly hasReceipt: boolean;
  /** The attempt that an operator settled by hand. */
  readonly toldAttempt: number | undefined;
}

const RECEIVED: ReadonlySet<HistoryEntry['event']> = new Set([
  ...(['receivedDelivered', 'receivedFailed', 'latePart', 'lateDelivery', 'lateFailure'] as const),
]);

function endingOf(
  { step, reportCode }: Pick<ReportRecord, 'step' | 'reportCode'>,
  history: readonly HistoryEntry[],
): Ending {
  const ofStep = history.filter(entry => entry.step === step);
  const isDelivered = ofStep.some(({ event }) => event === 'lateDelivery');
  const told = ofStep.find(({ event }) => event === 'toldDelivered' || event === 'toldFailed');
  return {
    code: isDelivered ? DELIVERED : reportCode,
    parts: ofStep.findLast(({ parts }) => parts !== undefined)?.parts,
    hasReceipt: ofStep.some(({ event }) => RECEIVED.has(event)),
    toldAttempt: told?.attempt,
  };
}

/** A row of the ledger with the history of its message, and whether a late success gets a record. */
export function endedStepOf(row: AnyRow): EndedStep {
  const report = reportOf(row);
  const ending = endingOf(report, parseHistory(String(row.history)));
  return { report, ...ending, reportsLateDelivery: row.tells_late === 1 };
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
  readonly #park = new Map<string, Parking[]>();
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
    if (live?.step !== event.step) this.#answeredAfterTheEnd(event, partsSent(refs.length));
    const running = live && runningAttempt(live, event);
    const settled = running ? this.#apply(running, event.event) : 'ignored';
    if (asked !== undefined) this.#deliverParked(asked, refs, live?.to);
    return settled;
  }

  #receipt(receipt: Receipt): Settled {
    const target: ReceiptTarget | undefined = receipt.about ?? this.#targetOf(receipt);
    if (!target || this.#context.unreadable.has(target.msgKey)) return this.#leaveParked(receipt);
    if (receipt.parkedId !== undefined) this.#unpark.add(receipt.parkedId);
    const live = this.#liveOf(target.msgKey);
    if (live?.step !== target.step) return this.#afterTheEnd(target, receipt);
    if (isOutdated(live, target, receipt)) return 'ignored';
    const isOfPart = live.parts !== undefined && receipt.event.name === 'receivedDelivered';
    return this.#apply(
      live,
      isOfPart && target.part !== undefined ? { ...receipt.event, part: target.part } : receipt.event,
    );
  }

  #leaveParked(receipt: Receipt): Settled {
    const { carrier, ref, parkedId } = receipt;
    const key = refKey(carrier, ref);
    const isKnown = this.#context.refs.has(key) || this.#refs.has(key);
    const lookAt = receipt.receivedAt + (isKnown ? REPETITION_MS : 0);
    if (parkedId === undefined) push(this.#park, key, { ...receipt, lookAt });
    return 'parked';
  }

  /**
   * Of everything that has the receipt's reference, what the receipt is about. Where all of it has had its receipt, it may be
   * about a newer message whose answer is not stored yet: undefined until that would have come, then it is a repetition.
   */
  #targetOf(receipt: Receipt): RefTarget | undefined {
    const key = refKey(receipt.carrier, receipt.ref);
    const known = [...(this.#context.refs.get(key) ?? []), ...(this.#refs.get(key) ?? [])];
    const candidates = withRecipientOf(receipt, known);
    const isRepetition = this.#now - receipt.receivedAt >= REPETITION_MS;
    return (
      candidates.find(target => this.#awaits(target)) ??
      candidates.findLast(target => isRepetition || !this.#hasReceipt(target))
    );
  }

  #awaits({ msgKey, step, part }: RefTarget): boolean {
    const live = this.#liveOf(msgKey);
    return live?.step === step && (live.parts === undefined || isOpen(live.parts, part));
  }

  /** Of what does not await one. */
  #hasReceipt(target: RefTarget): boolean {
    const { msgKey, step, part } = target;
    if (this.#context.unreadable.has(msgKey)) return false;
    const ended = this.#endedOf(target);
    if (this.#liveOf(msgKey)?.step === step || !ended) return true;
    const isOpenPart = ended.code !== DELIVERED && ended.parts !== undefined && isOpen(ended.parts, part);
    return ended.hasReceipt && !isOpenPart;
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
    const settlement = this.#decide(live, event, this.#now);
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
          ...endingOf(settlement.report, settlement.history),
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

  /** A receipt for a step that is over: a repetition, a success that came late, or another end than an operator was told. */
  #afterTheEnd(target: ReceiptTarget, receipt: Receipt): Settled {
    const ended = this.#endedOf(target);
    if (!ended) return 'ignored';
    if (receipt.event.name === 'receivedFailed') {
      const { reportCode: code } = receipt.event;
      const isNews = ended.toldAttempt === target.attempt && !ended.hasReceipt && ended.code !== code;
      if (!isNews) return 'ignored';
      const { step, attempt } = target;
      this.#endedLater(
        target,
        { ...ended, hasReceipt: true },
        { at: this.#now, step, attempt, carrier: receipt.carrier, event: 'lateFailure', code },
      );
      return 'late';
    }
    if (ended.code === DELIVERED) return 'ignored';
    const isOfPart = ended.parts !== undefined && target.part !== undefined;
    const parts = isOfPart ? withDelivered(ended.parts, target.part) : '';
    if (parts === undefined) return 'ignored';
    const line = { at: this.#now, step: target.step, attempt: target.attempt, carrier: receipt.carrier };
    if (!areAllDelivered(parts)) {
      this.#endedLater(target, { ...ended, parts, hasReceipt: true }, { ...line, event: 'latePart', parts });
      return 'late';
    }
    const record = lateRecordOf(ended.report, receipt.event, this.#now);
    this.#late.push({ record, isReported: ended.reportsLateDelivery });
    this.#endedLater(
      target,
      { ...ended, code: DELIVERED, hasReceipt: true },
      { ...line, event: 'lateDelivery', code: DELIVERED },
    );
    return 'late';
  }

  /** An answer after the end of its step: from now on it is known how many parts must arrive, if any still may. */
  #answeredAfterTheEnd(event: StepQueueEvent, parts: Parts | undefined): void {
    const ended = this.#endedOf(event);
    if (parts === undefined || !ended || ended.parts !== undefined || ended.code === DELIVERED) return;
    const {
      step,
      attempt,
      carrier,
      event: { name },
    } = event;
    const line = {
      at: this.#now,
      step,
      attempt,
      event: name,
      ...(carrier !== undefined && { carrier }),
      parts,
    };
    this.#endedLater(event, { ...ended, parts }, line);
  }

  #endedOf({ msgKey, step }: StepKey): EndedStep | undefined {
    const key = stepKey(msgKey, step);
    return this.#ended.get(key) ?? this.#context.ended.get(key);
  }

  #endedLater({ msgKey, step }: StepKey, ended: EndedStep, line: HistoryEntry): void {
    this.#ended.set(stepKey(msgKey, step), ended);
    push(this.#history, msgKey, line);
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
    const isForRecipient = (receipt: Receipt) => withRecipientOf(receipt, [{ to: to ?? '' }]).length > 0;
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

function push<K, V>(lists: Map<K, V[]>, key: K, ...values: V[]): void {
  const list = lists.get(key);
  if (list) list.push(...values);
  else lists.set(key, values);
}
