/**
 * The header `traceparent` of W3C Trace Context: which trace of the client a request belongs to. One that is not valid is
 * ignored, as the specification has it.
 */

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NO_VERSION = 'ff';
const NOTHING = /^0+$/;

/** As version 00 has it. Later versions may add to the end, and to the flags; the first one means the same in all. */
export function parseTraceparent(given: string | readonly string[] | undefined): string | undefined {
  if (typeof given !== 'string') return undefined;
  const [, version, trace = '', parent = '', flags = '', more] = TRACEPARENT.exec(given) ?? [];
  if (version === undefined || version === NO_VERSION || NOTHING.test(trace) || NOTHING.test(parent))
    return undefined;
  if (version === '00') return more === undefined ? given : undefined;
  return `00-${trace}-${parent}-0${Number.parseInt(flags, 16) & 1}`;
}

/** A send with the trace that its request names. */
export function traced<Send extends { readonly traceparent?: string }>(
  send: Send,
  given: string | readonly string[] | undefined,
): Send {
  const traceparent = given === undefined ? undefined : parseTraceparent(given);
  return traceparent === undefined ? send : { ...send, traceparent };
}
