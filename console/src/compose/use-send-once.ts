/**
 * Sends what is written. If no answer comes, the message may have been accepted: the same message is then sent again under
 * the same key, and goes out once.
 */
import { useRef } from 'preact/hooks';
import { sendFor } from '../gateway/accounts.ts';
import { type Envelope, Refusal } from '../gateway/call.ts';
import type { SendRequest } from './draft.ts';

export function useSendOnce(): (account: string, request: SendRequest) => Promise<Envelope> {
  const unanswered = useRef<{ readonly key: string; readonly of: string } | undefined>(undefined);
  return async (account, { kind, body }) => {
    const of = JSON.stringify([account, kind, body]);
    const key = unanswered.current?.of === of ? unanswered.current.key : newKey();
    unanswered.current = { key, of };
    try {
      const answer = await sendFor(account, kind, body, key);
      unanswered.current = undefined;
      return answer;
    } catch (error) {
      // Refused: nothing was sent, and the next try is a new one.
      if (error instanceof Refusal && error.code !== undefined) unanswered.current = undefined;
      throw error;
    }
  };
}

/** `crypto.randomUUID` exists only where the console is served over https, or from this machine. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `console-${[...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('')}`;
}
