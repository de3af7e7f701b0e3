/**
 * What an event does to a step: the one decision behind every submit answer, receipt and deadline.
 *
 * `settleStep` is pure. The store calls it inside the transaction that makes its result true.
 */

import { channelOf, familyOf } from '../channels/channel-table.ts';
import type { AccountId, MsgKey } from '../ids.ts';
import { CANCELLED, DELIVERED, type ReportCode, SILENCE_CODE } from '../reports/report-codes.ts';
import {
  describeStep,
  type ReceiptDetails,
  type ReportRecord,
  reportedDetails,
} from '../reports/report-record.ts';
import type { Words } from '../text/substitution.ts';
import type { DeadlineSettings } from './deadlines.ts';
import type { Flow } from './flow.ts';
import { type FinalState, isFinal, nextState, type StepState } from './lifecycle.ts';
import { OPTED_OUT_CODE } from './opt-out.ts';
import { areAllDelivered, type Parts, partsSent, withDelivered } from './parts.ts';
import { retryDelayMs } from './retry-policy.ts';
import type { ChooseRoute, RouteChoice } from './routing.ts';

/** A message on its way: the step it is at and how far that step has come. */
export interface LiveStep {
  readonly msgKey: MsgKey;
  readonly account: AccountId;
  readonly to: string;
  /** Values of the placeholders in the flow; undefined where the flow is sent as it is. */
  readonly words: Words | undefined;
  readonly ref: string | undefined;
  readonly groupKey: string | undefined;
  /** The trace of the client that it belongs to. */
  readonly traceparent?: string | undefined;
  readonly flow: Flow;
  readonly step: number;
  readonly state: StepState;
  /** Attempts made so far; the running one included. */
  readonly attempt: number;
  /** The carrier this step goes out by; see routing.ts. */
  readonly carrier: string;
  /** The claim that holds it; undefined while it is not claimed. */
  readonly claim: string | undefined;
  /**
   * Set while the running attempt may already have been taken and is to be made again: until then, and by this carrier only.
   */
  readonly repeatUntil: number | undefined;
  /** Receipts of its parts so far; undefined where it went out whole. */
  readonly parts: Parts | undefined;
  readonly submittedAt: number | undefined;
  /** Silence past this moment counts as the outcome. */
  readonly deadlineAt: number;
}

/** What happened to a step. */
export type StepEvent =
  /** `parts`: how many the carrier made of it. */
  | { readonly name: 'accepted'; readonly parts?: number }
  /** `why`: in the words of the carrier. */
  | {
      readonly name: 'refused';
      readonly reportCode: ReportCode;
      readonly why?: string;
      /** How many the carrier made of it, where it took some of them. */
      readonly parts?: number;
      /** By us: no carrier was asked. */
      readonly isUnasked?: true;
    }
  | {
      readonly name: 'deferred';
      readonly reportCode: ReportCode;
      readonly why?: string;
      readonly retryAfterMs?: number;
      /** It holds for every submit of this attempt. */
      readonly isNeverTaken?: true;
    }
  | { readonly name: 'lost'; readonly parts?: number }
  | { readonly name: 'returned'; readonly retryAfterMs: number }
  /** `until`: how long the carrier's promise to take the attempt once still holds. */
  | { readonly name: 'repeated'; readonly until: number; readonly retryAfterMs: number }
  | ({ readonly name: 'rerouted' } & RouteChoice)
  /** Its deadline moves with it: the time in between is not the carrier's. */
  | { readonly name: 'postponed'; readonly until: number }
  | { readonly name: 'optedOut' }
  /** `part`: the one that arrived; without it, all of them. */
  | ({ readonly name: 'receivedDelivered'; readonly part?: number } & ReceiptDetails)
  | ({ readonly name: 'receivedFailed'; readonly reportCode: ReportCode } & ReceiptDetails)
  /** `why`: as the operator gives it. */
  | { readonly name: 'toldDelivered'; readonly why?: string }
  | { readonly name: 'toldFailed'; readonly reportCode: ReportCode; readonly why?: string }
  /** `isUnasked`: it was claimed for an attempt that was not made. */
  | { readonly name: 'deadline'; readonly isUnasked?: true }
  | { readonly name: 'cancelled' };

/** One line of a message's history, for people. */
export interface HistoryEntry {
  readonly at: number;
  readonly step: number;
  readonly attempt: number;
  readonly event:
    | StepEvent['name']
    | 'routed'
    | 'latePart'
    | 'lateDelivery'
    /** The carrier has failed what an operator had settled by hand. */
    | 'lateFailure'
    | 'takenOver'
    | 'receiptAmbiguous';
  readonly carrier?: string;
  readonly code?: ReportCode;
  /** Why this carrier; why it refused; or why an operator settled it. */
  readonly why?: string;
  /** Of a step that was postponed: when it may go out. */
  readonly until?: number;
  /** Of a step in parts that ended without all of them delivered, and of what was heard later: the receipts so far. */
  readonly parts?: Parts;
}

export type Settlement =
  /** A duplicate, or an event that the state does not admit. */
  | { readonly kind: 'ignored' }
  /** The message stays on its way. */
  | {
      readonly kind: 'moved';
      readonly live: LiveStep;
      readonly dueAt: number;
      readonly history: HistoryEntry | undefined;
    }
  /** The step is over: its report record, and the next step if the flow goes on. */
  | {
      readonly kind: 'ended';
      readonly state: FinalState;
      readonly report: ReportRecord;
      readonly next: LiveStep | undefined;
      readonly history: readonly HistoryEntry[];
    };

/** How long a repetition waits after its carrier did not take it. */
const REPEAT_AGAIN_MS = 2_000;

export interface SettleRules {
  readonly now: number;
  /** Whether `now` is in doubt: no deadline has passed then. Never, if it is left out. */
  readonly isInDoubt?: () => boolean;
  readonly deadlines: DeadlineSettings;
  /** Chooses the carrier of a step that is enqueued. */
  readonly route: ChooseRoute;
  /** 0 to 1, see retry-policy.ts. */
  readonly jitter: number;
}

export function settleStep(live: LiveStep, given: StepEvent, rules: SettleRules): Settlement {
  const isToBeRepeated = live.repeatUntil !== undefined;
  const event = isToBeRepeated ? stillInDoubt(given) : given;
  if (live.state === 'unknown' && event.name === 'lost') return stillUnknown(live, event);
  if (live.state === 'queued' && event.name === 'accepted' && !isToBeRepeated) return { kind: 'ignored' };
  // The carrier may have taken it already.
  if (isToBeRepeated && event.name === 'cancelled') return { kind: 'ignored' };
  const state = nextState(live.state, event.name);
  if (state === undefined) return { kind: 'ignored' };
  const isUnmade = event.name === 'deadline' && event.isUnasked === true;
  const moved: LiveStep = { ...live, state, attempt: live.attempt - (isUnmade ? 1 : 0) };

  if (event.name === 'deferred') {
    const delayMs = retryDelayMs(live.attempt, rules.jitter, event.retryAfterMs);
    const dueAt = rules.now + (delayMs ?? 0);
    const history = historyOf(moved, event, rules.now);
    if (delayMs !== undefined && (dueAt < live.deadlineAt || rules.isInDoubt?.()))
      return { kind: 'moved', live: { ...moved, claim: undefined, repeatUntil: undefined }, dueAt, history };
    return endStep({ ...moved, state: 'failed' }, 'failed', event, rules);
  }
  if (event.name === 'rerouted') {
    const queued = { ...moved, carrier: event.carrier, attempt: live.attempt - 1, claim: undefined };
    const history = { ...historyOf(queued, event, rules.now), why: event.why };
    return { kind: 'moved', live: queued, dueAt: rules.now, history };
  }
  if (event.name === 'postponed') {
    const queued = {
      ...moved,
      attempt: live.attempt - 1,
      claim: undefined,
      deadlineAt: live.deadlineAt + Math.max(0, event.until - rules.now),
    };
    const history = { ...historyOf(queued, event, rules.now), until: event.until };
    return { kind: 'moved', live: queued, dueAt: event.until, history };
  }
  if (event.name === 'repeated') {
    const queued = { ...moved, attempt: live.attempt - 1, claim: undefined, repeatUntil: event.until };
    const history = historyOf(live, event, rules.now);
    return { kind: 'moved', live: queued, dueAt: rules.now + Math.ceil(event.retryAfterMs), history };
  }
  if (event.name === 'returned') {
    // No history: a carrier may be away for hours, and each return would add a line that tells nothing.
    const queued = { ...moved, attempt: live.attempt - 1, claim: undefined };
    return {
      kind: 'moved',
      live: queued,
      dueAt: rules.now + Math.ceil(event.retryAfterMs),
      history: undefined,
    };
  }
  if (event.name === 'receivedDelivered' && event.part !== undefined && live.parts !== undefined) {
    const parts = withDelivered(live.parts, event.part);
    if (parts === undefined) return { kind: 'ignored' };
    if (!areAllDelivered(parts)) {
      return { kind: 'moved', live: { ...live, parts }, dueAt: live.deadlineAt, history: undefined };
    }
  }
  if (isFinal(state)) return endStep(moved, state, event, rules);
  if (state === 'submitted') {
    // The common case writes no history of its own: the entry is made from `submittedAt` when the step ends.
    const submitted = {
      ...moved,
      submittedAt: rules.now,
      // After doubt, some parts may have arrived before the last was answered.
      parts: (live.state === 'unknown' ? live.parts : undefined) ?? partsOf(event),
      repeatUntil: undefined,
    };
    return { kind: 'moved', live: submitted, dueAt: live.deadlineAt, history: undefined };
  }
  const lost = { ...moved, parts: partsOf(event), repeatUntil: undefined };
  return { kind: 'moved', live: lost, dueAt: live.deadlineAt, history: historyOf(lost, event, rules.now) };
}

/**
 * When a carrier does not take a repetition, that says nothing about the first try, unless it knows: the step stays in doubt,
 * keeps its attempt and its carrier, and waits for the next turn.
 */
function stillInDoubt(event: StepEvent): StepEvent {
  // None of them undoes the first try.
  const isUnaskedRefusal = event.name === 'refused' && event.isUnasked;
  if (event.name === 'postponed' || event.name === 'optedOut' || isUnaskedRefusal) return { name: 'lost' };
  if (event.name !== 'deferred' && event.name !== 'rerouted') return event;
  if (event.name === 'deferred' && event.isNeverTaken) return event;
  const askedMs = 'retryAfterMs' in event ? event.retryAfterMs : undefined;
  return { name: 'returned', retryAfterMs: askedMs ?? REPEAT_AGAIN_MS };
}

/** Late answers of some parts: the message stays in doubt, and no single part's receipt decides for the whole any more. */
function stillUnknown(live: LiveStep, event: StepEvent): Settlement {
  const parts = live.parts ?? partsOf(event);
  if (parts === live.parts) return { kind: 'ignored' };
  return { kind: 'moved', live: { ...live, parts }, dueAt: live.deadlineAt, history: undefined };
}

function partsOf(event: StepEvent): Parts | undefined {
  return 'parts' in event && event.parts !== undefined ? partsSent(event.parts) : undefined;
}

function endStep(live: LiveStep, state: FinalState, event: StepEvent, rules: SettleRules): Settlement {
  const step = live.flow[live.step];
  if (step === undefined) throw new Error(`message ${live.msgKey} has no step ${live.step}`);
  const reportCode = reportCodeOf(event, familyOf(step.channel));
  const isOver = state === 'delivered' || event.name === 'cancelled';
  const nextStep = isOver ? undefined : live.flow[live.step + 1];
  const following = nextStep && {
    step: nextStep,
    route: rules.route({ account: live.account, channel: nextStep.channel, to: live.to }),
  };
  const parts = state === 'delivered' ? undefined : (live.parts ?? partsOf(event));
  const history: HistoryEntry[] = [
    { ...historyOf(live, event, rules.now, reportCode), ...(parts !== undefined && { parts }) },
  ];
  if (following) history.push(routedAt(live.step + 1, following.route, rules.now));
  if (live.submittedAt !== undefined) {
    history.unshift(historyOf(live, { name: 'accepted' }, live.submittedAt));
  }
  return {
    kind: 'ended',
    state,
    report: {
      msgKey: live.msgKey,
      account: live.account,
      step: live.step,
      ...describeStep(step),
      ...(live.parts !== undefined && { resCnt: String(live.parts.length) }),
      sentAt: live.submittedAt,
      reportedAt: rules.now,
      reportCode,
      ...reportedDetails(isReceipt(event) ? event : {}),
      ...(isReceipt(event) && event.resCnt !== undefined && { resCnt: event.resCnt }),
      ref: live.ref,
      groupKey: live.groupKey,
      traceparent: live.traceparent,
      isLast: nextStep === undefined,
    },
    next: following && {
      ...live,
      step: live.step + 1,
      state: 'queued',
      attempt: 0,
      carrier: following.route.carrier,
      claim: undefined,
      repeatUntil: undefined,
      parts: undefined,
      submittedAt: undefined,
      deadlineAt: rules.now + channelOf(following.step).deadlineMs(following.step, rules.deadlines),
    },
    history,
  };
}

function isReceipt(event: StepEvent): event is Extract<StepEvent, { name: `received${string}` }> {
  return event.name === 'receivedDelivered' || event.name === 'receivedFailed';
}

function reportCodeOf(event: StepEvent, family: ReturnType<typeof familyOf>): ReportCode {
  switch (event.name) {
    case 'receivedDelivered':
    case 'toldDelivered':
      return DELIVERED;
    case 'refused':
    case 'deferred':
    case 'receivedFailed':
    case 'toldFailed':
      return event.reportCode;
    case 'optedOut':
      return OPTED_OUT_CODE;
    case 'deadline':
      return SILENCE_CODE[family];
    case 'cancelled':
      return CANCELLED;
    case 'accepted':
    case 'lost':
    case 'returned':
    case 'repeated':
    case 'rerouted':
    case 'postponed':
      throw new Error(`a step cannot end by "${event.name}"`);
  }
}

/** Why a step goes out by its carrier. */
export function routedAt(step: number, { carrier, why }: RouteChoice, at: number): HistoryEntry {
  return { at, step, attempt: 0, event: 'routed', ...(carrier && { carrier }), why };
}

/** It was not the carrier's doing. */
function isUnasked(event: StepEvent): boolean {
  if (event.name === 'refused') return event.isUnasked === true;
  return event.name === 'optedOut' || event.name === 'cancelled';
}

function historyOf(live: LiveStep, event: StepEvent, at: number, code?: ReportCode): HistoryEntry {
  const reportCode = code ?? ('reportCode' in event ? event.reportCode : undefined);
  return {
    at,
    step: live.step,
    attempt: live.attempt,
    event: event.name,
    ...(live.carrier && !isUnasked(event) && { carrier: live.carrier }),
    ...(reportCode && { code: reportCode }),
    ...('why' in event && event.name !== 'rerouted' && event.why !== undefined && { why: event.why }),
  };
}
