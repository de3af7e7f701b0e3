/** The places in the request of an operation that take text, read from its schema in the API document. */
import { apiDocument } from '../../src/http/openapi/document.ts';
import type { ApiOperation } from '../../src/http/openapi/operation.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Members and indexes from the root of a body. */
export type Place = readonly (string | number)[];

const ANY_WORD = 'any word';
const COMPONENTS = apiDocument().components as Readonly<Record<'schemas', Readonly<Record<string, Schema>>>>;

/** Every place for text, once. */
export function textPlaces({ request }: ApiOperation): readonly Place[] {
  const places = new Map<string, Place>();
  if (request && request.type !== 'text/csv') walk(request.schema, []);
  return [...places.values()];

  function walk(schema: Schema, place: Place): void {
    if (typeof schema.$ref === 'string') walk(COMPONENTS.schemas[nameIn(schema.$ref)] ?? {}, place);
    for (const word of ['allOf', 'oneOf', 'anyOf'] as const) {
      for (const choice of (schema[word] ?? []) as Schema[]) walk(choice, place);
    }
    if (isText(schema)) places.set(JSON.stringify(place), place);
    // Words that the caller chooses.
    if (isOpen(schema)) places.set(JSON.stringify(place), [...place, ANY_WORD]);
    if (schema.items) walk(schema.items as Schema, [...place, 0]);
    for (const [name, member] of Object.entries((schema.properties ?? {}) as Record<string, Schema>)) {
      walk(member, [...place, name]);
    }
  }
}

/** The member that a place belongs to, also where it is one of a list or under a word that the caller chooses. */
export function nameOf(place: Place): string {
  return String(place.findLast(step => typeof step === 'string' && step !== ANY_WORD));
}

/** A copy of the body with a value at the place; what is missing on the way is made. */
export function withValueAt(body: unknown, place: Place, value: unknown): unknown {
  const [step, ...rest] = place;
  if (step === undefined) return value;
  if (typeof step === 'number')
    return [withValueAt(Array.isArray(body) ? body[step] : undefined, rest, value)];
  const members = typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {};
  return { ...members, [step]: withValueAt((members as Record<string, unknown>)[step], rest, value) };
}

function isText({ type }: Schema): boolean {
  return type === 'string' || (Array.isArray(type) && type.includes('string'));
}

function isOpen({ type, properties, additionalProperties }: Schema): boolean {
  return type === 'object' && !properties && additionalProperties !== false;
}

function nameIn(reference: string): string {
  return reference.split('/').at(-1) ?? '';
}
