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

export type EventOfAnswer = (live: LiveStep, answer: SubmitAnswer) => StepEvent;

/** The gate learns from the same answers whether the carrier is at fault. */
export function createEventOfAnswer(deps: {
  readonly carrier: string;
  readonly gate: CarrierGate;
  readonly clock: Clock;
  readonly route: ChooseRoute;
}): EventOfAnswer {
  const { carrier, gate, clock, route } = deps;

  return (live, answer) => {
    if (answer.kind === 'temporary' && answer.isThrottled) {
      return rerouteOrReturn(live, answer.retryAfterMs ?? THROTTLED_MS);
    }
    if (answer.kind === 'temporary' && answer.isCarriersFault) {
      gate.turnedAway(clock.monotonic());
      return rerouteOrReturn(live, answer.retryAfterMs ?? TURNED_AWAY_MS);
    }
    if (answer.kind !== 'unknown') gate.took();
    if (answer.kind === 'temporary') {
      const { reportCode, retryAfterMs, isNeverTaken } = answer;
      return {
        ...{ name: 'deferred', reportCode },
        ...(retryAfterMs !== undefined && { retryAfterMs }),
        ...(isNeverTaken && { isNeverTaken }),
      };
    }
    return eventOfFinalAnswer(answer);
  };

  /** The carrier has not taken it, for reasons of its own: another may, or it waits here for its next turn. */
  function rerouteOrReturn(live: LiveStep, retryAfterMs: number): StepEvent {
    if (!gate.isAvailable(clock.monotonic())) {
      const { account, to } = live;
      const choice = route({ account, channel: stepOf(live).channel, to });
      const isElsewhere = choice.carrier !== carrier && choice.carrier !== UNROUTED;
      if (isElsewhere) return { name: 'rerouted', ...choice };
    }
    return { name: 'returned', retryAfterMs };
  }
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
      };
    case 'unknown':
      return { name: 'lost', ...(answer.refs && { parts: answer.refs.length }) };
  }
}
