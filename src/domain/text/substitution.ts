/**
 * Placeholders. `#{key}` in a text-like field of a flow is replaced by a value that each recipient has (`replaceWords`).
 *
 * Values are not searched for placeholders themselves. An empty value is a value. A key without a value is a problem of
 * that recipient, so a placeholder never reaches a phone.
 */
import { isNotGiven } from '../request/fields.ts';
import { Problem } from '../request/problem.ts';

/** Values by key; keys without `#{}`. */
export type Words = Readonly<Record<string, string>>;

export const PLACEHOLDER = /#\{([^{}]*)\}/g;
const MOST_WORDS = 100;
/** A message rarely has more; ten are enough to find the others. */
const MOST_NAMED = 10;
const LONGEST_VALUE = 2000;

/** Longer keys are cut in an answer: a request may hold one of a megabyte, and ten recipients would each repeat it. */
const LONGEST_SHOWN = 64;

/**
 * Reads `replaceWords`. Numbers and booleans become text; a key may be written as `#{key}`. As everywhere `null`, `""` and
 * `[]` mean "not given", which PHP writes for an empty map; only as a word is `""` a value.
 */
export function parseWords(value: unknown, path: string): Words | Problem {
  if (isNotGiven(value)) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return new Problem('A011', `"${path}" must be a JSON object`);
  }
  const entries = Object.entries(value);
  if (entries.length > MOST_WORDS) {
    return new Problem('A300', `"${path}" has more than ${MOST_WORDS} members (was ${entries.length})`);
  }
  const words: Record<string, string> = Object.create(null);
  for (const [name, word] of entries) {
    if (word !== '' && isNotGiven(word)) continue;
    if (typeof word !== 'string' && typeof word !== 'number' && typeof word !== 'boolean') {
      return new Problem('A300', `"${path}.${shownKey(name)}" must be text`);
    }
    const text = String(word);
    if (text.length > LONGEST_VALUE || !text.isWellFormed() || text.includes('\0')) {
      return new Problem(
        'A300',
        `"${path}.${shownKey(name)}" must be text of at most ${LONGEST_VALUE} characters`,
      );
    }
    words[bareKey(name)] = text;
  }
  return words;
}

function bareKey(name: string): string {
  const match = /^#\{(.*)\}$/.exec(name);
  return match?.[1] ?? name;
}

/** A step for people to read: what has no word stays as it was written. */
export function shownStep<T>(step: T, words: Words | undefined): T {
  return words === undefined ? step : fillIn(step, words).filled;
}

/** A copy of `value` with every placeholder in its texts replaced; a key without a value is a problem. */
export function substitute<T>(value: T, words: Words): T | Problem {
  const { filled, missing } = fillIn(value, words);
  return missing === undefined ? filled : missingWord(missing);
}

function fillIn<T>(value: T, words: Words): { readonly filled: T; readonly missing: string | undefined } {
  let missing: string | undefined;
  const filled = mapTexts(value, text =>
    text.replace(PLACEHOLDER, (whole, key: string) => {
      if (Object.hasOwn(words, key)) return words[key] ?? '';
      missing ??= key;
      return whole;
    }),
  );
  return { filled, missing };
}

export function missingWord(key: string): Problem {
  return new Problem('A300', `"replaceWords" has no value for #{${shownKey(key)}}`);
}

/** A key that a client chose, as an answer repeats it. */
export function shownKey(key: string): string {
  return key.length <= LONGEST_SHOWN ? key : `${key.slice(0, LONGEST_SHOWN).toWellFormed()}…`;
}

/** A copy of `value` with the same word for every placeholder in its texts. */
export function withEachWord<T>(value: T, word: string): T {
  return mapTexts(value, text => text.replace(PLACEHOLDER, () => word));
}

/** What of a text is the same for every recipient. */
export function fixedPart(text: string): string {
  return text.replace(PLACEHOLDER, '');
}

/** Whether any text in `value` holds a placeholder. */
export function holdsPlaceholders(value: unknown): boolean {
  if (typeof value === 'string') return value.search(PLACEHOLDER) >= 0;
  if (Array.isArray(value)) return value.some(holdsPlaceholders);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(holdsPlaceholders);
}

/**
 * The keys of placeholders in the texts of `value`, each once, at most ten. In what a recipient gets they have no value and
 * are read as they stand: only a flow has words, and a word itself may look like a placeholder.
 */
export function placeholdersIn(value: unknown): string[] {
  const keys = new Set<string>();
  const collect = (part: unknown): void => {
    if (keys.size >= MOST_NAMED) return;
    if (typeof part === 'string') {
      for (const [, key = ''] of part.matchAll(PLACEHOLDER)) {
        if (keys.add(shownKey(key)).size >= MOST_NAMED) return;
      }
    } else if (Array.isArray(part)) {
      for (const item of part) collect(item);
    } else if (typeof part === 'object' && part !== null) {
      for (const member of Object.values(part)) collect(member);
    }
  };
  collect(value);
  return [...keys];
}

/** Depth is bounded where requests are read; this walks what has been read. */
function mapTexts<T>(value: T, map: (text: string) => string): T {
  if (typeof value === 'string') return map(value) as T;
  if (Array.isArray(value)) return value.map(item => mapTexts(item, map)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, mapTexts(member, map)]),
  ) as T;
}

/** A step as its recipient gets it. Its words were found to be complete when the message was accepted. */
export function renderStep<T>(step: T, words: Words | undefined): T {
  if (words === undefined) return step;
  const rendered = substitute(step, words);
  if (rendered instanceof Problem) throw new Error(`an accepted message lacks a word: ${rendered.result}`);
  return rendered;
}
