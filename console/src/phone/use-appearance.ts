/** The name and logo under which a sender is known to recipients. Asked for once the key is no longer being typed. */

import type { Appearance } from '../../../src/operations/registry.ts';
import { useAnswer } from '../answers/use-answer.tsx';
import { useQuiet } from '../answers/use-quiet.ts';
import { ask } from '../gateway/operations.ts';

type Looks = Pick<Appearance, 'name' | 'logo'>;

const UNKNOWN: Looks = { name: null, logo: null };

/** Undefined until it is known. */
export function useAppearance(account: string | undefined, key: string | undefined): Looks | undefined {
  const quiet = useQuiet(key ?? '');
  const { answer, refusal } = useAnswer(
    account && quiet
      ? ask('GET /accounts/{id}/appearance/{senderKey}', { id: account, senderKey: quiet })
      : undefined,
  );
  // Without an answer the phone shows the key, as it does for a sender that is not registered.
  if (!account || !key || refusal) return UNKNOWN;
  return quiet === key ? answer : undefined;
}
