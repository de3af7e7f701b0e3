/** An operation as a call: where it goes, what it brings along, what comes back. */
import type { ApiReference, Operation } from './document.ts';
import type { SampleCall, SampleHeader } from './samples.ts';

export type Values = Readonly<Record<string, string>>;

const JSON_TYPE = 'application/json';
const MULTIPART_TYPE = 'multipart/form-data';

/** Where the samples read their secrets. */
const ENVIRONMENT = {
  token: 'BONGSU_TOKEN',
  operatorToken: 'BONGSU_ADMIN_TOKEN',
  id: 'BONGSU_CLIENT_ID',
  password: 'BONGSU_CLIENT_PASSWORD',
};

/** The parameters of a first try: those of the path as in the document, and nothing else. */
export function firstValues({ parameters }: Operation): Values {
  return Object.fromEntries(
    parameters.map(({ name, in: place, required, example }) => [
      name,
      place === 'path' || required ? example : '',
    ]),
  );
}

export function urlOf({ path, parameters }: Operation, origin: string, values: Values): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  const query = parameters
    .filter(({ in: place, name }) => place === 'query' && values[name])
    .map(({ name }) => `${encodeURIComponent(name)}=${encodeURIComponent(values[name] ?? '')}`);
  return `${origin}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`;
}

export function sampleCallOf(
  operation: Operation,
  reference: Pick<ApiReference, 'credentials'>,
  origin: string,
  values: Values,
  body: unknown,
): SampleCall {
  const given = operation.parameters
    .filter(({ in: place, name }) => place === 'header' && values[name])
    .map(({ name }) => ({ name, value: values[name] ?? '' }));
  return {
    method: operation.method,
    url: urlOf(operation, origin, values),
    headers: [...authorisationOf(operation, reference), ...given],
    body: bodyOf(operation, body),
    answer: answerOf(operation),
  };
}

function authorisationOf(
  { access }: Operation,
  { credentials }: Pick<ApiReference, 'credentials'>,
): SampleHeader[] {
  switch (access) {
    case 'credentials':
      return [
        { name: credentials.id, value: '', env: ENVIRONMENT.id },
        { name: credentials.password, value: '', env: ENVIRONMENT.password },
      ];
    case 'token':
    case 'operatorToken':
      return [{ name: 'Authorization', value: 'Bearer ', env: ENVIRONMENT[access] }];
    case 'nothing':
      return [];
  }
}

function bodyOf({ body }: Operation, value: unknown): SampleCall['body'] {
  if (body?.type === MULTIPART_TYPE) return { kind: 'file', part: 'file', name: 'image.jpg' };
  if (!body || value === undefined) return undefined;
  return body.type === JSON_TYPE
    ? { kind: 'json', value }
    : { kind: 'text', type: body.type, value: String(value) };
}

/** A body as it is typed: JSON, or a text as it is. */
export function bodyText({ body }: Operation, value: unknown): string {
  if (value === undefined) return '';
  return body?.type === JSON_TYPE ? JSON.stringify(value, null, 2) : String(value);
}

/** What was typed; undefined while it is not JSON where it should be. */
export function bodyTyped({ body }: Operation, text: string): unknown {
  if (body?.type !== JSON_TYPE) return text;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function answerOf({ answers }: Operation): SampleCall['answer'] {
  const types = answers.find(({ status }) => status === '200')?.bodies.map(({ type }) => type) ?? [];
  if (types.length === 0 || types.includes(JSON_TYPE)) return 'json';
  return types.every(type => type.startsWith('text/')) ? 'text' : 'file';
}

export function takesFile({ body }: Operation): boolean {
  return body?.type === MULTIPART_TYPE;
}
