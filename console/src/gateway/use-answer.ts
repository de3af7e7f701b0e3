/** Loads an answer for a page, again when what it depends on changes, and keeps the last one while it loads. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { useSignedOut } from '../session.tsx';
import { useLanguage } from '../words/words.tsx';
import { asRefusal, type Refusal } from './call.ts';

export interface Loaded<T> {
  readonly answer: T | undefined;
  readonly refusal: Refusal | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

export function useAnswer<T>(
  load: (signal: AbortSignal) => Promise<T>,
  depends: readonly unknown[],
): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, 'reload'>>({
    answer: undefined,
    refusal: undefined,
    isLoading: true,
  });
  const [round, setRound] = useState(0);
  const signedOut = useSignedOut();
  // The gateway answers in the language of the console.
  const { language } = useLanguage();

  useEffect(() => {
    const abort = new AbortController();
    setState(last => ({ ...last, isLoading: true }));
    load(abort.signal).then(
      answer => {
        if (!abort.signal.aborted) setState({ answer, refusal: undefined, isLoading: false });
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        const refusal = asRefusal(error);
        if (refusal.status === 401 || refusal.code === 'A002') signedOut();
        else setState(last => ({ ...last, refusal, isLoading: false }));
      },
    );
    return () => abort.abort();
  }, [...depends, round, language]);

  const reload = useCallback(() => setRound(last => last + 1), []);
  return { ...state, reload };
}
