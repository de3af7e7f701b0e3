/** Marks that turn the direction of a text, such as U+202E. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The same as on a terminal: src/cli/output.ts; a test compares the two. */
export function visible(text: string): string {
  return text.replace(
    DIRECTION,
    mark => `<U+${mark.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}>`,
  );
}
