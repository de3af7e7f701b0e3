/** The limits of accounts and of guesses: of this process alone on SQLite, of all nodes together on PostgreSQL. */
import { backgroundTasks } from '../observe/background.ts';
import type { Events } from '../observe/events.ts';
import type { Clock } from '../platform/clock.ts';
import { LeasedLimiter } from '../platform/leased-limiter.ts';
import type { Limiter } from '../platform/limiter.ts';
import { RateLimiter } from '../platform/rate-limiter.ts';
import type { Store } from '../store/store.ts';

export interface Limits {
  readonly limiter: Limiter;
  /** Of its own: whoever guesses under many names crowds out no other limit. */
  readonly guesses: Limiter;
  start(): void;
  stop(): Promise<void>;
}

export function composeLimits(deps: {
  /** Whether other nodes may use the same store. */
  readonly isShared: boolean;
  readonly store: Pick<Store, 'cluster'>;
  readonly clock: Clock;
  readonly events: Pick<Events, 'failed'>;
}): Limits {
  const { isShared, store, clock } = deps;
  if (!isShared) {
    return {
      limiter: new RateLimiter(clock),
      guesses: new RateLimiter(clock),
      start() {},
      async stop() {},
    };
  }
  const leased = (sweep: () => Promise<void>) =>
    new LeasedLimiter({
      clock,
      lease: asks => store.cluster.lease(asks, clock.now()),
      sweep,
    });
  const limiter = leased(() => store.cluster.sweep(clock.now()));
  const guesses = leased(async () => {});
  const tasks = backgroundTasks(deps, [
    ['shared limits', () => limiter.tidy()],
    ['shared limits', () => guesses.tidy()],
  ]);
  return {
    limiter,
    guesses,
    start: () => tasks.start(),
    async stop() {
      await tasks.stop();
      await Promise.all([limiter.close(), guesses.close()]);
    },
  };
}
