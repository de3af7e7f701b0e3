/** The provider's names of uploaded files, in the places of ours within a message. */

/** The message with other texts in the places of these. */
export function replaceReferences(value: unknown, replacements: ReadonlyMap<string, string>): unknown {
  if (replacements.size === 0) return value;
  if (typeof value === 'string') return replacements.get(value) ?? value;
  if (Array.isArray(value)) return value.map(item => replaceReferences(item, replacements));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, replaceReferences(item, replacements)]),
  );
}
