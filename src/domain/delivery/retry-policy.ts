/** When a message that was refused for now is tried again: growing delays, at least as long as the carrier asks. */

/** Delay before the second, third … attempt. Our choice: about half an hour in all, enough for a phone to come back. */
const RETRY_DELAYS_MS = [2_000, 10_000, 60_000, 300_000, 900_000] as const;
const LONGEST_DELAY_MS = 3_600_000;

export const MAX_ATTEMPTS = RETRY_DELAYS_MS.length + 1;

/**
 * Milliseconds to wait before the next attempt, or undefined when `attempt` (1 for the first) was the last.
 * `askedMs` is what the carrier asked for; it can lengthen the delay, up to an hour. `jitter`, 0 to 1, spreads
 * retries over a fifth of the delay so that they do not come back as one wave.
 */
export function retryDelayMs(attempt: number, jitter: number, askedMs = 0): number | undefined {
  const scheduled = RETRY_DELAYS_MS[attempt - 1];
  if (scheduled === undefined) return undefined;
  const base = Math.min(Math.max(scheduled, askedMs), LONGEST_DELAY_MS);
  return Math.round(base * (1 + jitter / 5));
}
