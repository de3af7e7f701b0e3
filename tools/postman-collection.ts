/** A ready collection for Postman (format 2.1, which Bruno and Insomnia import too), made from the API tables. */
import { API_OPERATIONS, apiDocument } from '../src/http/openapi/document.ts';
import { type ApiOperation, TAGS } from '../src/http/openapi/operation.ts';

const VARIABLES = {
  baseUrl: 'http://127.0.0.1:8080',
  clientId: 'demo',
  clientPassword: '',
  token: '',
  adminToken: '',
};

/** Keeps the token of the answer, so that the other requests can use it. */
const STORE_TOKEN = [
  'const { code, data } = pm.response.json();',
  "if (code === 'A000') pm.collectionVariables.set('token', data.token);",
];

export function postmanCollection(): object {
  const { info } = apiDocument();
  return {
    info: {
      name: info.title,
      description: `${info.description}\n\nSet clientId, clientPassword and adminToken, then send "Issue a token" first.`,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: bearer('token'),
    variable: Object.entries(VARIABLES).map(([key, value]) => ({ key, value, type: 'string' })),
    item: Object.entries(TAGS).map(([tag, description]) => ({
      name: tag,
      description,
      item: API_OPERATIONS.filter(operation => operation.tag === tag).flatMap(itemsOf),
    })),
  };
}

/** A request for each example of an operation, or one without a body. */
function itemsOf(operation: ApiOperation): object[] {
  const { request, summary, operationId } = operation;
  const examples = Object.entries(request?.examples ?? {});
  const named = examples.length > 0 ? examples : [['', undefined] as const];
  return named.map(([name, body]) => ({
    name: examples.length > 1 ? `${summary}: ${name}` : summary,
    ...(operationId === 'issueToken' && {
      event: [{ listen: 'test', script: { type: 'text/javascript', exec: STORE_TOKEN } }],
    }),
    request: requestOf(operation, body),
  }));
}

function requestOf(operation: ApiOperation, body: unknown): object {
  const { method, path, description, access, parameters = [], request } = operation;
  const inHeader = parameters.filter(parameter => parameter.in === 'header');
  const segments = path
    .slice(1)
    .split('/')
    .map(segment => segment.replace(/^\{(\w+)\}$/, ':$1'));
  const variable = parameters
    .filter(parameter => parameter.in === 'path')
    .map(({ name, example, description: meaning }) => ({ key: name, value: example, description: meaning }));
  const query = parameters
    .filter(({ in: place, required }) => place === 'query' && required)
    .map(({ name, example }) => `${name}=${encodeURIComponent(example)}`);
  return {
    method: method.toUpperCase(),
    description,
    url: {
      raw: `{{baseUrl}}/${segments.join('/')}${query.length > 0 ? `?${query.join('&')}` : ''}`,
      host: ['{{baseUrl}}'],
      path: segments,
      ...(variable.length > 0 && { variable }),
    },
    ...authOf(access),
    header: [
      ...(access === 'credentials'
        ? [
            { key: 'X-SVC-Client-Id', value: '{{clientId}}' },
            { key: 'X-SVC-Client-Passwd', value: '{{clientPassword}}' },
          ]
        : []),
      // Off, because a second send with the same key would only repeat the first answer.
      ...inHeader.map(({ name, example }) => ({ key: name, value: example, disabled: true })),
    ],
    ...(request && { body: bodyOf(request.type, body) }),
  };
}

function bodyOf(type: string, body: unknown): object {
  if (type === 'multipart/form-data') {
    return { mode: 'formdata', formdata: [{ key: 'file', type: 'file', src: [] }] };
  }
  if (type === 'text/csv') return { mode: 'raw', raw: String(body), options: { raw: { language: 'text' } } };
  return { mode: 'raw', raw: JSON.stringify(body, null, 2), options: { raw: { language: 'json' } } };
}

function authOf(access: ApiOperation['access']): object {
  if (access === 'account') return {};
  return { auth: access === 'operator' ? bearer('adminToken') : { type: 'noauth' } };
}

function bearer(variable: keyof typeof VARIABLES): object {
  return { type: 'bearer', bearer: [{ key: 'token', value: `{{${variable}}}`, type: 'string' }] };
}
