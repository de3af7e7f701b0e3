/**
 * A table where it fits, with every word whole; a list of cards where it does not: each cell carries the name of its column.
 * A cell's link with the class `row-link` covers its row.
 */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly isNumber?: boolean;
  /** May hold words of any length, which are broken where a line ends. */
  readonly isLong?: boolean;
}

export function Table<Row>(props: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row, index: number) => string;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const names = props.columns.map(({ name }) => name).join();
  const isStacked = useStacked(frame, props.rows, names);
  return (
    <div class="table-frame" ref={frame}>
      <table class={isStacked ? 'table table-stacked' : 'table'}>
        <caption class="sr-only">{props.label}</caption>
        <thead>
          <tr>
            {props.columns.map(column => (
              <th key={column.name} scope="col" class={classOf(column)}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row, index) => (
            <tr key={props.keyOf(row, index)}>
              {props.columns.map(column => (
                <td key={column.name} data-name={column.name} class={classOf(column)}>
                  <Cell content={column.cell(row)} isLong={column.isLong} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** One element, so that a narrow screen can put it beside its column's name; an empty cell stays empty. */
function Cell({ content, isLong }: { content: ComponentChildren; isLong: boolean | undefined }) {
  if (content === '') return null;
  return <div class={sizeOf(content)}>{isLong ? breakable(content) : content}</div>;
}

const LONGEST_WORD = 16;
const SHORTEST_SENTENCE = 30;

/** A few letters stay on one line. Several words have room for some of them, so that they are no column of single ones. */
function sizeOf(content: ComponentChildren): string | undefined {
  if (typeof content !== 'string') return undefined;
  if (content.length <= LONGEST_WORD) return 'cell-short';
  if (!content.includes(' ')) return undefined;
  return content.length < SHORTEST_SENTENCE ? 'cell-words' : 'cell-sentence';
}

/** Places for a break inside of long words only, so that a column of short ones stays as narrow as they are. */
function breakable(children: ComponentChildren): ComponentChildren {
  if (typeof children !== 'string' || children.length <= LONGEST_WORD) return children;
  const parts = children.match(/\s+|[^\s-]{1,16}-*|-+/g) ?? [];
  return parts.flatMap((part, index) => (index === 0 ? [part] : [<wbr key={index} />, part]));
}

function classOf<Row>({ isNumber, isLong }: Column<Row>): string | undefined {
  return isNumber ? 'number' : isLong ? 'long' : undefined;
}

/** Below this no table is tried. */
const LEAST_WIDTH = 560;

/** Whether the frame is too narrow for the table. How wide that is depends on its rows, so it is measured. */
function useStacked(
  frame: { readonly current: HTMLDivElement | null },
  rows: unknown,
  names: string,
): boolean {
  const [isStacked, setStacked] = useState(false);
  useLayoutEffect(() => {
    const element = frame.current;
    const table = element?.firstElementChild;
    if (!element || !table) return;
    let needed = 0;
    const measure = () => {
      const room = element.clientWidth;
      // Measured on the element itself, before anything is drawn; the next rendering says the same.
      if (needed === 0 && room >= LEAST_WIDTH) {
        table.classList.remove('table-stacked');
        needed = table.scrollWidth > room ? table.scrollWidth : 0;
      }
      const stacked = room < LEAST_WIDTH || room < needed;
      if (!stacked) needed = 0;
      table.classList.toggle('table-stacked', stacked);
      setStacked(stacked);
    };
    measure();
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    return () => resized.disconnect();
  }, [frame, rows, names]);
  return isStacked;
}
