/** What a carrier's answer to a submit means for the step. What becomes of the step then is decided in settlement.ts. */
import type { SubmitAnswer } from '../carriers/carrier.ts';
import { type ChooseRoute, UNROUTED } from '../domain/delivery/routing.ts';
import type { LiveStep, StepEvent } from '../domain/delivery/settlement.ts';
import type { Clock } from '../platform/clock.ts';
import type { CarrierGate } from './carrier-gate.ts';
import { stepOf } from './prepare-step.ts';

/** How long a step waits that its carrier turned away without naming a time. */
const TURNED_AWAY_MS = 1000;
/** The same where the carrier throttles: the pace decides when it goes out, this only keeps it from coming back at once. */
const THROTTLED_MS = 200;
/** A step waits no longer than this for a pause of its carrier, which the gate keeps: another carrier may take it before. */
const LONGEST_WAIT_MS = 5000;

/** The first wait before an attempt without an answer is made again. */
const FIRST_REPEAT_MS = 2000;

type Refusal = Extract<SubmitAnswer, { readonly kind: 'temporary' }>;
/** `sentAt`: when it was submitted, by the monotonic clock. */
export type EventOfAnswer = (live: LiveStep, answer: SubmitAnswer, sentAt: number) => StepEvent;

export function createEventOfAnswer(deps: {
  readonly carrier: string;
  readonly gate: CarrierGate;
  readonly clock: Clock;
  readonly route: ChooseRoute;
  /** See `CarrierCapabilities`. */
  readonly repeatableForMs: number;
}): EventOfAnswer {
  const { carrier, gate, clock, route, repeatableForMs } = deps;

  return (live, answer, sentAt) => {
    tellGate(gate, answer, sentAt, clock.monotonic());
    if (answer.kind === 'temporary' && answer.isCarriersFault) return eventOfFault(live, answer);
    if (answer.kind === 'temporary') {
      const { reportCode, detail, retryAfterMs, isNeverTaken } = answer;
      return {
        ...{ name: 'deferred', reportCode },
        ...(detail !== undefined && { why: detail }),
        ...(retryAfterMs !== undefined && { retryAfterMs }),
        ...(isNeverTaken && { isNeverTaken }),
      };
    }
    const repetition =
      answer.kind === 'unknown' && answer.isUnanswered ? repetitionOf(live, sentAt) : undefined;
    return repetition ?? eventOfFinalAnswer(answer);
  };

  /** The same attempt by the same carrier, while its promise lasts. Each wait is as long as the time since the first try. */
  function repetitionOf(live: LiveStep, sentAt: number): StepEvent | undefined {
    const now = clock.now();
    const until = live.repeatUntil ?? now - (clock.monotonic() - sentAt) + repeatableForMs;
    const sinceFirstMs = now - (until - repeatableForMs);
    const retryAfterMs = Math.max(FIRST_REPEAT_MS, sinceFirstMs);
    return now + retryAfterMs < until ? { name: 'repeated', until, retryAfterMs } : undefined;
  }

  /** The carrier has not taken it, for reasons of its own: another may, or it waits here for its next turn. */
  function eventOfFault(live: LiveStep, { isThrottled, retryAfterMs }: Refusal): StepEvent {
    const waitMs = retryAfterMs ?? (isThrottled ? THROTTLED_MS : TURNED_AWAY_MS);
    if (!gate.isAvailable(clock.monotonic())) {
      const { account, to } = live;
      const choice = route({ account, channel: stepOf(live).channel, to });
      const isElsewhere = choice.carrier !== carrier && choice.carrier !== UNROUTED;
      if (isElsewhere) return { name: 'rerouted', ...choice };
    }
    return { name: 'returned', retryAfterMs: Math.min(LONGEST_WAIT_MS, waitMs) };
  }
}

/** What the gate learns from the answer to a submit of `sentAt`. */
export function tellGate(gate: CarrierGate, answer: SubmitAnswer, sentAt: number, now: number): void {
  if (answer.isToldBefore || (answer.kind === 'permanent' && answer.isUnasked)) return;
  const isOwnTrouble = answer.kind === 'temporary' && answer.isCarriersFault;
  const pauseMs = answer.pauseMs ?? (isOwnTrouble ? answer.retryAfterMs : undefined);
  if (pauseMs !== undefined && pauseMs > 0) gate.askedToWait(pauseMs, sentAt, now);
  if (answer.kind === 'accepted' || answer.kind === 'permanent') {
    gate.taken(sentAt);
    return;
  }
  const fault = faultOf(answer);
  if (answer.kind === 'temporary') gate.notTaken(sentAt, now, fault);
  else if (fault !== undefined) gate.lost(sentAt, now, fault);
}

/** Why it is the carrier's fault, for people. */
function faultOf(
  answer: Extract<SubmitAnswer, { readonly kind: 'temporary' | 'unknown' }>,
): string | undefined {
  if (answer.fault !== undefined) return answer.fault;
  if (answer.kind === 'unknown') return answer.isUnanswered ? 'submits are not answered' : undefined;
  const { isCarriersFault, isThrottled, detail, reportCode } = answer;
  return isCarriersFault && !isThrottled ? `it refuses messages: ${detail ?? reportCode}` : undefined;
}

/** The event of an answer after which this attempt is not made again. */
export function eventOfFinalAnswer(answer: Exclude<SubmitAnswer, { readonly kind: 'temporary' }>): StepEvent {
  switch (answer.kind) {
    case 'accepted':
      return { name: 'accepted', parts: answer.refs.length };
    case 'permanent':
      return {
        name: 'refused',
        reportCode: answer.reportCode,
        ...(answer.detail !== undefined && { why: answer.detail }),
        ...(answer.refs && { parts: answer.refs.length }),
        ...(answer.isUnasked && { isUnasked: true }),
      };
    case 'unknown':
      return { name: 'lost', ...(answer.refs && { parts: answer.refs.length }) };
  }
}
