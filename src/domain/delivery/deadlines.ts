/** How long a step may stay without a receipt before silence counts as its outcome, in milliseconds. */
export interface DeadlineSettings {
  readonly textMs: number;
  readonly mmsMs: number;
  readonly messengerMs: number;
}

/** A text message with a time of its own (`ttl`, seconds): it may shorten the wait, and not make it longer. 0 is none. */
interface Timed {
  readonly ttl?: string | undefined;
}

export function timedMs({ ttl }: Timed, longestMs: number): number {
  const ownMs = Number(ttl ?? 0) * 1000;
  return ownMs > 0 ? Math.min(ownMs, longestMs) : longestMs;
}

export function hasOwnTime({ ttl }: Timed): boolean {
  return Number(ttl ?? 0) > 0;
}
