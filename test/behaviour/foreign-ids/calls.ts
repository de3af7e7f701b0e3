/** The calls of the walk: each operation with a foreign id in each place that can hold one. */
import assert from 'node:assert/strict';
import type { SendKind } from '../../../src/domain/request/send-kinds.ts';
import { SEND_EXAMPLES } from '../../../src/http/contract/send-examples.ts';
import { API_OPERATIONS } from '../../../src/http/openapi/document.ts';
import type { ApiOperation, ApiParameter } from '../../../src/http/openapi/operation.ts';
import { image } from '../../harness/images.ts';
import { Multipart } from '../../harness/multipart.ts';
import { nameOf, type Place, textPlaces, withValueAt } from '../../openapi/text-places.ts';
import { type Kind, NAMES_OF_OTHER_THINGS, NAMES_THAT_HOLD } from './names.ts';

/** One call. What it names of the owner is put in twice: as the owner has it, and as nobody has it. */
export interface Call {
  readonly what: string;
  /** Of the only thing that it names. */
  readonly kind?: Kind;
  readonly operation: ApiOperation;
  readonly parameters: Readonly<Record<string, Value>>;
  readonly body?: (fill: Fill) => unknown;
}
/** Text as it stands, or something of the owner. */
type Value = string | { readonly kind: Kind };
export type Fill = (value: Value) => string;

/** All calls that can hold an id, each with one of them; and one call of what can hold none. */
export function* clientCalls(operation: ApiOperation, own: Readonly<Record<string, string>>): Iterable<Call> {
  const { operationId, parameters = [], path } = operation;
  const plain = Object.fromEntries(parameters.map(each => [each.name, each.example]));
  const holders = parameters.filter(({ name }) => NAMES_THAT_HOLD[name]);
  const body = exampleOf(operation, own);
  const withBody = body === undefined ? {} : { body: () => body };
  for (const { name } of holders) {
    for (const kind of NAMES_THAT_HOLD[name] ?? []) {
      const what = `${operationId} with a foreign ${kind} as ${name}`;
      yield { what, kind, operation, parameters: { ...plain, [name]: { kind } }, ...withBody };
    }
  }
  if (holders.every(({ in: where }) => where === 'header')) {
    yield { what: operationId, operation, parameters: plain, ...withBody };
  }
  if (operation.request?.type !== 'application/json') return;
  for (const place of textPlaces(operation)) {
    for (const kind of NAMES_THAT_HOLD[nameOf(place)] ?? []) {
      const around = /\/omni$|^\/v1\/form|^\/v1\/reservation$/.test(path)
        ? flowAround(body, place, own)
        : body;
      yield {
        what: `${operationId} with a foreign ${kind} as ${place.join('.')}`,
        kind,
        operation,
        parameters: plain,
        body: fill => withValueAt(around, place, fill({ kind })),
      };
    }
  }
  // Everything at once: one foreign id must not open the door for the next.
  yield {
    what: `${operationId} with foreign ids in all places`,
    operation,
    parameters: plain,
    body: fill => filledEverywhere(body, '', fill),
  };
}

export function* operatorCalls(operation: ApiOperation): Iterable<Call> {
  const { operationId, parameters = [], path } = operation;
  const kinds = (parameters.find(({ name, in: where }) => name === 'kind' && where === 'path')?.schema
    .enum ?? [undefined]) as readonly (string | undefined)[];
  for (const kind of kinds) {
    const given = Object.fromEntries(parameters.map(each => [each.name, valueFor(each, kind)]));
    const isSend = path.endsWith('/{kind}');
    const body = isSend ? bodyOf(kind as SendKind) : exampleOf(operation, {});
    const what = `${operationId} ${kind ?? ''}`;
    yield {
      what,
      operation,
      parameters: { ...given, id: 'stranger' },
      ...(body !== undefined && { body: () => body }),
    };
    if (!isSend) continue;
    yield {
      what: `${what} with foreign ids in all places`,
      operation,
      parameters: { ...given, id: 'stranger' },
      body: fill => filledEverywhere(body, '', fill),
    };
    const send = API_OPERATIONS.find(each => each.path === `/v1/send/${kind}`);
    for (const call of send ? clientCalls(send, {}) : []) {
      yield { ...call, what: `${what}: ${call.what}`, operation, parameters: { ...given, id: 'stranger' } };
    }
  }

  function valueFor({ name, in: where, example }: ApiParameter, kind: string | undefined): Value {
    if (name === 'id') return 'stranger';
    if (name === 'kind') return where === 'path' ? String(kind) : example;
    if (name === 'key') return { kind: kind as Kind };
    if (name === 'optOutId') return { kind: 'optOut' };
    if (where === 'query' && ['state', 'cursor', 'limit'].includes(name)) return example;
    const [first] = NAMES_THAT_HOLD[name] ?? [];
    assert.ok(first || NAMES_OF_OTHER_THINGS.has(name), `say in names.ts what ${name} of ${path} holds`);
    return first ? { kind: first } : example;
  }
}

function bodyOf(kind: SendKind): unknown {
  return Object.values(SEND_EXAMPLES[kind])[0];
}

/** The first example of an operation; an upload has an image. */
function exampleOf({ request }: ApiOperation, own: Readonly<Record<string, string>>): unknown {
  if (request?.type === 'multipart/form-data') return Multipart.ofFile(image('jpg', 640, 480));
  const [first] = Object.values(request?.examples ?? {});
  return first === undefined
    ? undefined
    : JSON.parse(JSON.stringify(first), (name, value) => own[name] ?? value);
}

/** An entry of a flow holds one channel: that of the place. */
function flowAround(body: unknown, place: Place, own: Readonly<Record<string, string>>): unknown {
  const [list, index, channel] = place;
  if (typeof index !== 'number' || list === 'destinations') return body;
  const { to, ref, fallback, ...message } = JSON.parse(
    JSON.stringify(bodyOf(channel as SendKind)),
    (name, value) => own[name] ?? value,
  );
  return { ...(body as object), [String(list)]: [{ [String(channel)]: message }] };
}

function filledEverywhere(value: unknown, name: string, fill: Fill): unknown {
  const [kind] = NAMES_THAT_HOLD[name] ?? [];
  if (typeof value === 'string') return kind && name !== 'text' ? fill({ kind }) : value;
  if (Array.isArray(value)) return value.map(each => filledEverywhere(each, name, fill));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, filledEverywhere(member, key, fill)]),
  );
}
