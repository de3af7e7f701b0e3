/** The placeholders in the texts of a draft: a value is asked for each of them, without naming it again. */
import type { Draft } from './draft.ts';

const PLACEHOLDER = /#\{([^{}]*)\}/g;
/** A recipient may have as many words. */
const MOST_FOUND = 100;

/** The names in the texts of the steps, in their order, each once. */
export function foundWords({ steps }: Pick<Draft, 'steps'>): string[] {
  const names = new Set<string>();
  for (const { entry } of steps) collect(entry, names);
  return [...names].slice(0, MOST_FOUND);
}

function collect(value: unknown, names: Set<string>): void {
  if (typeof value === 'string') {
    for (const [, name = ''] of value.matchAll(PLACEHOLDER)) names.add(name);
  } else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) collect(member, names);
  }
}

/** The words with this value under this name; without a value it is not among them. */
export function withWord(words: Draft['words'], name: string, value: string): Draft['words'] {
  if (value === '') return words.filter(word => word.name !== name);
  if (!words.some(word => word.name === name)) return [...words, { name, value }];
  return words.map(word => (word.name === name ? { name, value } : word));
}
