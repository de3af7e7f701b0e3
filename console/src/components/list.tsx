/** A list that is read page by page, and the button that continues it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { List } from '../answers/use-list.ts';
import { useWords } from '../words/words.tsx';
import { Button } from './button.tsx';
import { Loaded } from './loaded.tsx';
import { RefusalNotice } from './refusal-notice.tsx';
import { type Column, Table } from './table.tsx';

export function LoadedList<Row>(props: {
  of: List<Row>;
  empty: ComponentChildren;
  /** The label of the button that loads the next page. */
  more?: string;
  children: (rows: readonly Row[]) => ComponentChildren;
}) {
  const t = useWords();
  const { rows, ...asked } = props.of;
  // A page of a filtered list may be empty although there is more to look through.
  const empty = props.of.more ? <p class="muted">{t.common.moreToLook}</p> : props.empty;
  return (
    <>
      <Loaded of={{ ...asked, answer: rows }} empty={empty}>
        {props.children}
      </Loaded>
      <MoreButton list={props.of} {...(props.more && { label: props.more })} />
    </>
  );
}

export function LoadedTable<Row>(props: {
  of: List<Row>;
  label: string;
  columns: readonly Column<Row>[];
  keyOf: (row: Row, index: number) => string;
  empty: ComponentChildren;
  more?: string;
}) {
  return (
    <LoadedList {...props}>
      {rows => (
        <div class="card card-table">
          <Table label={props.label} columns={props.columns} rows={rows} keyOf={props.keyOf} />
        </div>
      )}
    </LoadedList>
  );
}

/** Tells how long the list is now, and keeps the focus when there is no more. */
function MoreButton<Row>({ list, label }: { list: List<Row>; label?: string }) {
  const t = useWords();
  const place = useRef<HTMLDivElement>(null);
  const isPressed = useRef(false);
  const { more, moreAction, rows, isLoading } = list;
  const hasMore = more !== undefined;
  useEffect(() => {
    if (!hasMore && isPressed.current) place.current?.focus({ preventScroll: true });
    isPressed.current = false;
  }, [hasMore]);
  return (
    <div ref={place} tabIndex={-1} class="more">
      <RefusalNotice refusal={moreAction.refusal} />
      {more && (
        <Button
          kind="quiet"
          isDisabled={moreAction.isRunning}
          onPress={() => {
            isPressed.current = true;
            more();
          }}
        >
          {label ?? t.common.more}
        </Button>
      )}
      <p class="sr-only" aria-live="polite">
        {rows && !isLoading && t.common.shown(rows.length)}
      </p>
    </div>
  );
}
