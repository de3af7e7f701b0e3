/** Starts the composer with a message that was sent before. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { type Asked, useAnswer } from '../answers/use-answer.tsx';
import { type Message, readMessage } from '../gateway/messages.ts';
import { type Draft, draftOf } from './draft.ts';

export interface Like {
  readonly msgKey: string;
  /** Its text is no longer kept, or this operator must reveal it first. */
  readonly state: 'removed' | 'masked' | undefined;
  readonly start: (message: Message) => void;
  /** How it was read: the composer says so where it has nothing to start with. */
  readonly asked: Asked<Message>;
}

/** `begin` gets the draft, and the account that sent the message. */
export function useLike(msgKey: string | null, begin: (draft: Draft, account: string) => void): Like {
  const [state, setState] = useState<Like['state']>();
  const asked = useAnswer(msgKey ? readMessage(msgKey) : undefined);
  const start = useCallback(
    ({ request, masked, account }: Message) => {
      setState(!request ? 'removed' : masked ? 'masked' : undefined);
      if (request && !masked) begin(draftOf(request.path.split('/').at(-1) ?? '', request.body), account);
    },
    [begin],
  );
  // Once: what is written since would be lost.
  const isHere = asked.answer !== undefined;
  useEffect(() => {
    setState(undefined);
    if (asked.answer) start(asked.answer);
  }, [msgKey, isHere, start]);
  return { msgKey: msgKey ?? '', state, start, asked };
}
