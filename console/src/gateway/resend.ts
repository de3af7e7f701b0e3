/** Sending failed messages again, in calls of as many as the gateway takes at once. */
import { call } from './call.ts';

const MOST_AT_ONCE = 100;

export interface ResendResult {
  readonly msgKey: string;
  readonly newKey: string | null;
  readonly code: string;
  readonly result: string;
}

export interface ResendOrder {
  readonly msgKeys: readonly string[];
  /** Also those that were sent again before. */
  readonly again: boolean;
  /** Also those that turned out to be delivered after they had ended. */
  readonly delivered?: boolean;
  /** What goes out instead; recipients are those of the messages. */
  readonly copy?: { readonly kind: string; readonly body: unknown };
}

/** `onProgress` is told the results so far; a call that fails leaves them as they are. */
export async function resendMessages(
  { msgKeys, ...order }: ResendOrder,
  onProgress: (results: readonly ResendResult[]) => void,
): Promise<readonly ResendResult[]> {
  const all: ResendResult[] = [];
  for (let start = 0; start < msgKeys.length; start += MOST_AT_ONCE) {
    const body = { ...order, msgKeys: msgKeys.slice(start, start + MOST_AT_ONCE) };
    const { results } = await call<{ results: readonly ResendResult[] }>('POST', '/messages/resend', {
      body,
    });
    all.push(...results);
    onProgress([...all]);
  }
  return all;
}
