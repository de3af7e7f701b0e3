/** Prepares a claimed step for its carrier: the result is a submission, or an event that ends or puts off the attempt. */
import type { Carrier, Submission } from '../carriers/carrier.ts';
import { channelOf, familyOf } from '../domain/channels/channel-table.ts';
import { quietHoursCode } from '../domain/delivery/advertisement.ts';
import type { LiveStep, StepEvent } from '../domain/delivery/settlement.ts';
import { attemptIdOf } from '../domain/ids.ts';
import { NO_ROUTE_CODE, type ReportCode } from '../domain/reports/report-codes.ts';
import { renderStep } from '../domain/text/substitution.ts';
import type { Events } from '../observe/events.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { Store } from '../store/store.ts';
import { StoreFault } from '../store/store-fault.ts';

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

export function createPrepareStep(deps: {
  readonly carrier: Carrier;
  readonly store: Store;
  readonly events: Events;
  readonly formatTime: FormatTime;
}): PrepareStep {
  const { carrier, store, events, formatTime } = deps;
  const { channels, repeatableForMs } = carrier.capabilities;

  return async (live, now) => {
    try {
      const refusal = await refusalOf(live, now);
      if (refusal) return refusal;
      const submission = submissionOf(live);
      return { live, submission, parts: carrier.partsOf(submission.message) };
    } catch (error) {
      events.failed('prepare', error, { msgKey: live.msgKey });
      if (error instanceof StoreFault) return { name: 'returned', retryAfterMs: STORE_AWAY_MS };
      // A message that can never be prepared must not hold up the lane, nor be tried for ever.
      return { name: 'refused', reportCode: INTERNAL_FAILURE };
    }
  };

  /** Why a step need not, or must not, be submitted. */
  async function refusalOf(live: LiveStep, now: number): Promise<StepEvent | undefined> {
    if (live.deadlineAt <= now) return { name: 'deadline' };
    if (!isWithinPromise(live, now)) return { name: 'lost' };
    const step = stepOf(live);
    if (!channels.includes(step.channel)) {
      return { name: 'refused', reportCode: NO_ROUTE_CODE[familyOf(step.channel)] };
    }
    if (!channelOf(step).isAdvertisement(step)) return undefined;
    const account = await store.accounts.find(live.account);
    const localTime = formatTime(now).slice(11, 16);
    const code = account?.settings.adGuard ? quietHoursCode(step, localTime) : undefined;
    return code && { name: 'refused', reportCode: code };
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

function submissionOf(live: LiveStep): Submission {
  const { msgKey, step, attempt, account, to, words } = live;
  const message = renderStep(stepOf(live), words);
  return { attemptId: attemptIdOf(msgKey, step, attempt), account, to, attempt, message };
}

export function stepOf(live: LiveStep) {
  const step = live.flow[live.step];
  if (step === undefined) throw new Error(`message ${live.msgKey} has no step ${live.step}`);
  return step;
}
