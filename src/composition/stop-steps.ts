/**
 * The steps in which a gateway stops. Each is on its own: one that fails or never ends is logged, and neither keeps those
 * beside it nor those after it from stopping.
 */
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';

export type StopSteps = Readonly<Record<string, () => unknown>>;

/** Begins all of them at once. Resolves when each has ended, has failed, or its time is over; never rejects. */
export type StopTogether = (withinMs: number, steps: StopSteps) => Promise<void>;

export function createStopTogether(deps: {
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error'>;
}): StopTogether {
  const { clock, log } = deps;

  async function stop(step: string, task: () => unknown, withinMs: number): Promise<void> {
    const { promise: isOver, resolve } = Promise.withResolvers<'late'>();
    const cancel = clock.schedule(withinMs, () => resolve('late'));
    try {
      const outcome = await Promise.race([Promise.resolve(task()), isOver]);
      if (outcome === 'late') log.error({ event: 'stopTakesTooLong', step, withinMs });
    } catch (error) {
      log.error({ event: 'stopFailed', step, err: error });
    } finally {
      cancel();
    }
  }

  return async (withinMs, steps) => {
    await Promise.all(Object.entries(steps).map(([step, task]) => stop(step, task, withinMs)));
  };
}
