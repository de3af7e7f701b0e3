/** Requests for the operations of the API document: valid ones, and what becomes of them. */
import { SEND_KINDS, type SendKind } from '../../src/domain/request/send-kinds.ts';
import { SEND_EXAMPLES } from '../../src/http/contract/send-examples.ts';
import type { ApiOperation } from '../../src/http/openapi/operation.ts';
import { type Place, textPlaces, withValueAt } from '../openapi/text-places.ts';
import type { SeededRandom } from '../simulation/seeded-random.ts';
import { contentOf, type Framing, type HttpInput } from './http-input.ts';
import { jsonText, mutatedText, mutatedTree } from './mutation.ts';
import { ODD_TEXTS, oddText, oddValue } from './oddities.ts';

/** What the running gateway fills in, by the name of the parameter or member that takes it. */
const KNOWN: Readonly<Record<string, string>> = {
  formId: '{{formId}}',
  messageForm: '{{formId}}',
  fileKey: '{{fileKey}}',
  media: '{{media}}',
  msgKey: '{{msgKey}}',
  reportId: '{{reportId}}',
};

/** Whose things an operator changes: neither the account of the clients nor that of the last check. */
const ACCOUNTS = ['victim', 'victim', 'victim', 'shop', 'nobody'] as const;

const FRAMINGS: Readonly<Record<Framing, number>> = {
  length: 900,
  chunked: 40,
  pipelined: 30,
  short: 10,
  long: 10,
  broken: 10,
};

const PLACES = new Map<ApiOperation, readonly Place[]>();

export function requestFor(random: SeededRandom, operation: ApiOperation): HttpInput {
  const { operationId, method, access, parameters = [] } = operation;
  const kind = sendKindOf(random, operation);
  const body = operation.request?.type === 'application/json' ? bodyFor(random, operation, kind) : undefined;
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === 'kind' && kind !== undefined ? kind : segmentFor(random, operation, name),
  );
  const query = parameters
    .filter(({ in: where, required }) => where === 'query' && (required || random.chance(0.4)))
    .map(({ name, example }) => `${name}=${encoded(random.chance(0.5) ? example : oddText(random))}`);
  if (random.chance(0.03)) query.push(`${encoded(oddText(random))}=${encoded(oddText(random))}`);
  return {
    operation: operationId,
    method: random.chance(0.98)
      ? method.toUpperCase()
      : random.pick(['HEAD', 'OPTIONS', 'PATCH', 'PUT', 'TRACE', 'get']),
    path: query.length > 0 ? `${path}?${query.join('&')}` : path,
    headers: [
      ...authorization(random, access),
      ...(body === undefined ? [] : contentType(random)),
      ...(access === 'credentials' ? credentials(random) : []),
      ...parameters
        .filter(({ in: where }) => where === 'header' && random.chance(0.15))
        .map(({ name }) => [name, random.pick(['same-key', headerText(random), 'k'.repeat(255)])] as const),
      ...(random.chance(0.04) ? [oddHeader(random)] : []),
    ],
    ...(body !== undefined && { body: contentOf(body) }),
    framing: random.weighted(FRAMINGS),
  };
}

/** A path that the document may not have. */
export function strayRequest(random: SeededRandom): HttpInput {
  const base = random.pick([
    '/',
    '/v1',
    '/v1/send/',
    '/admin/v1/',
    '/console/',
    '/docs',
    '/files/',
    '/carriers/',
    '/%2e%2e/',
  ]);
  return {
    operation: 'none',
    method: random.pick([
      'GET',
      'POST',
      'DELETE',
      'HEAD',
      'OPTIONS',
      'PUT',
      'PATCH',
      'PROPFIND',
      'CONNECT',
      'Z',
    ]),
    path: base + (random.chance(0.7) ? encoded(oddText(random)) : oddText(random).slice(0, 200)),
    headers: [...authorization(random, 'account'), ...(random.chance(0.3) ? [oddHeader(random)] : [])],
    framing: 'length',
  };
}

/** The same request with something else changed. */
export function mutatedRequest(random: SeededRandom, input: HttpInput): HttpInput {
  const text = input.body && 'text' in input.body ? input.body.text : undefined;
  if (text !== undefined && random.chance(0.75))
    return { ...input, body: contentOf(mutatedJson(random, text)) };
  if (random.chance(0.5)) return { ...input, path: mutatedText(random, input.path) };
  return { ...input, headers: [...input.headers, oddHeader(random)], framing: random.weighted(FRAMINGS) };
}

function mutatedJson(random: SeededRandom, text: string): string {
  try {
    return jsonText(random, mutatedTree(random, JSON.parse(text)));
  } catch {
    return mutatedText(random, text);
  }
}

function sendKindOf(random: SeededRandom, { parameters = [] }: ApiOperation): SendKind | undefined {
  const choices = parameters.find(({ name, in: where }) => name === 'kind' && where === 'path')?.schema.enum;
  return (choices as readonly string[] | undefined)?.includes('sms') ? random.pick(SEND_KINDS) : undefined;
}

function bodyFor(random: SeededRandom, operation: ApiOperation, kind: SendKind | undefined): string {
  const examples = Object.values<unknown>(
    kind === undefined ? (operation.request?.examples ?? {}) : SEND_EXAMPLES[kind],
  );
  let body: unknown = examples.length > 0 ? random.pick(examples) : {};
  const places = PLACES.get(operation) ?? textPlaces(operation);
  PLACES.set(operation, places);
  if (places.length > 0 && random.chance(0.4)) {
    const place = random.pick(places);
    body = withValueAt(body, place, valueFor(random, String(place.at(-1))));
  }
  if (random.chance(0.8)) body = mutatedTree(random, body);
  // Nothing here leaves the machine.
  return jsonText(random, body).replaceAll(/https?:\/\/[\w.-]*example\.com/g, 'http://127.0.0.1:9');
}

function valueFor(random: SeededRandom, name: string): unknown {
  const known = KNOWN[name];
  if (known !== undefined && random.chance(0.6)) return known;
  return random.chance(0.7) ? oddText(random) : oddValue(random);
}

function segmentFor(random: SeededRandom, { parameters = [] }: ApiOperation, name: string): string {
  if (name === 'id') return random.chance(0.9) ? random.pick(ACCOUNTS) : encoded(oddText(random));
  const known = KNOWN[name];
  if (known !== undefined && random.chance(0.5)) return known;
  const parameter = parameters.find(each => each.name === name);
  const choices = parameter?.schema.enum as readonly string[] | undefined;
  if (choices && random.chance(0.8)) return encoded(random.pick(choices));
  if (random.chance(0.4)) return encoded(parameter?.example ?? 'x');
  return encoded(oddText(random)) || '%20';
}

/** Mostly as it should be; sometimes wrong, and sometimes not encoded at all. */
function encoded(text: string): string {
  const short = text.slice(0, 3000).toWellFormed();
  return /^[\x21-\x7e]*$/.test(short) && !/[/?#&]/.test(short) ? short : encodeURIComponent(short);
}

function authorization(random: SeededRandom, access: ApiOperation['access']): (readonly [string, string])[] {
  if (access === 'everyone' || access === 'credentials') return [];
  const right = access === 'operator' ? '{{adminToken}}' : '{{token}}';
  if (random.chance(0.95)) return [['authorization', `Bearer ${right}`]];
  const other = access === 'operator' ? '{{token}}' : '{{adminToken}}';
  return random.pick([
    [],
    [['authorization', `Bearer ${other}`]],
    [['authorization', `bearer  ${right}`]],
    [['authorization', headerText(random)]],
    [['cookie', `bongsu_session=${headerText(random)}`]],
    [
      ['authorization', `Bearer ${right}`],
      ['authorization', 'Bearer x'],
    ],
  ] as const) as (readonly [string, string])[];
}

function credentials(random: SeededRandom): (readonly [string, string])[] {
  return [
    ['x-svc-client-id', random.pick(['fuzz', 'victim', 'nobody', headerText(random)])],
    ['x-svc-client-passwd', random.pick(['wrong', '', headerText(random)])],
  ];
}

function contentType(random: SeededRandom): (readonly [string, string])[] {
  if (random.chance(0.96)) return [['content-type', 'application/json']];
  const odd = [
    'application/json; charset=utf-16',
    'text/plain',
    'application/JSON;x',
    '',
    'multipart/form-data',
    '/',
  ];
  return [['content-type', random.pick(odd)]];
}

function oddHeader(random: SeededRandom): readonly [string, string] {
  return random.pick<() => readonly [string, string]>([
    () => [
      'x-forwarded-for',
      random.pick(['1.2.3.4', '::1, ::ffff:1.2.3.4', headerText(random), ','.repeat(2000)]),
    ],
    () => ['content-length', random.pick(['0', '-1', '1e3', '99999999999999999999', '5, 5', '+5', '0x10'])],
    () => ['transfer-encoding', random.pick(['chunked', 'gzip, chunked', 'identity', 'chunked, chunked'])],
    () => ['expect', random.pick(['100-continue', 'cake'])],
    () => ['accept-encoding', headerText(random)],
    () => ['content-encoding', random.pick(['gzip', 'br', 'x'])],
    () => ['range', 'bytes=0-0,-1,999999999999-'],
    () => ['if-none-match', '*'],
    () => ['connection', random.pick(['close', 'upgrade', 'keep-alive, te'])],
    () => ['upgrade', random.pick(['websocket', 'h2c'])],
    () => ['host', random.pick(['', 'a b', '[::1', 'x'.repeat(300), '%00'])],
    () => ['origin', random.pick(['null', 'http://evil', headerText(random)])],
    () => ['cookie', `${headerText(random)}=${headerText(random)};`.repeat(random.pick([1, 50]))],
    () => ['x-long', 'x'.repeat(random.pick([100, 8000, 70_000]))],
    () => [headerText(random) || 'x', headerText(random)],
  ])();
}

/** Header lines hold no line ends; those are for `broken` framing. */
function headerText(random: SeededRandom): string {
  return random.pick(ODD_TEXTS).replaceAll(/[\r\n\0]/g, '');
}
