/**
 * The expert style: carrier-standard `body` and `buttons`, as the client wrote them.
 *
 * The keys of cards and sub-infos must be strings. Where the format is known they are read in any letter case, each may be
 * given once, and they must be numbered as its kind asks. Other keys are free.
 */
import { isNotGiven, isObject, type Reading } from '../../request/fields.ts';
import { Problem } from '../../request/problem.ts';
import { actionProblem } from './actions.ts';
import type { RcsSuggestion } from './buttons.ts';
import type { RcsFormat } from './formats.ts';
import { CARD_KEYS, type PartNames, type RcsCardButtons, type RcsMessage, SUB_INFO_KEYS } from './limits.ts';
import { exactText, faultOf, readFreeKeys } from './text.ts';

const KNOWN_KEYS = new Map([...CARD_KEYS, ...SUB_INFO_KEYS].map(key => [key.toLowerCase(), key]));

/** `title`, `subMediaUrl2`: a name and perhaps a number. */
const KEY = /^([a-z]+?)([1-9]\d{0,2})?$/i;

const bodyText = exactText('A415', 'A value of the body.');

export function readBody(
  body: Readonly<Record<string, unknown>>,
  buttons: readonly unknown[],
  format: RcsFormat | undefined,
  reading: Reading,
  paths: { readonly body: string; readonly buttons: string },
): RcsMessage | Problem {
  const keys = format ? readKnownKeys(body, format, paths.body) : readAnyKeys(body, paths.body);
  if (keys instanceof Problem) return keys;
  const cardButtons = readButtons(buttons, { format, reading }, paths.buttons);
  if (cardButtons instanceof Problem) return cardButtons;
  const isCarousel = format?.kind === 'carousel';
  return {
    body: keys,
    buttons: cardButtons,
    cards: isCarousel ? highestNumber(keys, CARD_KEYS) : 1,
    subInfos: highestNumber(keys, SUB_INFO_KEYS),
    names: namesOf(paths, isCarousel),
  };
}

function readKnownKeys(
  body: Readonly<Record<string, unknown>>,
  format: RcsFormat,
  path: string,
): Record<string, unknown> | Problem {
  const known = new Map<string, string>();
  const others: [string, unknown][] = [];
  for (const [key, value] of Object.entries(body)) {
    if (isNotGiven(value)) continue;
    const name = knownKey(key);
    if (name === undefined) {
      others.push([key, value]);
      continue;
    }
    const problem = numberingProblem(name, format, path);
    if (problem) return problem;
    const text = bodyText.read(value, `${path}.${key}`, 'final');
    if (text instanceof Problem) return text;
    if (known.has(name)) return new Problem('A415', `"${path}.${key}" is given more than once`);
    known.set(name, text);
  }
  const free = readFreeKeys(others, path);
  return free instanceof Problem ? free : { ...free, ...Object.fromEntries(known) };
}

/** The keys of a format that is not known: they stay as they are. */
function readAnyKeys(
  body: Readonly<Record<string, unknown>>,
  path: string,
): Record<string, unknown> | Problem {
  const keys = readFreeKeys(Object.entries(body), path);
  if (keys instanceof Problem) return keys;
  for (const key of Object.keys(keys)) {
    if (knownKey(key) === undefined || typeof body[key] === 'string') continue;
    return new Problem('A011', `"${path}.${key}" must be a string`);
  }
  return keys;
}

/** A body with the carrier-standard spelling of its known keys, except those that are names of the template's own. */
export function spelledAsKnown(
  body: Readonly<Record<string, unknown>>,
  ownNames: readonly string[],
): Record<string, unknown> {
  const spelled = new Map<string, unknown>();
  for (const [key, value] of Object.entries(body)) {
    const name = ownNames.includes(key) ? key : (knownKey(key) ?? key);
    // An empty value is none: it does not displace the value of another spelling.
    if (value !== '' || !spelled.has(name)) spelled.set(name, value);
  }
  return Object.fromEntries(spelled);
}

/** The carrier-standard spelling of a key of a card or a sub-info. */
export function knownKey(key: string): string | undefined {
  const [, name = '', number = ''] = KEY.exec(key) ?? [];
  const known = KNOWN_KEYS.get(name.toLowerCase());
  return known && `${known}${number}`;
}

function numberingProblem(key: string, { id, kind }: RcsFormat, path: string): Problem | undefined {
  const isNumbered = /\d$/.test(key);
  if (key.startsWith('sub')) {
    return isNumbered ? undefined : new Problem('A415', `"${path}.${key}" must end with a number, from 1`);
  }
  if (isNumbered === (kind === 'carousel')) return undefined;
  return isNumbered
    ? new Problem('A415', `"${path}.${key}" is only for carousels: ${id} has one card`)
    : new Problem('A415', `"${path}.${key}" must end with the number of its card: ${id} is a carousel`);
}

function highestNumber(body: Readonly<Record<string, unknown>>, names: readonly string[]): number {
  let highest = 0;
  for (const key of Object.keys(body)) {
    const [, name = '', number = '0'] = KEY.exec(key) ?? [];
    if (names.includes(name)) highest = Math.max(highest, Number(number));
  }
  return highest;
}

interface ButtonRules {
  readonly format: RcsFormat | undefined;
  readonly reading: Reading;
}

/** One entry for each card, `{}` for a card without buttons; none at all when no card has one. */
function readButtons(
  entries: readonly unknown[],
  rules: ButtonRules,
  path: string,
): RcsCardButtons[] | Problem {
  const { format } = rules;
  const fault = faultOf(entries);
  if (fault) return new Problem('A406', `"${path}" ${fault}`);
  const cards: RcsCardButtons[] = [];
  for (const [card, entry] of entries.entries()) {
    const read = readCardButtons(entry, rules, `${path}[${card}]`);
    if (read instanceof Problem) return read;
    cards.push(read);
  }
  if (!cards.some(card => card.suggestions)) return [];
  while (format && cards.length < format.cards) cards.push({});
  return cards;
}

function readCardButtons(entry: unknown, rules: ButtonRules, path: string): RcsCardButtons | Problem {
  if (isNotGiven(entry)) return {};
  if (!isObject(entry)) return new Problem('A011', `"${path}" must be a JSON object`);
  const { suggestions } = entry;
  if (isNotGiven(suggestions)) return {};
  if (!Array.isArray(suggestions)) return new Problem('A011', `"${path}.suggestions" must be a list`);
  for (const [index, suggestion] of suggestions.entries()) {
    const problem = suggestionProblem(suggestion, rules, `${path}.suggestions[${index}]`);
    if (problem) return problem;
  }
  return { suggestions: suggestions as readonly RcsSuggestion[] };
}

/** Where the format is known, a button has a label and something to do. */
function suggestionProblem(
  suggestion: unknown,
  { format, reading }: ButtonRules,
  path: string,
): Problem | undefined {
  if (!isObject(suggestion)) return new Problem('A011', `"${path}" must be a JSON object`);
  if (!format) return undefined;
  const { action } = suggestion;
  if (!isObject(action)) return new Problem('A406', `"${path}.action" is required`);
  const { displayText } = action;
  if (isNotGiven(displayText)) return new Problem('A427', `"${path}.action.displayText" is required`);
  if (typeof displayText !== 'string') {
    return new Problem('A011', `"${path}.action.displayText" must be a string`);
  }
  return actionProblem(action, reading, `${path}.action`);
}

function namesOf(paths: { body: string; buttons: string }, isCarousel: boolean): PartNames {
  return {
    cards: paths.body,
    subInfos: paths.body,
    card: (key, card) => `${paths.body}.${key}${isCarousel ? card + 1 : ''}`,
    subInfo: (key, index) => `${paths.body}.${key}${index + 1}`,
    buttonEntries: paths.buttons,
    buttons: card => `${paths.buttons}[${card}].suggestions`,
    label: (card, button) => `${paths.buttons}[${card}].suggestions[${button}].action.displayText`,
  };
}
