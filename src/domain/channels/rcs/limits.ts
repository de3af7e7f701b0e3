/**
 * The limits of a format, checked on a message in carrier-standard form.
 *
 * Simple and expert requests are both measured here, after they have taken the same form, so that the same
 * message meets the same limits however it was written. A problem names the part as the client wrote it.
 */

import { isUnfilled, measured } from '../../request/field-kinds.ts';
import { isObject, type Reading } from '../../request/fields.ts';
import { Problem } from '../../request/problem.ts';
import type { ResultCode } from '../../request/result-codes.ts';
import { countCharacters, countSaid, fitsCharacters } from '../../text/characters.ts';
import type { RcsSuggestion } from './buttons.ts';
import type { RcsFormat } from './formats.ts';
import { valueProblem } from './value-kinds.ts';

/** The keys of a card in `body`; in a carousel each is followed by the card's number, from 1. */
export const CARD_KEYS = ['title', 'description', 'media', 'mediaUrl'] as const;
export type CardKey = (typeof CARD_KEYS)[number];

/** The keys of a sub-info in `body`, each followed by its number, from 1. */
export const SUB_INFO_KEYS = ['subTitle', 'subDesc', 'subMedia', 'subMediaUrl'] as const;
export type SubInfoKey = (typeof SUB_INFO_KEYS)[number];

/** Begins the reference that an upload for RCS returns. */
export const MEDIA_SCHEME = 'maapfile://';

/** The buttons of one card; empty for a card without. */
export interface RcsCardButtons {
  readonly suggestions?: readonly RcsSuggestion[];
}

export interface RcsMessage {
  readonly body: Readonly<Record<string, unknown>>;
  readonly buttons: readonly RcsCardButtons[];
  /** Cards and sub-infos given, whatever they hold. */
  readonly cards: number;
  readonly subInfos: number;
  readonly names: PartNames;
}

/** What the client called the parts of the message. Cards, sub-infos and buttons count from 0. */
export interface PartNames {
  readonly cards: string;
  readonly subInfos: string;
  readonly card: (key: CardKey, card: number) => string;
  readonly subInfo: (key: SubInfoKey, index: number) => string;
  /** The entries of all cards. */
  readonly buttonEntries: string;
  readonly buttons: (card: number) => string;
  readonly label: (card: number, button: number) => string;
}

type Check = (message: RcsMessage, format: RcsFormat, reading: Reading) => Problem | undefined;

/** The first limit of `format` that the message breaks. */
export const rcsLimitProblem: Check = (message, format, reading) => {
  for (const check of [cardCount, subInfos, titles, texts, images, buttons]) {
    const problem = check(message, format, reading);
    if (problem) return problem;
  }
  return undefined;
};

const cardCount: Check = ({ cards, names }, { cards: wanted, id }) => {
  if (cards === wanted) return undefined;
  const code = cards > wanted ? 'A417' : 'A415';
  return new Problem(code, `"${names.cards}" must have ${plural(wanted, 'card')} in ${id} (was ${cards})`);
};

const subInfos: Check = (message, format, reading) => {
  const { subInfos: count, names, body } = message;
  const { id, subInfoMax, subTextMax } = format;
  if (count > subInfoMax) {
    const most = plural(subInfoMax, 'sub-info');
    return new Problem('A424', `"${names.subInfos}" has more than ${most} in ${id} (was ${count})`);
  }
  for (let index = 0; index < count; index++) {
    const text = textAt(body, `subDesc${index + 1}`);
    const problem =
      mediaProblem(textAt(body, `subMedia${index + 1}`), names.subInfo('subMedia', index), reading) ??
      linkProblem(textAt(body, `subMediaUrl${index + 1}`), names.subInfo('subMediaUrl', index), reading) ??
      (subTextMax === undefined
        ? undefined
        : lengthProblem(text, subTextMax, names.subInfo('subDesc', index), 'A415', reading));
    if (problem) return problem;
  }
  return undefined;
};

const titles: Check = (message, format, reading) =>
  eachCard(message, format, 'title', (title, name) => {
    if (title !== undefined && format.titleMax === 0) return notAllowed(name, format);
    return lengthProblem(title, format.titleMax, name, 'A415', reading);
  });

const texts: Check = (message, format, reading) => {
  const { textMax, isTextTotal, isTextRequired } = format;
  const problem = eachCard(message, format, 'description', (text, name) => {
    if (text === undefined) return isTextRequired ? new Problem('A415', `"${name}" is required`) : undefined;
    if (textMax === 0) return notAllowed(name, format);
    return isTextTotal ? undefined : lengthProblem(text, textMax, name, 'A415', reading);
  });
  return problem ?? (isTextTotal ? totalProblem(message, format, reading) : undefined);
};

const images: Check = (message, format, reading) => {
  const links = eachCard(message, format, 'mediaUrl', (link, name) => linkProblem(link, name, reading));
  if (links) return links;
  return eachCard(message, format, 'media', (media, name) => {
    if (media === undefined) {
      return format.image === 'required'
        ? new Problem('A415', `"${name}" is required in ${format.id}`)
        : undefined;
    }
    return format.image === 'none' ? notAllowed(name, format) : mediaProblem(media, name, reading);
  });
};

const buttons: Check = (message, format, reading) => {
  const { names } = message;
  const { id, cards, buttonsPerCard, labelMax } = format;
  if (message.buttons.length > cards) {
    return new Problem(
      'A406',
      `"${names.buttonEntries}" has more entries than ${id} has cards (was ${message.buttons.length})`,
    );
  }
  for (const [card, { suggestions = [] }] of message.buttons.entries()) {
    if (suggestions.length > buttonsPerCard) {
      const most = plural(buttonsPerCard, 'button');
      return new Problem(
        'A406',
        `"${names.buttons(card)}" has more than ${most} (was ${suggestions.length})`,
      );
    }
    for (const [index, suggestion] of suggestions.entries()) {
      if (labelMax === undefined) break;
      const problem = lengthProblem(labelOf(suggestion), labelMax, names.label(card, index), 'A427', reading);
      if (problem) return problem;
    }
  }
  return undefined;
};

function eachCard(
  { body, names }: RcsMessage,
  format: RcsFormat,
  key: CardKey,
  check: (value: string | undefined, name: string) => Problem | undefined,
): Problem | undefined {
  for (let card = 0; card < format.cards; card++) {
    const problem = check(textAt(body, cardKey(format, key, card)), names.card(key, card));
    if (problem) return problem;
  }
  return undefined;
}

/** Texts of all cards together. */
function totalProblem({ body, names }: RcsMessage, format: RcsFormat, reading: Reading): Problem | undefined {
  const texts = Array.from(
    { length: format.cards },
    (_, card) => textAt(body, cardKey(format, 'description', card)) ?? '',
  );
  return lengthInAllProblem(texts, format.textMax, names.cards, reading);
}

/** Problem of texts that share a limit. */
export function lengthInAllProblem(
  texts: readonly string[],
  max: number,
  name: string,
  reading: Reading,
): Problem | undefined {
  const parts = texts.map(text => measured(text, reading));
  const all = parts.map(({ value }) => value);
  const without = parts.find(part => part.without !== '')?.without ?? '';
  // No text has more characters than code units: most messages need no counting.
  if (all.reduce((units, text) => units + text.length, 0) <= max) return undefined;
  const total = all.reduce((count, text) => count + countCharacters(text, max), 0);
  if (total <= max) return undefined;
  return new Problem(
    'A415',
    `"${name}" has texts longer than ${max} characters in total${without} (was ${countSaid(max, ...all)})`,
  );
}

function lengthProblem(
  value: string | undefined,
  max: number,
  name: string,
  code: ResultCode,
  reading: Reading,
): Problem | undefined {
  if (value === undefined || fitsCharacters(value, max)) return undefined;
  const { value: text, without } = measured(value, reading);
  if (fitsCharacters(text, max)) return undefined;
  return new Problem(
    code,
    `"${name}" is longer than ${max} characters${without} (was ${countSaid(max, text)})`,
  );
}

function mediaProblem(value: string | undefined, name: string, reading: Reading): Problem | undefined {
  if (value === undefined || isUnfilled(value, reading)) return undefined;
  const isReference = value.startsWith(MEDIA_SCHEME) && /^\S+$/.test(value.slice(MEDIA_SCHEME.length));
  if (isReference) return undefined;
  return new Problem('A415', `"${name}" must be a reference that begins with ${MEDIA_SCHEME}`);
}

/** Where a tap on an image leads. */
function linkProblem(value: string | undefined, path: string, reading: Reading): Problem | undefined {
  return value === undefined ? undefined : valueProblem('imageLink', value, { path, code: 'A415', reading });
}

function notAllowed(name: string, { id }: RcsFormat): Problem {
  return new Problem('A415', `"${name}" is not allowed in ${id}`);
}

function cardKey({ kind }: RcsFormat, key: CardKey, card: number): string {
  return kind === 'carousel' ? `${key}${card + 1}` : key;
}

function textAt(body: RcsMessage['body'], key: string): string | undefined {
  const value = body[key];
  return typeof value === 'string' ? value : undefined;
}

function labelOf({ action }: RcsSuggestion): string | undefined {
  return isObject(action) && typeof action.displayText === 'string' ? action.displayText : undefined;
}

function plural(count: number, noun: 'card' | 'button' | 'sub-info'): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}
