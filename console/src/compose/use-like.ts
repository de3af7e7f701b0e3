/** Starts the composer with a message that was sent before. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { type Message, readMessage } from '../gateway/messages.ts';
import { type Draft, draftOf } from './draft.ts';

export interface Like {
  readonly msgKey: string;
  /** Its text is not kept any more, or this operator must reveal it first. */
  readonly state: 'removed' | 'masked' | undefined;
  readonly start: (message: Message) => void;
}

/** `begin` gets the draft, and the account that sent the message. */
export function useLike(msgKey: string | null, begin: (draft: Draft, account: string) => void): Like {
  const [state, setState] = useState<Like['state']>();
  const start = useCallback(
    ({ request, masked, account }: Message) => {
      setState(!request ? 'removed' : masked ? 'masked' : undefined);
      if (request && !masked) begin(draftOf(request.path.split('/').at(-1) ?? '', request.body), account);
    },
    [begin],
  );
  useEffect(() => {
    setState(undefined);
    if (!msgKey) return;
    const abort = new AbortController();
    // If the message no longer exists, the composer starts with a new one.
    readMessage(msgKey, abort.signal).then(start, () => {});
    return () => abort.abort();
  }, [msgKey, start]);
  return { msgKey: msgKey ?? '', state, start };
}
