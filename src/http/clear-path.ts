/**
 * Paths that others read in another way than we do. A proxy that decides by the path who may come resolves `..` and `%2f` before it
 * decides, and passes the path on as it came: `/console/..%2fv1/x` is /v1/x to it, and was something of ours to us.
 */
const MAY_BE_UNCLEAR = /[.\\%]/;
const ENCODED = /%2e|%2f|%5c|\\/gi;
const MEANING: Readonly<Record<string, string>> = { '%2e': '.', '%2f': '/', '%5c': '/', '\\': '/' };
const DOT_SEGMENT = /(^|\/)\.{1,2}(\/|$)/;

/** Whether the path of this target has a segment `.` or `..`, however it is written. */
export function hasDotSegments(target: string): boolean {
  const [path = ''] = target.split(/[?#]/, 1);
  if (!MAY_BE_UNCLEAR.test(path)) return false;
  return DOT_SEGMENT.test(path.replace(ENCODED, written => MEANING[written.toLowerCase()] ?? written));
}
