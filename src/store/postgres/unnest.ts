/** Lists of objects as parameters of a statement: one array for each column of their description. */
import { type ColumnsOf, columnList, memberWriter } from '../records/columns.ts';
import type { Parameter } from '../tables/tables.ts';
import { arrayText } from './statement.ts';

/**
 * The rows of a list under an alias, with the names and types of their columns; `arraysOf` makes the parameters. With
 * `position` the last column is the position in the list, from 1.
 */
export function unnest<T>(alias: string, columns: ColumnsOf<T>, position?: 'position'): string {
  const list = columnList(columns);
  const arrays = list.map(({ name, type }) => `:${alias}.${name}::${type}[]`);
  const names = list.map(({ name }) => name);
  return position === undefined
    ? `unnest(${arrays.join(', ')}) AS ${alias} (${names.join(', ')})`
    : `unnest(${arrays.join(', ')}) WITH ORDINALITY AS ${alias} (${names.join(', ')}, ${position})`;
}

/** The parameters of `unnest`: for each column its values as an array, already written as text. */
export function arraysOf<T>(
  alias: string,
  columns: ColumnsOf<T>,
  objects: readonly NoInfer<T>[],
): Record<string, Parameter> {
  const parameters: Record<string, Parameter> = {};
  for (const member of Object.keys(columns) as (keyof T)[]) {
    const write = memberWriter(columns, member);
    parameters[`${alias}.${columns[member].name}`] = arrayText(objects, write);
  }
  return parameters;
}
