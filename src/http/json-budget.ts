/**
 * What a JSON body may hold, counted in its bytes before it is parsed: deeply nested JSON overflows the stack of whatever
 * walks it, and a megabyte of tiny members costs more to build than to refuse.
 */
import { Problem } from '../domain/request/problem.ts';

/** Our choice: an expert RCS body may nest 16 levels, five levels down in a combined send. */
export const MAX_DEPTH = 64;
/** Our choice: a combined send with ten words for each of a thousand recipients has about 15,000. */
export const MAX_VALUES = 20_000;
/** Of one object or list. Our choice: twice the keys that an RCS template may have. */
export const MAX_MEMBERS = 2_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** At each depth, of the object or list that is open there. One for all bodies: a list of its own for each is as much work as counting. */
const members = new Uint16Array(MAX_DEPTH + 1);

/** Which limit the body exceeds: too deep is JSON that we cannot parse. Stops there; whether the rest is JSON is for the parser to say. */
export function jsonBudgetProblem(body: Uint8Array): Problem | undefined {
  // Neither limit can be exceeded by fewer bytes.
  if (body.length <= MAX_DEPTH) return undefined;
  let depth = 0;
  let values = 1;
  members[0] = 0;
  for (let index = 0; index < body.length; index++) {
    switch (body[index]) {
      case QUOTE:
        index = endOfString(body, index + 1);
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        if (++depth > MAX_DEPTH) {
          return new Problem('A010', `The body is nested deeper than ${MAX_DEPTH} levels`);
        }
        values++;
        members[depth] = 1;
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--;
        break;
      case COMMA:
        values++;
        if (countMember(depth) > MAX_MEMBERS) {
          return new Problem(
            'A300',
            `The body holds an object or a list of more than ${MAX_MEMBERS} members`,
          );
        }
        break;
    }
    if (values > MAX_VALUES) return new Problem('A300', `The body holds more than ${MAX_VALUES} values`);
  }
  return undefined;
}

/** `depth` may be anything: more may be closed than was opened. */
function countMember(depth: number): number {
  const count = (members[depth] ?? 0) + 1;
  members[depth] = count;
  return count;
}

/** A search costs as much as looking at so many bytes. */
const NEAR = 64;

/**
 * The index of the quote that ends the string. A long text is searched, ten times faster than looking at each byte. After each
 * search that only found an escape, twice as many bytes are looked at: a megabyte of escapes is not sixteen thousand searches.
 */
function endOfString(body: Uint8Array, start: number): number {
  let index = start;
  for (let look = NEAR; ; look *= 2) {
    const near = Math.min(index + look, body.length);
    while (index < near && body[index] !== QUOTE) index += body[index] === BACKSLASH ? 2 : 1;
    if (index < near || index >= body.length) return index;
    const quote = body.indexOf(QUOTE, index);
    if (quote < 0) return body.length;
    const backslash = body.subarray(index, quote).indexOf(BACKSLASH);
    if (backslash < 0) return quote;
    index += backslash;
  }
}
