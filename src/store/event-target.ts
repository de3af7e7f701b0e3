/**
 * What an event is about, and whether it counts. Pure; the store asks inside the transaction that settles the event.
 *
 * A receipt finds its message
 *
 *   by attempt     where the carrier returns our attempt id: the step as a whole
 *   by reference   under the carrier that gave it: a step, or one part of it. Several messages may have the same one: then
 *                  the recipient decides, and of equals the one that has waited longest. A receipt that names a recipient
 *                  never settles a message to another. One that names none, or in no readable way, goes by its reference.
 *                  Where all have had their receipt, it is parked for a while: it may be about a newer one
 *   by recipient   where the reference was lost with the answer: deliver/orphan-receipts.ts
 *
 * and counts as follows:
 *
 *   answer    counts for the running attempt, under the claim that made it; see `runningAttempt`
 *   success   counts whichever attempt and carrier it is about: the message has arrived
 *   failure   counts for the running attempt only, and only from the carrier that has the step. An earlier attempt, or a
 *             carrier that turned the message away, says nothing about the one that has it now
 */
import type { LiveStep, StepEvent } from '../domain/delivery/settlement.ts';
import type { QueueEvent, StepKey } from './port/queue-store.ts';

export type StepQueueEvent = Extract<QueueEvent, { kind: 'step' }>;
export type Receipt = Extract<QueueEvent, { kind: 'receipt' }>;

/** Events that end a doubt because nothing was sent. */
const UNSENT: ReadonlySet<StepEvent['name']> = new Set([
  ...(['deferred', 'returned', 'rerouted', 'postponed', 'optedOut'] as const),
]);

/**
 * The step as the answer found it, if the answer is about its running attempt. If the same attempt was claimed again, or waits
 * to be made again, then only the news that the carrier took it still counts: the first claimer may not give back what another
 * holds.
 */
export function runningAttempt(
  live: LiveStep,
  { step, attempt, claim, carrier, event }: StepQueueEvent,
): LiveStep | undefined {
  // It is about the message, at whichever step it is.
  if (event.name === 'cancelled') return live;
  if (live.step !== step) return undefined;
  if (event.name === 'toldDelivered' || event.name === 'toldFailed') {
    return live.carrier === (carrier ?? live.carrier) ? live : undefined;
  }
  const isTaken = event.name === 'accepted';
  if (isTaken && isToBeRepeated(live) && live.attempt + 1 === attempt) return { ...live, attempt };
  if (live.attempt !== attempt) return undefined;
  // It says that this claim sent nothing; whether another did is not known.
  if (live.state === 'unknown' && UNSENT.has(event.name))
    return claim !== undefined && live.claim === claim ? live : undefined;
  return claim === undefined || live.claim === claim || isTaken ? live : undefined;
}

/** A failure of an attempt that is not the running one. */
export function isOutdated(live: LiveStep, { attempt }: StepKey, receipt: Receipt): boolean {
  const { carrier, receiptsOf = [], event } = receipt;
  if (event.name !== 'receivedFailed') return false;
  const running = isToBeRepeated(live) ? live.attempt + 1 : live.attempt;
  const isItsCarrier = carrier === live.carrier || receiptsOf.includes(live.carrier);
  return !isItsCarrier || attempt !== running;
}

/** It is in the queue so that the same attempt is made again. */
function isToBeRepeated({ state, repeatUntil }: LiveStep): boolean {
  return state === 'queued' && repeatUntil !== undefined;
}
