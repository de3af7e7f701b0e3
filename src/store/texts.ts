/** Removing texts, the same for every engine: which requests of a chunk lose theirs, and which are looked at again. */
import type { Flow } from '../domain/delivery/flow.ts';
import type { RequestId } from '../domain/ids.ts';
import type { AnyRow } from './records/columns.ts';
import { withoutText } from './records/message-columns.ts';

/** When a request that was still on its way is looked at again. */
export const TEXT_LOOK_MS = 600_000;

export interface RemovedText {
  readonly requestId: RequestId;
  readonly flow: Flow;
  readonly textRemovedAt: number;
}

export interface SortedRequests {
  readonly removed: readonly RemovedText[];
  /** Still on their way. */
  readonly live: readonly RequestId[];
  /** Not to be looked at again. */
  readonly done: readonly RequestId[];
}

/**
 * Of rows with request_id, flow, text_removed_at and is_live. One without a flow has been deleted since it was left.
 */
export function sortedRequests(rows: readonly AnyRow[], now: number): SortedRequests {
  const removed: RemovedText[] = [];
  const live: RequestId[] = [];
  const done: RequestId[] = [];
  for (const row of rows) {
    const id = row.request_id as RequestId;
    const isLive = row.is_live === true || row.is_live === 1;
    (isLive ? live : done).push(id);
    if (isLive || row.flow === null || row.text_removed_at !== null) continue;
    removed.push({ requestId: id, flow: withoutText(String(row.flow)), textRemovedAt: now });
  }
  return { removed, live, done };
}
