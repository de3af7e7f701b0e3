/**
 * Whether a message agrees with an approved template. `#{name}` in the template matches any text, even an empty one;
 * everything else must be equal, character for character. A name that occurs twice may have two values: to require
 * equal ones would take more than linear time, and the networks do not require it either.
 */
import { PLACEHOLDER } from './substitution.ts';

/**
 * Time is linear in the two lengths, whatever they hold. The fixed parts are looked for from left to right, each at
 * its first place after the one before: if any placing fits, this one does.
 */
export function templateMatches(template: string, message: string): boolean {
  // Splitting also gives the names of the placeholders, at the odd places.
  const parts = template.split(PLACEHOLDER).filter((_, index) => index % 2 === 0);
  const head = parts.shift() ?? '';
  const tail = parts.pop();
  if (tail === undefined) return message === head;
  if (!message.startsWith(head) || !message.endsWith(tail)) return false;
  const end = message.length - tail.length;
  let position = head.length;
  for (const part of parts) {
    const found = indexWithin(message, part, position, end);
    if (found < 0) return false;
    position = found + part.length;
  }
  return position <= end;
}

/**
 * Whether some words make a message with placeholders of its own agree with the template. Only what stands before the first
 * placeholder of each and behind the last is compared; a message that still cannot agree is found when its words are there.
 */
export function templateCanMatch(template: string, message: string): boolean {
  const approved = template.split(PLACEHOLDER);
  const written = message.split(PLACEHOLDER);
  const [one, other] = [approved[0] ?? '', written[0] ?? ''];
  const [oneEnd, otherEnd] = [approved.at(-1) ?? '', written.at(-1) ?? ''];
  const canBegin =
    approved.length === 1 ? one.startsWith(other) : one.startsWith(other) || other.startsWith(one);
  const canEnd =
    approved.length === 1 ? one.endsWith(otherEnd) : oneEnd.endsWith(otherEnd) || otherEnd.endsWith(oneEnd);
  return canBegin && canEnd;
}

/**
 * The first place of `part` in `message` from `start` that ends at or before `end`; -1 if there is none. Knuth, Morris
 * and Pratt: `String.indexOf` takes the product of the lengths on texts such as "aaa…ab" in "aaa…".
 */
function indexWithin(message: string, part: string, start: number, end: number): number {
  if (part === '') return start <= end ? start : -1;
  const borders = bordersOf(part);
  let matched = 0;
  for (let position = start; position < end; position++) {
    matched = extend(part, borders, matched, message.charCodeAt(position));
    if (matched === part.length) return position + 1 - part.length;
  }
  return -1;
}

/** For each head of `part`, the length of its longest proper head that is also its tail. */
function bordersOf(part: string): number[] {
  const borders = [0];
  for (let position = 1, border = 0; position < part.length; position++) {
    border = extend(part, borders, border, part.charCodeAt(position));
    borders.push(border);
  }
  return borders;
}

/** The length of the head of `part` that is matched once one more unit has been read. */
function extend(part: string, borders: readonly number[], matched: number, unit: number): number {
  let length = matched;
  while (length > 0 && part.charCodeAt(length) !== unit) length = borders[length - 1] ?? 0;
  return part.charCodeAt(length) === unit ? length + 1 : 0;
}
