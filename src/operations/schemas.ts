/** The building blocks of schemas. */
import type { JsonSchema } from '../domain/request/fields.ts';

/** An object of a response: exactly these members, because strict clients reject others. */
export function closedObject(
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  const required = Object.keys(properties).filter(name => !optional.includes(name));
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

export function reference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

export function listOf(name: string, description: string): JsonSchema {
  return { type: 'array', items: reference(name), description };
}

/** A page of a list, newest first. */
export function pageOf(member: string, name: string): JsonSchema {
  return closedObject({
    [member]: listOf(name, 'Newest first.'),
    next: orNull(text('Cursor of the next page; null on the last one.')),
  });
}

export function orNull(schema: JsonSchema): JsonSchema {
  return { ...schema, type: [schema.type, 'null'] };
}

export const text = (description: string): JsonSchema => ({ type: 'string', description });
export const time = (description: string): JsonSchema => ({
  type: 'string',
  format: 'date-time',
  description,
});
export const flag = (description: string): JsonSchema => ({ type: 'boolean', description });
export const count = (description: string): JsonSchema => ({ type: 'integer', minimum: 0, description });
