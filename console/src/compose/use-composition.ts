/** What is being written, kept while it is written (see kept-drafts.ts). */
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useSession } from '../session.tsx';
import { isEntry, textAt } from './entry.ts';
import { type Composition, forgetDraft, keepDraft, keptDraft } from './kept-drafts.ts';

export interface Compositions {
  readonly composition: Composition;
  /** Whether it was there before the page was opened, so that nothing need be loaded into it. */
  readonly isContinued: boolean;
  readonly isChanged: boolean;
  readonly change: (change: Partial<Composition> | ((last: Composition) => Partial<Composition>)) => void;
  readonly sent: () => void;
  readonly startOver: () => void;
}

/** `isLike`: the page is opened to write one like another message, not to go on with the last draft. */
export function useComposition(fresh: () => Composition, isLike: boolean): Compositions {
  const who = useSession().name;
  const [first] = useState(() => {
    const { id, isNew } = placeId();
    return keptDraft(tabStorage(), { id, who, isNew: isNew && !isLike });
  });
  const [composition, setComposition] = useState<Composition>(() => first ?? fresh());
  const [isChanged, setChanged] = useState(first !== undefined);
  // Unchanged, what was sent from this place stays sent.
  const isSent = useRef(first?.isOpen === false);

  const keep = (kept: Composition) =>
    keepDraft(tabStorage(), { id: placeId().id, who, isOpen: !isSent.current, continues: first?.id }, kept);
  // Before the page is painted: what was typed last is kept even if the page goes away at once.
  useLayoutEffect(() => {
    if (isChanged) keep(composition);
  }, [composition, isChanged, who]);

  const change: Compositions['change'] = useCallback(change => {
    isSent.current = false;
    setChanged(true);
    setComposition(last => ({ ...last, ...(typeof change === 'function' ? change(last) : change) }));
  }, []);

  return {
    composition,
    isContinued: first !== undefined,
    isChanged,
    change,
    sent: () => {
      isSent.current = true;
      keep(composition);
    },
    startOver: () => {
      forgetDraft(tabStorage(), placeId().id);
      setChanged(false);
      setComposition(({ account }) => ({ ...fresh(), account }));
    },
  };
}

/** A browser may refuse even to be asked for it. */
function tabStorage(): Pick<Storage, 'getItem' | 'setItem'> {
  try {
    return sessionStorage;
  } catch {
    return { getItem: () => null, setItem: () => {} };
  }
}

/** The id of this place, and whether it has just been made. */
function placeId(): { readonly id: string; readonly isNew: boolean } {
  const state: unknown = history.state;
  const known = isEntry(state) ? textAt(state, 'draft') : '';
  if (known) return { id: known, isNew: false };
  const id = Date.now().toString(36) + Math.random().toString(36).slice(2);
  history.replaceState({ ...(isEntry(state) && state), draft: id }, '');
  return { id, isNew: true };
}
