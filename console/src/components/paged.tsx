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

/** What came after a first part. A list that has begun anew meanwhile is not continued by it. */
interface Continued<Row> {
  readonly parts: readonly Part<Row>[];
  readonly of: Part<Row> | undefined;
}

const partsOf = <Row,>({ parts, of }: Continued<Row>, first: Part<Row> | undefined) =>
  of === first ? parts : [];

export interface Paged<Row> extends Pick<Loaded<unknown>, 'refusal' | 'isLoading' | 'reload'> {
  readonly rows: readonly Row[] | undefined;
  readonly more: (() => void) | undefined;
  readonly moreAction: ReturnType<typeof useAction>;
}

/**
 * `load` answers undefined as long as it is not known what to ask for, such as which account: no rows then, not none. `about`:
 * rows of something else are not shown while these load.
 */
export function usePaged<Row>(
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<Part<Row> | undefined>,
  depends: readonly unknown[],
  about?: string,
): Paged<Row> {
  const first = useAnswer(signal => load(undefined, signal), depends, about);
  const [continued, setContinued] = useState<Continued<Row>>({ parts: [], of: undefined });
  const moreAction = useAction();

  const { answer } = first;
  const later = partsOf(continued, answer);
  const last = later.at(-1) ?? answer;
  const next = last?.next ?? undefined;
  return {
    ...first,
    rows: answer && [answer, ...later].flatMap(({ rows }) => rows),
    more:
      next === undefined
        ? undefined
        : () => {
            moreAction.run(async () => {
              const part = await load(next, new AbortController().signal);
              if (part) setContinued(last => ({ parts: [...partsOf(last, answer), part], of: answer }));
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
