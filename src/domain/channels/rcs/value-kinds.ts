/**
 * What the values of buttons and the addresses behind images must be, whichever style a message is written in. A value that
 * holds a placeholder is checked when its words are put in.
 */
import { holdsPlaceholder } from '../../request/field-kinds.ts';
import type { Reading } from '../../request/fields.ts';
import { Problem } from '../../request/problem.ts';
import type { ResultCode } from '../../request/result-codes.ts';
import { opensNothing } from '../../text/addresses.ts';

/** The end of `"url" must be …`, and which values are. */
const VALUE_KINDS = {
  text: { mustBe: 'a text', isValid: () => true },
  url: { mustBe: 'a full address such as https://example.com', isValid: isAddress },
  // A client's helper for images that fill the screen sends a backslash.
  imageLink: {
    mustBe: 'a full address such as https://example.com, or \\ to fill the screen',
    isValid: value => value === '\\' || isAddress(value),
  },
  phone: { mustBe: 'a telephone number', isValid: value => /^[+*#\d][\d\s*#-]{1,24}$/.test(value) },
  latitude: { mustBe: 'a number from -90 to 90', isValid: value => isDegree(value, 90) },
  longitude: { mustBe: 'a number from -180 to 180', isValid: value => isDegree(value, 180) },
  time: { mustBe: 'a time such as 2026-03-02T09:30:00+09:00', isValid: isTime },
} as const satisfies Record<string, { mustBe: string; isValid: (value: string) => boolean }>;

export type ValueKind = keyof typeof VALUE_KINDS;

export function mustBe(kind: ValueKind): string {
  return VALUE_KINDS[kind].mustBe;
}

/** The specification writes coordinates as strings, everybody else as numbers. */
export function isNumeric(kind: ValueKind): boolean {
  return kind === 'latitude' || kind === 'longitude';
}

export function valueProblem(
  kind: ValueKind,
  value: string,
  about: { readonly path: string; readonly code: ResultCode; readonly reading: Reading },
): Problem | undefined {
  if (about.reading === 'template' && holdsPlaceholder(value)) return undefined;
  if (VALUE_KINDS[kind].isValid(value)) return undefined;
  return new Problem(about.code, `"${about.path}" must be ${mustBe(kind)}`);
}

/** An event that ends before it starts is shown by no phone; one that ends as it starts is a reminder. */
export function orderProblem(
  startTime: string,
  endTime: string,
  { path, code }: { readonly path: string; readonly code: ResultCode },
): Problem | undefined {
  const isReversed = isTime(startTime) && isTime(endTime) && Date.parse(startTime) > Date.parse(endTime);
  return isReversed
    ? new Problem(code, `"${path}.endTime" must not be before "${path}.startTime"`)
    : undefined;
}

/** App links have schemes of their own. */
function isAddress(value: string): boolean {
  return URL.canParse(value) && !opensNothing(value);
}

const DECIMAL = /^[+-]?\d{1,3}(\.\d{1,20})?$/;

function isDegree(value: string, most: number): boolean {
  return DECIMAL.test(value) && Math.abs(Number(value)) <= most;
}

/** RCC.07 writes coordinates as numbers; a text that is not a number is passed on. */
export function numberOf(value: string | undefined): number | string | undefined {
  return value !== undefined && DECIMAL.test(value) ? Number(value) : value;
}

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(Z|[+-](0\d|1[0-4]):[0-5]\d)$/;

/** `yyyy-MM-dd'T'HH:mm:ssXXX` that names a real day and time: 30 February would come back as 2 March. */
function isTime(value: string): boolean {
  const local = TIME.exec(value)?.[1];
  if (local === undefined) return false;
  const at = Date.parse(`${local}Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(local);
}
