import { setTimeout as delay } from 'node:timers/promises';
import type { BeginWork } from './fair-queue.ts';

/** Of the time for which this thread was at work meanwhile. */
const LONGER_THAN_BUSY = 6;

/** In real time, because it is about real work. */
const REAL = {
  busyMs: () => performance.eventLoopUtilization().active,
  wait: (ms: number): Promise<void> => delay(ms, undefined, { ref: false }),
};

/**
 * For work of another thread that takes a processor from this one: at its end there is a rest, the longer the more this thread
 * had to do meanwhile. On two processors with nothing else to do there is hardly any; under load the work has a seventh of one.
 */
export function restWhileBusy({ busyMs, wait } = REAL): BeginWork {
  return () => {
    const before = busyMs();
    return () => wait(LONGER_THAN_BUSY * (busyMs() - before));
  };
}
