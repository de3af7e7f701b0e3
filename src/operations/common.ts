/** What the operations of several resources share. */
import { field } from '../domain/request/field-kinds.ts';
import { required } from '../domain/request/fields.ts';
import type { PathParameter } from './operation.ts';
import { said } from './words.ts';

export const ACCOUNT: PathParameter = {
  description: said('Id of the account.', '계정 ID.'),
  example: 'shop',
};
export const NO_ACCOUNT = said('There is no such account.', '계정이 없습니다.');

/** The body of an operation that takes a file for spreadsheets. */
export const CSV_BODY = {
  file: required(field<string>('A300', { type: 'string' }, value => String(value))),
};
