/** The name and logo under which a sender is known to recipients. Asked for once the key is no longer being typed. */
import { useAnswer } from '../answers/use-answer.tsx';
import { useQuiet } from '../answers/use-quiet.ts';
import { type Appearance, readAppearance } from '../gateway/registry.ts';

const UNKNOWN: Appearance = { name: null, logo: null };

/** Undefined until it is known. */
export function useAppearance(account: string | undefined, key: string | undefined): Appearance | undefined {
  const quiet = useQuiet(key ?? '');
  const { answer, refusal } = useAnswer(account && quiet ? readAppearance(account, quiet) : undefined);
  // Without an answer the phone shows the key, as it does for a sender that is not registered.
  if (!account || !key || refusal) return UNKNOWN;
  return quiet === key ? answer : undefined;
}
