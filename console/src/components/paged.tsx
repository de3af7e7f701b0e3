/** A list that is loaded page by page: the first answer starts it, "more" continues from its cursor. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useAction } from '../gateway/use-action.ts';
import { type Loaded, useAnswer } from '../gateway/use-answer.ts';
import { useWords } from '../words/words.tsx';
import { RefusalNotice } from './refusal-notice.tsx';

interface Part<Row> {
  readonly rows: readonly Row[];
  readonly next: string | null;
}

export interface Paged<Row> extends Pick<Loaded<unknown>, 'refusal' | 'isLoading' | 'reload'> {
  readonly rows: readonly Row[] | undefined;
  readonly more: (() => void) | undefined;
  readonly moreAction: ReturnType<typeof useAction>;
}

/** `load` answers undefined as long as it is not known what to ask for, such as which account: no rows then, not none. */
export function usePaged<Row>(
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<Part<Row> | undefined>,
  depends: readonly unknown[],
): Paged<Row> {
  const first = useAnswer(signal => load(undefined, signal), depends);
  const [later, setLater] = useState<readonly Part<Row>[]>([]);
  const moreAction = useAction();
  useEffect(() => setLater([]), [first.answer]);

  const last = later.at(-1) ?? first.answer;
  const next = last?.next ?? undefined;
  return {
    ...first,
    rows: first.answer && [first.answer, ...later].flatMap(({ rows }) => rows),
    more:
      next === undefined
        ? undefined
        : () => {
            moreAction.run(async () => {
              const part = await load(next, new AbortController().signal);
              if (part) setLater(parts => [...parts, part]);
            });
          },
    moreAction,
  };
}

/** Continues the list, tells how long it is now, and keeps the focus when there is no more. */
export function MoreButton({ paged, label }: { paged: Paged<never> | Paged<unknown>; label?: string }) {
  const t = useWords();
  const place = useRef<HTMLDivElement>(null);
  const isPressed = useRef(false);
  const hasMore = paged.more !== undefined;
  useEffect(() => {
    if (!hasMore && isPressed.current) place.current?.focus({ preventScroll: true });
    isPressed.current = false;
  }, [hasMore]);
  return (
    <div ref={place} tabIndex={-1} class="more">
      <RefusalNotice refusal={paged.moreAction.refusal} />
      {paged.more && (
        <button
          type="button"
          class="button button-quiet"
          disabled={paged.moreAction.isRunning}
          onClick={() => {
            isPressed.current = true;
            paged.more?.();
          }}
        >
          {label ?? t.common.more}
        </button>
      )}
      <p class="sr-only" aria-live="polite">
        {paged.rows && !paged.isLoading && t.common.shown(paged.rows.length)}
      </p>
    </div>
  );
}
