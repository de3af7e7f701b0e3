/**
 * How late the event loop of this thread is, and how busy. The lag is that of the worst moment in each second: it is what a
 * request that came just then waited for.
 *
 * Not by Node's `monitorEventLoopDelay`: each time it is read and reset it forgets one interval, and after a long turn that
 * is the one that matters.
 */
import { performance } from 'node:perf_hooks';

const EVERY_MS = 1_000;
/** How often it is looked whether the loop is late. */
const LOOK_MS = 20;

/** The longest lag since the last report, and the time in which the loop did not wait for anything. */
export type TakeLoad = (lagSeconds: number, busySeconds: number) => void;

/** Reports until it is told to stop; keeps no process alive. */
export function watchLoop(take: TakeLoad, everyMs = EVERY_MS): { stop(): void } {
  let before = performance.eventLoopUtilization();
  let lookedAt = performance.now();
  let reportedAt = lookedAt;
  let longestMs = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - lookedAt - LOOK_MS);
    lookedAt = now;
    if (now - reportedAt < everyMs) return;
    const utilization = performance.eventLoopUtilization();
    const { active } = performance.eventLoopUtilization(utilization, before);
    take(longestMs / 1000, active / 1000);
    before = utilization;
    reportedAt = now;
    longestMs = 0;
  }, LOOK_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
