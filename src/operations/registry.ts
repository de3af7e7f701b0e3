/** What is registered for an account. */
import { REGISTRY_KINDS, type RegistryKind } from '../domain/registry/registry.ts';
import { type JsonSchema, schemaOfFields } from '../domain/request/fields.ts';
import { closedObject } from './schemas.ts';

/** An entry of one kind as operators see it; `more` is what it has beside the fields of its kind. */
export function entrySchema(
  word: RegistryKind,
  key: JsonSchema = { type: 'string' },
  more: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  const { meaning, fields } = REGISTRY_KINDS[word];
  const { properties, required } = schemaOfFields(fields) as {
    properties: Readonly<Record<string, JsonSchema>>;
    required: readonly string[];
  };
  const optional = Object.keys(properties).filter(name => !required.includes(name) && !(name in more));
  return {
    ...closedObject({ kind: { const: word }, key, ...properties, ...more }, optional),
    description: meaning,
  };
}
