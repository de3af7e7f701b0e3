/** Texts of others on a terminal. They must not turn or clear what stands there. */

/**
 * Marks that turn the direction of a text: an operator would approve or allow something else than what is read. Terminals that
 * know them show the rest of the line in another order.
 */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function pointOf(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, '0');
}

/** With each mark of direction as `<U+202E>`. */
export function visible(text: string): string {
  return text.replace(DIRECTION, mark => `<U+${pointOf(mark).toUpperCase()}>`);
}

/** The same value, in which no mark of direction stands as it is. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(DIRECTION, mark => `\\u${pointOf(mark)}`);
}

/** The same text of some lines, without control sequences. */
export function visibleLines(text: string): string {
  return visible(text.replace(/[^\P{Cc}\n]/gu, '?'));
}
