/** How a share compares with the usual one. */

export type Trend =
  | { readonly kind: 'new' | 'same' | 'none' }
  | { readonly kind: 'up'; readonly times: number }
  | { readonly kind: 'down'; readonly part: number };

/** Less of a change than this says nothing. */
const NOTICEABLE = 0.2;

export function trendOf(rate: number, usual: number): Trend {
  if (rate === 0) return { kind: usual === 0 ? 'none' : 'down', part: 1 } as Trend;
  if (usual === 0) return { kind: 'new' };
  const times = rate / usual;
  if (times > 1 + NOTICEABLE) return { kind: 'up', times };
  return times < 1 - NOTICEABLE ? { kind: 'down', part: 1 - times } : { kind: 'same' };
}

/** `2.4%`, `0.031%`: enough digits to tell small ones apart. */
export function percent(share: number, language: string): string {
  return new Intl.NumberFormat(language, { style: 'percent', maximumSignificantDigits: 2 }).format(share);
}

/** `1.3`, `14`. */
export function times(value: number, language: string): string {
  const digits = value < 10 ? 1 : 0;
  return new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value);
}
