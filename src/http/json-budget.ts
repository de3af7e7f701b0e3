/**
 * What a JSON body may hold, counted in its bytes before it is parsed: deeply nested JSON overflows the stack of whatever
 * walks it, and a megabyte of tiny members costs more to build than to refuse.
 */
import { Problem } from '../domain/request/problem.ts';

/** Our choice: an expert RCS body may nest 16 levels, five levels down in a combined send. */
export const MAX_DEPTH = 64;
/** Our choice: a combined send with every word of ten recipients and three full carousels has about 5,000. */
export const MAX_VALUES = 20_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Which limit the body exceeds: too deep is JSON that we cannot parse. Stops there; whether the rest is JSON is for the parser to say. */
export function jsonBudgetProblem(body: Uint8Array): Problem | undefined {
  // Neither limit can be exceeded by fewer bytes.
  if (body.length <= MAX_DEPTH) return undefined;
  let depth = 0;
  let values = 1;
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
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--;
        break;
      case COMMA:
        values++;
        break;
    }
    if (values > MAX_VALUES) return new Problem('A300', `The body holds more than ${MAX_VALUES} values`);
  }
  return undefined;
}

/** The index of the quote that ends the string. */
function endOfString(body: Uint8Array, start: number): number {
  let index = start;
  while (index < body.length && body[index] !== QUOTE) index += body[index] === BACKSLASH ? 2 : 1;
  return index;
}
