/** Messages that a carrier took and has said nothing of, for a carrier that can ask for them. */
import type { SilentMessage, SilentQuery } from '../carriers/carrier.ts';
import { attemptIdOf, parseAttemptId } from '../domain/ids.ts';
import type { Clock } from '../platform/clock.ts';
import type { Store } from '../store/store.ts';

export async function silentMessages(
  store: Store,
  clock: Clock,
  carrier: string,
  { sinceMs, withinMs, after, limit }: SilentQuery,
): Promise<SilentMessage[]> {
  const now = clock.now();
  const msgKey = after && parseAttemptId(after.attemptId)?.msgKey;
  const isAhead = after !== undefined && after.deadlineAt >= now;
  const steps = await store.queue.awaited({
    carrier,
    submittedBefore: now - sinceMs,
    deadlineUntil: now + withinMs,
    // What is past its deadline is the deadline's.
    after: isAhead ? { deadlineAt: after.deadlineAt, msgKey: msgKey ?? '' } : { deadlineAt: now, msgKey: '' },
    limit,
  });
  return steps.map(({ msgKey: key, step, attempt, deadlineAt, isInDoubt, ref }) => ({
    attemptId: attemptIdOf(key, step, attempt),
    deadlineAt,
    isInDoubt,
    ...(ref !== undefined && { ref }),
  }));
}
