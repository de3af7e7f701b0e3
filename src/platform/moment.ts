/** Moments as requests name them: ISO 8601 with an offset. See zoned-time.ts for how moments are written. */

/** Completes the sentence `"from" must be …`. */
export const MOMENT_FORM = 'a time such as 2026-03-02T09:30:00+09:00';

/** A plus sign that a query string turned into a blank is still read as a plus. */
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+ -]\d\d:\d\d)$/;

/** Milliseconds since 1970, or undefined when the value is no moment, or one before 1970. */
export function parseMoment(value: unknown): number | undefined {
  if (typeof value !== 'string' || !MOMENT.test(value)) return undefined;
  const ms = Date.parse(value.replace(' ', '+'));
  return ms >= 0 ? ms : undefined;
}
