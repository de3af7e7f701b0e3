/**
 * `Retry-After`: seconds, or a date. Pauses longer than an hour are cut, because a peer that sends a wrong value must not
 * stop a carrier or a webhook for days.
 */
const LONGEST_MS = 3_600_000;

export function parseRetryAfterMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\d{1,9}(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? undefined : Math.min(LONGEST_MS, Math.max(0, Math.ceil(ms)));
}
