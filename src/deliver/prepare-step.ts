/** Prepares a claimed step for its carrier: the result is a submission, or an event that ends or puts off the attempt. */
import type { Carrier, Submission } from '../carriers/carrier.ts';
import { channelOf, familyOf } from '../domain/channels/channel-table.ts';
import type { Step } from '../domain/delivery/flow.ts';
import type { LiveStep, StepEvent } from '../domain/delivery/settlement.ts';
import { stepInFlow } from '../domain/delivery/step-in-flow.ts';
import { attemptIdOf } from '../domain/ids.ts';
import { NO_ROUTE_CODE, type ReportCode } from '../domain/reports/report-codes.ts';
import type { Events } from '../observe/events.ts';
import type { Clock } from '../platform/clock.ts';
import { StoreFault, UnreadableRecord } from '../store/store-fault.ts';
import type { StepCheck } from './step-check.ts';

/** A step on its way to the carrier. */
export interface PreparedStep {
  readonly live: LiveStep;
  readonly submission: Submission;
  readonly parts: number;
}

export type PrepareStep = (live: LiveStep, now: number) => Promise<PreparedStep | StepEvent>;

const INTERNAL_FAILURE: ReportCode = '90000';
/** How long a step waits that could not be prepared because the store was away. */
const STORE_AWAY_MS = 1000;
/** And one whose account cannot be read: until somebody has mended it, or the step has expired. */
const UNREADABLE_MS = 60_000;
/** How long one waits whose deadline has passed by a clock that cannot be trusted. */
const CLOCK_IN_DOUBT_MS = 60_000;

export function createPrepareStep(deps: {
  readonly carrier: Carrier;
  readonly clock: Clock;
  readonly events: Events;
  readonly check: StepCheck;
}): PrepareStep {
  const { carrier, clock, events, check } = deps;
  const { channels, repeatableForMs } = carrier.capabilities;

  return async (live, now) => {
    try {
      const refusal = refusalOf(live, now);
      if (refusal) return refusal;
      const sent = stepInFlow(live.flow, live.step, live.words) ?? missingStep(live);
      const objection = check(live, sent, now);
      const event = objection && (await objection);
      if (event) return event;
      const submission = submissionOf(live, sent.step, now);
      return { live, submission, parts: carrier.partsOf(submission.message) };
    } catch (error) {
      events.failed('prepare', error, { msgKey: live.msgKey });
      if (error instanceof StoreFault) return { name: 'returned', retryAfterMs: STORE_AWAY_MS };
      if (error instanceof UnreadableRecord) return { name: 'returned', retryAfterMs: UNREADABLE_MS };
      // A message that can never be prepared must not hold up the lane, nor be tried for ever.
      return { name: 'refused', reportCode: INTERNAL_FAILURE, isUnasked: true };
    }
  };

  /** Why a step need not, or must not, be submitted. */
  function refusalOf(live: LiveStep, now: number): StepEvent | undefined {
    if (live.deadlineAt <= now) {
      return clock.trusted() === undefined
        ? { name: 'returned', retryAfterMs: CLOCK_IN_DOUBT_MS }
        : { name: 'deadline', isUnasked: true };
    }
    if (!isWithinPromise(live, now)) return { name: 'lost' };
    const { channel } = stepOf(live);
    return channels.includes(channel)
      ? undefined
      : { name: 'refused', reportCode: NO_ROUTE_CODE[familyOf(channel)], isUnasked: true };
  }

  /**
   * After its promise has ended, the provider may have forgotten the attempt and would send it twice. With more time left
   * than it ever promised, the clock was set back, and the age of the attempt is unknown.
   */
  function isWithinPromise({ repeatUntil }: LiveStep, now: number): boolean {
    if (repeatUntil === undefined) return true;
    const leftMs = repeatUntil - now;
    return leftMs > 0 && leftMs <= repeatableForMs;
  }
}

function submissionOf(live: LiveStep, message: Step, now: number): Submission {
  const { msgKey, step, attempt, account, to, deadlineAt, traceparent } = live;
  return {
    attemptId: attemptIdOf(msgKey, step, attempt),
    account,
    to,
    attempt,
    message,
    // What is left: a later attempt must not be delivered after the step was reported as expired.
    timeLeftMs: deadlineAt - now,
    hasOwnTime: channelOf(message).hasOwnTime?.(message) ?? false,
    ...(traceparent !== undefined && { traceparent }),
  };
}

export function stepOf(live: LiveStep) {
  return live.flow[live.step] ?? missingStep(live);
}

function missingStep({ msgKey, step }: LiveStep): never {
  throw new Error(`message ${msgKey} has no step ${step}`);
}
