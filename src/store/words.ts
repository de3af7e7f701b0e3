/** The values of a recipient's placeholders, as the engines keep them. */
import type { Words } from '../domain/text/substitution.ts';

export function formatWords(words: Words | undefined): string | null {
  return words === undefined ? null : JSON.stringify(words);
}

export function parseWords(value: unknown): Words | undefined {
  return value === null ? undefined : (JSON.parse(String(value)) as Words);
}
