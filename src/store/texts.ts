/** Removing texts, the same for every engine: which requests of a chunk lose theirs, and which are looked at again. */
import type { Flow } from '../domain/delivery/flow.ts';
import { type MsgKey, type RequestId, recipientIndexOf } from '../domain/ids.ts';
import type { TextOrder } from './port/upkeep-store.ts';
import type { AnyRow } from './records/columns.ts';
import { withoutText } from './records/message-columns.ts';
import type { Records } from './records/records.ts';

/** When a request that was still on its way is looked at again. */
const TEXT_LOOK_MS = 600_000;
/** The time that texts are kept may be made shorter at any moment. */
const LATEST_LOOK_MS = 24 * 3_600_000;

export interface RemovedText {
  readonly requestId: RequestId;
  readonly flow: Flow;
  readonly textRemovedAt: number;
}

export interface SortedRequests {
  /** They lose their texts. */
  readonly ended: readonly RequestId[];
  /** Still on their way, or sent later than their keys say: when they are looked at again. */
  readonly waiting: readonly { readonly requestId: RequestId; readonly lookAt: number }[];
  /** Not to be looked at again. */
  readonly done: readonly RequestId[];
}

/** Flows of one chunk, which are read as a whole: a client may send up to a megabyte each. */
const MOST_BYTES = 4_000_000;
/** Messages of one chunk, whose words are removed in one statement: a request may have a thousand. */
const MOST_MESSAGES = 1000;

/** The first of the rows, which one chunk has room for; at least one. Of rows with bytes and last_key. */
export function inOneChunk<Row extends AnyRow>(rows: readonly Row[]): readonly Row[] {
  let bytes = 0;
  let messages = 0;
  const beyond = rows.findIndex(row => {
    const isBeyond = bytes > MOST_BYTES || messages > MOST_MESSAGES;
    bytes += Number(row.bytes);
    // A request whose messages were deleted has no last key, and one whose text is gone is only passed.
    messages +=
      row.last_key === null || row.text_removed_at !== null
        ? 0
        : recipientIndexOf(row.last_key as MsgKey) + 1;
    return isBeyond;
  });
  return beyond < 0 ? rows : rows.slice(0, beyond);
}

/**
 * Of rows with request_id, bytes, accepted_at, text_removed_at, last_key and is_live. One without bytes has been deleted since it was left.
 */
export function sortedRequests(rows: readonly AnyRow[], { now, acceptedBefore }: TextOrder): SortedRequests {
  const ended: RequestId[] = [];
  const waiting: { requestId: RequestId; lookAt: number }[] = [];
  const done: RequestId[] = [];
  for (const row of rows) {
    const requestId = row.request_id as RequestId;
    const hasText = row.bytes !== null && row.text_removed_at === null;
    const youngForMs = Number(row.accepted_at) - acceptedBefore;
    if (row.is_live === true || row.is_live === 1) waiting.push({ requestId, lookAt: now + TEXT_LOOK_MS });
    else if (hasText && youngForMs >= 0)
      waiting.push({ requestId, lookAt: now + Math.min(youngForMs + 1, LATEST_LOOK_MS) });
    else {
      done.push(requestId);
      if (hasText) ended.push(requestId);
    }
  }
  return { ended, waiting, done };
}

/** Of a row with request_id and flow. */
export function removedTextOf(row: AnyRow, { unreadable }: Records, now: number): RemovedText {
  const requestId = row.request_id as RequestId;
  const flow = unreadable.value('request', row, () => withoutText(String(row.flow)), []);
  return { requestId, flow, textRemovedAt: now };
}
