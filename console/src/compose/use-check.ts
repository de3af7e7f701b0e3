/** Has the gateway check the request once the user pauses typing. */
import type { Question } from '../answers/question.ts';
import { useAnswer } from '../answers/use-answer.tsx';
import { useQuiet } from '../answers/use-quiet.ts';
import { type Checked, checkFor } from '../gateway/accounts.ts';
import type { Refusal } from '../gateway/call.ts';
import type { SendRequest } from './draft.ts';

export interface Check {
  readonly checked: Checked | undefined;
  readonly refusal: Refusal | undefined;
  readonly isChecking: boolean;
}

export function useCheck(account: string | undefined, request: SendRequest | undefined): Check {
  const written = account && request ? JSON.stringify([account, request]) : '';
  const quiet = useQuiet(written);
  const { answer, refusal, isLoading } = useAnswer(quiet === '' ? undefined : checkOf(quiet));
  return {
    checked: refusal ? undefined : answer,
    refusal,
    isChecking: written !== '' && (isLoading || quiet !== written),
  };
}

function checkOf(written: string): Question<Checked> {
  const [account, { kind, body }] = JSON.parse(written) as [account: string, request: SendRequest];
  return {
    key: `check ${written}`,
    about: 'check',
    freshMs: 500,
    calls: () => 1,
    ask: signal => checkFor(account, kind, body, signal),
  };
}
