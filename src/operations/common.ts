/** What the operations of several resources share. */
import { field } from '../domain/request/field-kinds.ts';
import { type Field, required } from '../domain/request/fields.ts';
import { pageLimit } from '../domain/request/list-fields.ts';
import { Problem } from '../domain/request/problem.ts';
import { MOMENT_FORM, parseMoment } from '../platform/moment.ts';
import type { PathParameter } from './operation.ts';
import { said } from './words.ts';

export const ACCOUNT: PathParameter = {
  description: said('Id of the account.', '계정 ID.'),
  example: 'shop',
};
export const NO_ACCOUNT = said('There is no such account.', '계정이 없습니다.');

/** Rows of a page. */
export const LIMIT = pageLimit(200, 50);

export const EXAMPLE_MSG_KEY = '06C3Q8ZD9GYYRC3W1V5N2X4K7M0PT000';
export const EXAMPLE_INVITATION = 'bongsu_in_73CP32RA4HDP1F2XAFY9D9TN44ETW88F';
export const EXAMPLE_TIME = '2026-03-02T09:30:00+09:00';

const moment = required(
  field<string>(
    'A300',
    { type: 'string', description: 'ISO 8601 with the configured offset.', format: 'date-time' },
    (value, path) =>
      parseMoment(value) === undefined
        ? new Problem('A300', `"${path}" must be ${MOMENT_FORM}`)
        : String(value),
  ),
);
/** From and until: what was given, for the audit log keeps it so. */
export const RANGE = { from: moment, until: moment };
export const RANGE_EXAMPLES = {
  [said('one day', '하루')]: { from: '2026-03-02T00:00:00+09:00', until: '2026-03-03T00:00:00+09:00' },
};

/** A moment in a query. */
export function momentFilter(description: string, example: string): Field<number, false> {
  const read = (value: unknown, path: string) =>
    parseMoment(value) ?? new Problem('A300', `"${path}" must be ${MOMENT_FORM}`);
  return { ...field('A300', { type: 'string', description, format: 'date-time' }, read), example };
}

type Entry = Readonly<Record<string, unknown>>;

/** The whole body of an operation that `takesFields`. */
export function anyFields(description: string) {
  const schema = { type: 'object', description, additionalProperties: true };
  return { fields: required(field<Entry>('A300', schema, value => value as Entry)) };
}

/** Entries that are read one by one, so that a refusal can say which is wrong. */
export function entryList(description: string, most?: number): Field<readonly unknown[], true> {
  const items = { type: 'object', additionalProperties: true };
  const schema = { type: 'array', items, ...(most !== undefined && { maxItems: most }), description };
  const read: Field<readonly unknown[]>['read'] = (value, path) => {
    if (!Array.isArray(value)) return new Problem('A011', `"${path}" must be a list`);
    return most === undefined || value.length <= most
      ? value
      : new Problem('A300', `"${path}" has more than ${most} entries (was ${value.length})`);
  };
  return { ...required(field('A300', schema, read)), takesEmpty: true };
}

/** The body of an operation that takes a file for spreadsheets. */
export const CSV_BODY = {
  file: required(field<string>('A300', { type: 'string' }, value => String(value))),
};
