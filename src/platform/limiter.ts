/** Limits by key: at most so many a second. What has no room is refused and told when to come again. */
import type { Rate } from './token-bucket.ts';

export interface Over {
  readonly retryAfterSeconds: number;
}

export interface Limiter {
  /**
   * Takes `cost` tokens; otherwise takes none and says in how many seconds it would have worked. A promise only where
   * others have to be asked.
   */
  take(key: string, rate: Rate, cost?: number): Over | undefined | Promise<Over | undefined>;
  /** Gives back a token that was taken for something that turned out not to count. */
  giveBack(key: string): void;
}
