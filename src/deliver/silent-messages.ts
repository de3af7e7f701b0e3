/** Messages that a carrier took and has said nothing of, for a carrier that can ask for them. */
import type { SilentMessage, SilentQuery } from '../carriers/carrier.ts';
import { attemptIdOf } from '../domain/ids.ts';
import type { Clock } from '../platform/clock.ts';
import type { Store } from '../store/store.ts';

export async function silentMessages(
  store: Store,
  clock: Clock,
  carrier: string,
  { sinceMs, withinMs, limit }: SilentQuery,
): Promise<SilentMessage[]> {
  const now = clock.now();
  const steps = await store.queue.awaited({
    carrier,
    submittedBefore: now - sinceMs,
    deadlineAfter: now,
    deadlineUntil: now + withinMs,
    limit,
  });
  return steps.map(({ msgKey, step, attempt, deadlineAt, isInDoubt, ref }) => ({
    attemptId: attemptIdOf(msgKey, step, attempt),
    deadlineAt,
    isInDoubt,
    ...(ref !== undefined && { ref }),
  }));
}
