/** The health of one carrier on this node, with advice for the operator. */

import type { CarrierState } from '../carriers/carrier.ts';

/** The state of a carrier, or what this node found: its window is full, or it waits for a probe after a rest. */
export type LaneState = CarrierState | 'full' | 'waiting';

/** The state of a lane, from which the carrier's health is derived. */
export interface LaneHealth {
  readonly name: string;
  readonly state: LaneState;
  readonly detail: string;
  readonly isPaused: boolean;
  /** Since when its window has been full, by the monotonic clock; undefined while there is room. */
  readonly fullSince: number | undefined;
  /**
   * When it last looked at its queue with success, by the monotonic clock. A lane that may not look, because its carrier
   * is not up, is paused or has no room, counts as having looked.
   */
  readonly lastLookAt: number;
}

type HealthState = 'idle' | 'moving' | 'stuck' | 'paused' | Exclude<LaneState, 'up'>;

export interface CarrierHealth {
  readonly name: string;
  /**
   * idle or moving    healthy
   * full              the carrier has not answered earlier messages, and takes no more
   * stuck             it is up and has room, work waits, and this node takes nothing from the queue
   * waiting           it rested, and the next message tries it
   * connecting, slowed, down, paused
   */
  readonly state: HealthState;
  /** For people: the reason, from the carrier. */
  readonly detail: string;
  /** How long the oldest step has been due; 0 where none is. */
  readonly headAgeSeconds: number;
  readonly windowFullSeconds: number;
  /** For people: what to do. Empty where there is nothing to do. */
  readonly advice: string;
}

/** A lane with work that has not looked at its queue for so long is stuck. */
const STUCK_MS = 30_000;
/** Under load a window is full now and then; for this long it means trouble. */
const FULL_MS = 5_000;

/** It takes no more, because it does not answer what it has. */
export function isFull(fullSince: number | undefined, now: number): boolean {
  return fullSince !== undefined && now - fullSince >= FULL_MS;
}

export const FULL_ADVICE =
  'Ask the carrier why it does not answer; other carriers are not affected. To send through another carrier, pause this one.';
const ADVICE: Readonly<Partial<Record<HealthState, string>>> = {
  stuck:
    'The store or this process blocks it: look for "claim" and "settle" in the log, then restart this node.',
  full: FULL_ADVICE,
  paused: 'An operator paused it. Resume it with "bongsu carrier resume".',
  down: 'See the detail. Messages go through the next carrier of their route, or wait if there is none.',
  slowed: 'The carrier asked for a pause. Sending resumes automatically.',
  waiting:
    'Sending stopped after failures. The next message is a test: if the carrier accepts it, sending resumes.',
  connecting: 'Sending resumes automatically when the carrier answers.',
};

export function carrierHealth(
  lane: LaneHealth,
  headDueAt: number | undefined,
  now: { readonly wall: number; readonly monotonic: number },
): CarrierHealth {
  const headAgeMs = headDueAt === undefined ? 0 : Math.max(0, now.wall - headDueAt);
  const fullMs = lane.fullSince === undefined ? 0 : now.monotonic - lane.fullSince;
  const isWaiting = headDueAt !== undefined && headDueAt <= now.wall;
  const state = stateOf(lane, isWaiting, now.monotonic - lane.lastLookAt);
  return {
    name: lane.name,
    state,
    detail: lane.detail,
    headAgeSeconds: Math.round(headAgeMs / 1000),
    windowFullSeconds: Math.round(fullMs / 1000),
    advice: ADVICE[state] ?? '',
  };
}

function stateOf(lane: LaneHealth, isWaiting: boolean, unlookedMs: number): HealthState {
  if (isWaiting && unlookedMs > STUCK_MS) return 'stuck';
  if (lane.isPaused) return 'paused';
  if (lane.state !== 'up') return lane.state;
  return isWaiting ? 'moving' : 'idle';
}
