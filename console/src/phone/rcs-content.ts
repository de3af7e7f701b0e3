/** What the phone draws of an RCS message, read from its carrier-standard `body` and `buttons`. */
import type { RcsStep, RcsSuggestion } from '../gateway/steps.ts';

export interface RcsCard {
  readonly title: string | undefined;
  readonly text: string | undefined;
  readonly media: string | undefined;
  readonly mediaUrl: string | undefined;
  readonly buttons: readonly RcsButton[];
}

export interface RcsButton {
  readonly label: string;
  /** Where it leads, as far as that can be said in a line. */
  readonly target: string | undefined;
}

export interface SubInfo {
  readonly title: string | undefined;
  readonly text: string | undefined;
  readonly media: string | undefined;
}

/** A row of a cell template: a title, or two cells of which the right one may be absent. */
export interface Cell {
  readonly title?: string;
  readonly left?: string;
  readonly right?: string;
}

/** `number` is 0 for the only card, from 1 for the cards of a carousel. */
export function cardOf(step: RcsStep, number: number): RcsCard {
  const suffix = number === 0 ? '' : String(number);
  const read = (key: string) => textOf(step.body?.[`${key}${suffix}`]);
  const suggestions = step.buttons?.[Math.max(0, number - 1)]?.suggestions ?? [];
  return {
    title: read('title'),
    text: read('description'),
    media: read('media'),
    mediaUrl: read('mediaUrl'),
    buttons: suggestions.map(buttonOf),
  };
}

export function subInfosOf({ body = {} }: RcsStep): SubInfo[] {
  const numbers = numbersOf(body, /^sub(?:Title|Desc|Media)(\d+)$/);
  return numbers.map(number => ({
    title: textOf(body[`subTitle${number}`]),
    text: textOf(body[`subDesc${number}`]),
    media: textOf(body[`subMedia${number}`]),
  }));
}

/** Titled and two-sided rows, in the order of their numbers. */
export function cellsOf({ body = {} }: RcsStep): Cell[] {
  return numbersOf(body, /^cell(?:Title|Left|Right)(\d+)$/).flatMap(number => {
    const title = textOf(body[`cellTitle${number}`]);
    const left = textOf(body[`cellLeft${number}`]);
    const right = textOf(body[`cellRight${number}`]);
    const rows: Cell[] = title === undefined ? [] : [{ title }];
    if (left !== undefined || right !== undefined) rows.push({ left: left ?? '', right: right ?? '' });
    return rows;
  });
}

const DRAWN = /^(?:m?title|description|media(?:Url)?|sub\w+|cell(?:Title|Left|Right))\d*$/i;

/** Values of an issued template under keys of its own, which only the template can place. */
export function otherValuesOf({ body = {} }: RcsStep): [string, string][] {
  return Object.entries(body).flatMap(([key, value]) => {
    const text = textOf(value);
    return text === undefined || DRAWN.test(key) ? [] : [[key, text] satisfies [string, string]];
  });
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function numbersOf(body: object, keys: RegExp): number[] {
  const found = Object.keys(body).flatMap(key => Number(keys.exec(key)?.[1] ?? Number.NaN));
  return [...new Set(found.filter(number => !Number.isNaN(number)))].sort((a, b) => a - b);
}

function buttonOf({ action = {} }: RcsSuggestion): RcsButton {
  return { label: textOf(action.displayText) ?? '', target: firstText(action) };
}

/** The first text of an action other than its label: an address, a number, a text to copy. */
function firstText(action: Readonly<Record<string, unknown>>): string | undefined {
  for (const [key, value] of Object.entries(action)) {
    if (key === 'displayText' || key === 'postback') continue;
    const found =
      textOf(value) ?? (typeof value === 'object' && value !== null ? firstText({ ...value }) : undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}
