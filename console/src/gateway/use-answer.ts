/**
 * Loads an answer for a page, again when what it depends on changes, and keeps the last one while it loads. Not where it is
 * about something else, such as another account: then there is none until the right one is here.
 */
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

type State<T> = Omit<Loaded<T>, 'reload'> & { readonly about: string | undefined };

export function useAnswer<T>(
  load: (signal: AbortSignal) => Promise<T>,
  depends: readonly unknown[],
  about?: string,
): Loaded<T> {
  const nothing: State<T> = { about, answer: undefined, refusal: undefined, isLoading: true };
  const [state, setState] = useState(nothing);
  const [round, setRound] = useState(0);
  const signedOut = useSignedOut();
  // The gateway answers in the language of the console.
  const { language } = useLanguage();

  useEffect(() => {
    const abort = new AbortController();
    setState(last => (last.about === about ? { ...last, isLoading: true } : nothing));
    load(abort.signal).then(
      answer => {
        if (!abort.signal.aborted) setState({ about, answer, refusal: undefined, isLoading: false });
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        const refusal = asRefusal(error);
        if (refusal.status === 401 || refusal.code === 'A002') signedOut();
        else setState(last => ({ ...last, refusal, isLoading: false }));
      },
    );
    return () => abort.abort();
  }, [...depends, about, round, language]);

  const reload = useCallback(() => setRound(last => last + 1), []);
  // The page is drawn once before the effect.
  return { ...(state.about === about ? state : nothing), reload };
}
