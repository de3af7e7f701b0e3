/** Fields that the queries of lists share. */
import { type AccountId, parseAccountId } from '../ids.ts';
import { field, wholeNumber } from './field-kinds.ts';
import { type Field, type Fields, readFields, type ValuesOf } from './fields.ts';
import { Problem } from './problem.ts';

/** All parameters are text, so one of a wrong type is a wrong value: that says A300, in every list. */
export function readQuery<F extends Fields>(fields: F, query: unknown): ValuesOf<F> | Problem {
  const values = readFields(fields, query);
  return values instanceof Problem && values.code === 'A011' ? new Problem('A300', values.result) : values;
}

/** How much a list answers at most. */
export function pageLimit(most: number, usual: number, what = 'Most rows of a page'): Field<number, false> {
  const description = `${what}, 1 to ${most}; default ${usual}.`;
  const digits = String(most).length;
  return {
    ...wholeNumber({ code: 'A300', min: 1, max: most, description }),
    schema: { type: 'string', pattern: `^\\d{1,${digits}}$`, description },
    example: String(usual),
  };
}

/** Where the next page begins. */
export function cursor<T>(example: string, parse: (value: string) => T | undefined): Field<T, false> {
  const schema = { type: 'string', description: 'The "next" of the previous answer.' };
  return {
    ...field('A300', schema, value => parse(String(value)) ?? new Problem('A300', '"cursor" is invalid')),
    example,
  };
}

export function accountFilter(description: string): Field<AccountId, false> {
  const read = (value: unknown) =>
    parseAccountId(String(value)) ?? new Problem('A300', '"account" must be the id of an account');
  return { ...field('A300', { type: 'string', description }, read), example: 'shop' };
}

/** The cursor of a list in the order of numbers. */
export function numberIn(value: string): number | undefined {
  return /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}
