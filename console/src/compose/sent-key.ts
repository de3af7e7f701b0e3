import { type Envelope, Refusal } from '../gateway/call.ts';
import { isEntry, listAt, textAt } from './entry.ts';

/** The key of what was sent. A flow is answered for each recipient, and its only recipient may have been refused. */
export function sentKey(answer: Envelope): string {
  if (answer.msgKey) return answer.msgKey;
  const destination = listAt(answer.data, 'destinations').find(isEntry);
  const msgKey = textAt(destination, 'msgKey');
  if (msgKey) return msgKey;
  throw new Refusal(
    textAt(destination, 'result') || answer.result,
    textAt(destination, 'code') || answer.code,
  );
}
