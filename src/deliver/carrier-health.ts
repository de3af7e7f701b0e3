/** What state the way out by one carrier is in on this node, and what to do about it. */

/** What a lane tells of itself. */
export interface LaneHealth {
  readonly name: string;
  /** Of the carrier: connecting, up, slowed, down. */
  readonly state: string;
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

export interface CarrierHealth {
  readonly name: string;
  /**
   * idle or moving    as it should be
   * full              the carrier has not answered what it was given, and takes no more
   * stuck             it is up and has room, work waits, and nothing is taken from the queue
   * connecting, slowed, down, paused
   */
  readonly state: string;
  /** For people: why, as the carrier tells it. */
  readonly detail: string;
  /** How long the oldest step has been due; 0 where none is. */
  readonly headAgeSeconds: number;
  readonly windowFullSeconds: number;
  /** For people: what to do. Empty where there is nothing to do. */
  readonly advice: string;
}

/** A lane with work that has not looked at its queue for so long is stuck. */
const STUCK_MS = 30_000;
/** A window is full now and then under load; for so long it is no coincidence. */
const FULL_MS = 5_000;

const ADVICE: Readonly<Record<string, string>> = {
  stuck:
    'The store or this process holds it up: look at the log for "claim" and "settle", then restart this node.',
  full: 'Ask the carrier why it does not answer; other carriers are not affected. To send another way, pause it.',
  paused: 'Somebody paused it: bongsu carrier resume.',
  down: 'See the detail; messages go another way where a route has one, and wait otherwise.',
  slowed: 'The carrier asked for a pause: it goes on by itself.',
  connecting: 'It goes on by itself when the carrier answers.',
};

export function carrierHealth(
  lane: LaneHealth,
  headDueAt: number | undefined,
  now: { readonly wall: number; readonly monotonic: number },
): CarrierHealth {
  const headAgeMs = headDueAt === undefined ? 0 : Math.max(0, now.wall - headDueAt);
  const fullMs = lane.fullSince === undefined ? 0 : now.monotonic - lane.fullSince;
  const isWaiting = headDueAt !== undefined && headDueAt <= now.wall;
  const state = stateOf(lane, isWaiting, fullMs, now.monotonic - lane.lastLookAt);
  return {
    name: lane.name,
    state,
    detail: lane.detail,
    headAgeSeconds: Math.round(headAgeMs / 1000),
    windowFullSeconds: Math.round(fullMs / 1000),
    advice: ADVICE[state] ?? '',
  };
}

function stateOf(lane: LaneHealth, isWaiting: boolean, fullMs: number, unlookedMs: number): string {
  if (isWaiting && unlookedMs > STUCK_MS) return 'stuck';
  if (lane.isPaused) return 'paused';
  if (lane.state !== 'up') return lane.state;
  if (fullMs >= FULL_MS) return 'full';
  return isWaiting ? 'moving' : 'idle';
}
