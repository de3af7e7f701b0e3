/** A message in the composer is the JSON that will be sent; fields read and write its values by path. */

export type Entry = Readonly<Record<string, unknown>>;

/** The value at `attachment.image.imgUrl` or `content.carousel.0.title`. */
export function valueAt(entry: unknown, path: string): unknown {
  let value = entry;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
  }
  return value;
}

export function textAt(entry: unknown, path: string): string {
  const value = valueAt(entry, path);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

export function listAt(entry: unknown, path: string): readonly unknown[] {
  const value = valueAt(entry, path);
  return Array.isArray(value) ? value : [];
}

/** A copy with this value in place; `undefined` and `''` remove it, with the objects that it leaves empty. */
export function withValue(entry: Entry, path: string, value: unknown): Entry {
  const changed = changedAt(entry, path.split('.'), value);
  return isEntry(changed) ? changed : {};
}

export function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function changedAt(node: unknown, [name = '', ...rest]: readonly string[], value: unknown): unknown {
  if (Array.isArray(node)) {
    const next = rest.length === 0 ? value : (changedAt(node[Number(name)], rest, value) ?? {});
    return node.map((member, index) => (index === Number(name) ? next : member));
  }
  const members = isEntry(node) ? node : {};
  const next = rest.length === 0 ? value : changedAt(members[name], rest, value);
  if (next !== undefined && next !== '') return { ...members, [name]: next };
  const { [name]: _removed, ...others } = members;
  return Object.keys(others).length > 0 ? others : undefined;
}
