/** What the documents of the operator's resources share. */
import type { JsonSchema } from '../../domain/request/fields.ts';
import type { ResultCode } from '../../domain/request/result-codes.ts';
import { type ApiParameter, pathParameter } from '../openapi/operation.ts';

export const READ_CODES: readonly ResultCode[] = ['A002', 'A020', 'A300', 'A999'];
export const CHANGE_CODES: readonly ResultCode[] = [...READ_CODES, 'A010', 'A011'];

export const accountId = pathParameter('id', 'Id of the account.', 'shop');
export const NO_ACCOUNT = 'There is no such account.';

export function queryParameter(
  name: string,
  description: string,
  example: string,
  schema: JsonSchema = { type: 'string' },
): ApiParameter {
  return { name, in: 'query', description, schema, example };
}

export const cursor = (example: string): ApiParameter =>
  queryParameter('cursor', 'The "next" of the previous answer.', example);
export const limit = queryParameter('limit', 'Most rows of a page, 1 to 200; default 50.', '50', {
  type: 'string',
  pattern: '^\\d{1,3}$',
});
