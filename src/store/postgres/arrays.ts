/** Lists of objects as parameters of a statement: one array for each column of their description. */
import { type ColumnsOf, memberWriter } from '../records/columns.ts';
import type { Parameter } from '../tables/tables.ts';
import { arrayText } from './statement.ts';

/** The parameters of `unnest` (tables.ts): for each column its values as an array, already written as text. */
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
