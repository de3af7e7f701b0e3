/** What the API document says of declared operations. */
import type { Fields, JsonSchema } from '../../domain/request/fields.ts';
import { schemaOfFields } from '../../domain/request/fields.ts';
import type { ResultCode } from '../../domain/request/result-codes.ts';
import type { AnyOperation, PathParameter, Resource } from '../../operations/operation.ts';
import type { CsvShape, Shape } from '../../operations/shapes.ts';
import { CSV_TYPE } from '../envelope.ts';
import {
  type ApiContent,
  type ApiOperation,
  type ApiParameter,
  JSON_MEDIA,
  pathParameter,
  type ResourceDocument,
  success,
} from './operation.ts';
import { withReferences } from './request-schemas.ts';

/** What every operation of operators may answer. */
const READ_CODES: readonly ResultCode[] = ['A002', 'A020', 'A300', 'A999'];
const BODY_CODES: readonly ResultCode[] = ['A010', 'A011'];

export function documentOf({ tag, path, operations }: Resource): ResourceDocument {
  return {
    operations: operations.map(each => ({ tag, access: 'operator', ...describe(each, path) })),
    schemas: withReferences(Object.assign({}, ...operations.map(({ answer }) => answer.named))),
  };
}

function describe(
  operation: AnyOperation,
  path: Readonly<Record<string, PathParameter>>,
): Omit<Extract<ApiOperation, { access: 'operator' }>, 'tag' | 'access'> {
  const { address, id, role, summary, description, query = {}, answer, example, notFound } = operation;
  const [method, below] = address.split(' ') as [string, string];
  const inPath = Object.entries(path)
    .filter(([name]) => below.includes(`{${name}}`))
    .map(([name, { description, example, values }]) => ({
      ...pathParameter(name, description, example),
      ...(values && { schema: { type: 'string', enum: values } }),
    }));
  const parameters = [...inPath, ...parametersOf(query)];
  const request = requestOf(operation);
  return {
    method: method.toLowerCase() as ApiOperation['method'],
    path: `/admin/v1${below}`,
    operationId: id,
    ...{ role, summary, description },
    ...(parameters.length > 0 && { parameters }),
    ...(request && { request }),
    success: answered(answer, example),
    codes: [...READ_CODES, ...(request?.type === JSON_MEDIA ? BODY_CODES : []), ...(operation.codes ?? [])],
    ...(notFound !== undefined && { notFound }),
  };
}

/** Filters, as parameters of a query. */
export function parametersOf(query: Fields): ApiParameter[] {
  return Object.entries(query).map(([name, { schema, example = '', required }]) => {
    const { description, ...rest } = schema;
    const said = { name, in: 'query', description: String(description), schema: rest, example } as const;
    return required ? { ...said, required } : said;
  });
}

function requestOf({ body, takesCsv, takesFields, examples = {} }: AnyOperation): ApiContent | undefined {
  if (body === undefined) return undefined;
  if (takesCsv) return csvContent(examples);
  const schema = takesFields && body.fields ? body.fields.schema : schemaOfFields(body);
  return { type: JSON_MEDIA, schema, examples };
}

export function csvContent(examples: ApiContent['examples'] = {}): ApiContent {
  return { type: CSV_TYPE, schema: { type: 'string' }, examples };
}

/** A success with such an answer. */
export function answered<T>(shape: Shape<T>, example: T): readonly ApiContent[] {
  if ((shape as Partial<CsvShape<T>>).fileName !== undefined) return [csvContent()];
  return success({ data: shape.schema as JsonSchema }, { data: example });
}
