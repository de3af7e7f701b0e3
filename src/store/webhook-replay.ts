/**
 * Turns of deliveries that an operator asked for again by range, in the words of both engines.
 *
 * Such a delivery has `replay_at`, and is sent from then on while nothing of its account is due by `next_at`. One that was
 * pending keeps its `next_at`. One that had ended has none of its own, so its `next_at` is the end of its window, and its
 * retries yield as it does.
 */

export const ONLY_REPLAYED = '(replay_at IS NOT NULL AND next_at >= give_up_at)';

/** What a replay makes of a delivery that there is already; `excluded` is the one that it would have made. */
export function replayed(now: string): string {
  const old = 'webhook_delivery';
  return `
    state = 'pending', attempts = 0, finished_at = NULL, give_up_at = excluded.give_up_at,
    next_at = CASE WHEN ${old}.state = 'pending' AND ${old}.next_at < ${old}.give_up_at
                   THEN ${old}.next_at ELSE excluded.next_at END,
    replay_at = CASE WHEN ${old}.state = 'pending' AND ${old}.next_at <= ${now}
                     THEN ${old}.replay_at ELSE excluded.replay_at END`;
}

/** Due at once, each in its own turn. */
export function hurried(now: string): string {
  return `
    next_at = CASE WHEN replay_at IS NULL THEN ${now} ELSE next_at END,
    replay_at = CASE WHEN replay_at > ${now} THEN ${now} ELSE replay_at END`;
}
