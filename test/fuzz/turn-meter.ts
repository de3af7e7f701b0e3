/**
 * Loaded into the gateway's process before its own code (`--import`). Tells the fuzzer, by the channel between parent and
 * child, how much processor time the turns of the event loop took and how much memory the process holds.
 *
 * Processor time of the thread, not time of the wall: on a busy machine a process waits, and that is nobody's fault. Between
 * two ticks of a timer lies at most one turn that is longer than the timer, so that what was used between them is that
 * turn's, and a little more.
 */
const TICK_MS = 10;
const TELL_FROM_MS = 100;

export type MeterMessage =
  | { readonly kind: 'turn'; readonly cpuMs: number; readonly from: number; readonly until: number }
  /** Since it was asked the last time. */
  | { readonly kind: 'longest'; readonly cpuMs: number; readonly rss: number };

let usage = process.threadCpuUsage();
let tickedAt = now();
let longestMs = 0;
let peakRss = 0;
let ticks = 0;

setInterval(() => tick(), TICK_MS).unref();
process.on('message', () => {
  tick();
  tell({ kind: 'longest', cpuMs: longestMs, rss: peakRss });
  longestMs = 0;
});
// Listening for messages alone would keep the process alive.
process.channel?.unref();

function tick(): void {
  const { user, system } = process.threadCpuUsage(usage);
  usage = process.threadCpuUsage();
  const from = tickedAt;
  tickedAt = now();
  const cpuMs = (user + system) / 1000;
  longestMs = Math.max(longestMs, cpuMs);
  if (cpuMs >= TELL_FROM_MS) tell({ kind: 'turn', cpuMs, from, until: tickedAt });
  if (ticks++ % 20 === 0) peakRss = Math.max(peakRss, process.memoryUsage.rss());
}

function tell(message: MeterMessage): void {
  if (process.connected) process.send?.(message);
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
