/** The options of a choice. */

export interface Option {
  readonly value: string;
  readonly label: string;
}

/**
 * From labels by value, or from values that are their own labels. `all`: the first one, for any of them. `given`: one that an
 * address names, which may be none of them any more.
 */
export function optionsOf(
  labels: Readonly<Record<string, string>> | readonly string[],
  { all, given = '' }: { readonly all?: string; readonly given?: string } = {},
): readonly Option[] {
  const named: readonly Option[] = Array.isArray(labels)
    ? labels.map(value => ({ value, label: value }))
    : Object.entries(labels).map(([value, label]) => ({ value, label }));
  const isKnown = given === '' || named.some(({ value }) => value === given);
  return [
    ...(all === undefined ? [] : [{ value: '', label: all }]),
    ...named,
    ...(isKnown ? [] : [{ value: given, label: given }]),
  ];
}
