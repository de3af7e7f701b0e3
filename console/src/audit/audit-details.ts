/** The details of an audit entry as a person reads them: `sendRate: 5 → 7, adGuard: true`. */

type Details = Readonly<Record<string, unknown>>;

export function detailsText(details: unknown): string {
  if (!isObject(details)) return details === undefined || details === null ? '' : String(details);
  const { before, ...after } = details;
  const old = isObject(before) ? new Map(pairsOf(before)) : new Map<string, string>();
  return pairsOf(after)
    .map(([name, value]) => `${name}: ${old.has(name) ? `${old.get(name)} → ` : ''}${value}`)
    .join(', ');
}

/** Settings are named without the object that holds them. */
function pairsOf(details: Details): [name: string, value: string][] {
  return Object.entries(details).flatMap(([name, value]): [string, string][] => {
    if (!isObject(value)) return [[name, textOf(value)]];
    const prefix = name === 'settings' ? '' : `${name}.`;
    return pairsOf(value).map(([inner, text]) => [`${prefix}${inner}`, text]);
  });
}

function textOf(value: unknown): string {
  if (value === null) return '–';
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(textOf).join(' ');
  return isObject(value) ? JSON.stringify(value) : String(value);
}

function isObject(value: unknown): value is Details {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
