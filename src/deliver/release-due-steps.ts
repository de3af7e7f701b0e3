/**
 * Steps that were put off go back into the queue when their time has come. When the wall clock was set, the time that is
 * written down for them may be wrong: for a while, those put off further than clocks can differ are released too.
 */
import type { Events } from '../observe/events.ts';
import type { Clock } from '../platform/clock.ts';
import type { Store } from '../store/store.ts';
import { ClockWatch } from './clock-watch.ts';

const BATCH = 500;
/** Clocks of several nodes differ by less. */
const SKEW_MS = 60_000;
/** How long the times of steps are not trusted after the clock was set; and after the start, since it may have been before. */
const DISTRUST_MS = 120_000;

export function createReleaseDueSteps(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly events: Events;
  /** Tells the dispatcher that there is work. */
  readonly wake: () => void;
  /** The wall clock was set back: data that was ordered by its time may no longer be. */
  readonly clockSetBack: () => void;
}): () => Promise<void> {
  const { store, clock, events, wake, clockSetBack } = deps;
  const watch = new ClockWatch(clock);
  let distrustUntil = clock.monotonic() + DISTRUST_MS;

  return async () => {
    noticeSetClock();
    const now = clock.now();
    const isDistrusted = clock.monotonic() < distrustUntil;
    let released = await release(now, undefined);
    if (isDistrusted) released += await release(now, now + SKEW_MS);
    if (released > 0) wake();
  };

  function noticeSetClock(): void {
    const change = watch.look();
    if (change === 0) return;
    events.clockSet(change);
    distrustUntil = clock.monotonic() + DISTRUST_MS;
    if (change < 0) clockSetBack();
  }

  async function release(now: number, putOffAfter: number | undefined): Promise<number> {
    let released = 0;
    for (;;) {
      const chunk = await store.queue.release({ now, putOffAfter, limit: BATCH });
      released += chunk;
      if (chunk < BATCH) return released;
    }
  }
}
