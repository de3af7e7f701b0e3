/**
 * The life of one step of a flow.
 *
 *   queued      waits for its turn
 *   submitting  claimed by a node; the attempt is on disk, the message may be on the wire
 *   submitted   the carrier took it; a receipt is expected before the deadline
 *   retrying    refused for now; will be claimed again later
 *   unknown     may or may not have been sent; never resent, waits for its receipt until the deadline
 *   delivered, failed, expired   the end: one report record
 *
 * The table below is the only way to change state. An event that a state does not list changes nothing: it is a
 * duplicate or it comes too late. What must never happen: a final state is left, or a step ends twice.
 */

export const STEP_STATES = [
  'queued',
  'submitting',
  'submitted',
  'retrying',
  'unknown',
  'delivered',
  'failed',
  'expired',
] as const;
export type StepState = (typeof STEP_STATES)[number];

export const STEP_EVENTS = [
  'claimed', // a node takes the step to submit it
  'accepted', // the carrier took the message
  'refused', // the carrier, or routing, refused it for good
  'deferred', // the carrier refused it for now
  'lost', // it is not known whether the carrier took it
  'receivedDelivered', // receipt: delivered
  'receivedFailed', // receipt: failed
  'returned', // it was certainly not sent, or is still in doubt: it waits for its next turn
  'rerouted', // this carrier has not taken it, and it goes to another
  'repeated', // its node died, or no answer came, and the same carrier may be sent the same attempt again
  'postponed', // it may not go out at this hour, and waits for one at which it may
  'optedOut', // its recipient does not want it
  'deadline', // no receipt in time
  'toldDelivered', // an operator, whom the carrier has told: delivered
  'toldFailed', // an operator, whom the carrier has told: failed
  'cancelled', // its sender does not want it to go out, and it is certain that it has not
] as const;
export type StepEventName = (typeof STEP_EVENTS)[number];

export const TRANSITIONS: Readonly<Record<StepState, Readonly<Partial<Record<StepEventName, StepState>>>>> = {
  // A receipt finds a step in the queue when it is about an attempt that is to be made again; so does a late answer.
  queued: {
    claimed: 'submitting',
    accepted: 'submitted',
    optedOut: 'failed',
    deadline: 'expired',
    receivedDelivered: 'delivered',
    receivedFailed: 'failed',
    cancelled: 'failed',
  },
  retrying: {
    claimed: 'submitting',
    optedOut: 'failed',
    deadline: 'expired',
    receivedDelivered: 'delivered',
    receivedFailed: 'failed',
    cancelled: 'failed',
  },
  submitting: {
    accepted: 'submitted',
    refused: 'failed',
    deferred: 'retrying',
    lost: 'unknown',
    returned: 'queued',
    rerouted: 'queued',
    repeated: 'queued',
    postponed: 'queued',
    optedOut: 'failed',
    receivedDelivered: 'delivered',
    receivedFailed: 'failed',
    deadline: 'expired',
  },
  submitted: {
    receivedDelivered: 'delivered',
    receivedFailed: 'failed',
    toldDelivered: 'delivered',
    toldFailed: 'failed',
    repeated: 'queued',
    deadline: 'expired',
  },
  // A node that was taken for dead may still settle the doubt: by a late answer, or by reporting that it was not sent. The claim
  // must be the one in doubt (store/settle-batch.ts).
  unknown: {
    accepted: 'submitted',
    refused: 'failed',
    deferred: 'retrying',
    returned: 'queued',
    rerouted: 'queued',
    postponed: 'queued',
    optedOut: 'failed',
    receivedDelivered: 'delivered',
    receivedFailed: 'failed',
    toldDelivered: 'delivered',
    toldFailed: 'failed',
    deadline: 'expired',
  },
  delivered: {},
  failed: {},
  expired: {},
};

export type FinalState = 'delivered' | 'failed' | 'expired';

export function isFinal(state: StepState): state is FinalState {
  return state === 'delivered' || state === 'failed' || state === 'expired';
}

/** States in which the carrier may know more than the gateway. */
export const SETTLEABLE: readonly StepState[] = STEP_STATES.filter(
  state => 'toldFailed' in TRANSITIONS[state],
);

/** The state after `event`, or undefined where the event changes nothing. */
export function nextState(state: StepState, event: StepEventName): StepState | undefined {
  return TRANSITIONS[state][event];
}
