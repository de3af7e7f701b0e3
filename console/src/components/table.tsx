/** A table that becomes a list of cards on a narrow screen: each cell carries the name of its column. */
import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly isNumber?: boolean;
}

export function Table<Row>(props: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row, index: number) => string;
}) {
  return (
    <table class="table">
      <caption class="sr-only">{props.label}</caption>
      <thead>
        <tr>
          {props.columns.map(column => (
            <th key={column.name} scope="col" class={column.isNumber ? 'number' : undefined}>
              {column.name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {props.rows.map((row, index) => (
          <tr key={props.keyOf(row, index)}>
            {props.columns.map(column => (
              <td key={column.name} data-name={column.name} class={column.isNumber ? 'number' : undefined}>
                <Cell>{column.cell(row)}</Cell>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** One element, so that a narrow screen can put it beside its column's name; an empty cell stays empty. */
function Cell({ children }: { children: ComponentChildren }) {
  return children === '' ? null : <div>{children}</div>;
}
