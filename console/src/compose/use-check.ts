/** Has the gateway check the request once the user pauses typing. */
import { useEffect, useState } from 'preact/hooks';
import { type Checked, checkFor } from '../gateway/accounts.ts';
import type { Refusal } from '../gateway/call.ts';
import { asRefusal } from '../gateway/call.ts';
import { useLanguage } from '../words/words.tsx';
import type { SendRequest } from './draft.ts';

const QUIET_MS = 250;

export interface Check {
  readonly checked: Checked | undefined;
  readonly refusal: Refusal | undefined;
  readonly isChecking: boolean;
}

export function useCheck(account: string | undefined, request: SendRequest | undefined): Check {
  const [check, setCheck] = useState<Check>({ checked: undefined, refusal: undefined, isChecking: false });
  const { language } = useLanguage();
  const asked = request && JSON.stringify(request);

  useEffect(() => {
    if (!account || !request) return;
    const abort = new AbortController();
    setCheck(last => ({ ...last, isChecking: true }));
    const timer = setTimeout(async () => {
      try {
        const checked = await checkFor(account, request.kind, request.body, abort.signal);
        setCheck({ checked, refusal: undefined, isChecking: false });
      } catch (error) {
        if (abort.signal.aborted) return;
        setCheck({ checked: undefined, refusal: asRefusal(error), isChecking: false });
      }
    }, QUIET_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [account, asked, language]);

  return check;
}
