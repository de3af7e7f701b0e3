/**
 * What the messenger channels (alimtalk, friendtalk, brandmessage) share, and the tolerance their clients need:
 * Java and Go clients send whole objects of blanks (`summary: {urlMobile: ""}`) where they mean "not given", and an
 * early Go client writes the nested names with underscores.
 */

import { object, text, word } from '../request/field-kinds.ts';
import {
  alsoNamed,
  type Field,
  type Fields,
  isNotGiven,
  isObject,
  type Reading,
  required,
  type ValuesOf,
} from '../request/fields.ts';
import { Problem } from '../request/problem.ts';
import type { ResultCode } from '../request/result-codes.ts';
import { opensNothing } from '../text/addresses.ts';

export const senderKey = required(characters('A502', 100, 'Key of the sender profile.'));

export const templateCode = characters('A505', 100, 'Code of the approved template.');

/** No source limits addresses and names; this only keeps a message storable. */
const ROOMY = 2000;

/** Text of at most `max` characters. */
export function characters(code: ResultCode, max: number, description: string): Field<string, false> {
  return text({ code, max, unit: 'characters', description });
}

/** Text whose length the contract does not limit. */
export function roomyText(code: ResultCode, description: string): Field<string, false> {
  return characters(code, ROOMY, description);
}

/** What a tap opens. Public clients test with words that are no address; only what could do harm is refused. */
export function address(code: ResultCode, description: string): Field<string, false> {
  return refine(roomyText(code, description), (value, path) =>
    opensNothing(value)
      ? new Problem(code, `"${path}" must be a full address such as https://example.com`)
      : value,
  );
}

/** Where a tap leads, by the kind of device. */
export function links(code: ResultCode) {
  return {
    urlMobile: alsoNamed(address(code, 'Address opened on a phone.'), 'url_mobile'),
    urlPc: alsoNamed(address(code, 'Address opened on a computer.'), 'url_pc'),
    schemeIos: alsoNamed(address(code, 'App scheme on iOS.'), 'scheme_ios'),
    schemeAndroid: alsoNamed(address(code, 'App scheme on Android.'), 'scheme_android'),
  };
}

export function yesOrNo(code: ResultCode, description: string): Field<'Y' | 'N', false> {
  return word({ code, values: ['Y', 'N'], description });
}

/** Adds a rule over a whole value, such as one that relates two of its members. */
export function refine<T, U, R extends boolean>(
  base: Field<T, R>,
  rule: (value: T, path: string, reading: Reading) => U | Problem,
): Field<U, R> {
  return {
    ...base,
    read: (given, path, reading) => {
      const value = base.read(given, path, reading);
      return value instanceof Problem ? value : rule(value, path, reading);
    },
  };
}

/** An object; members that are blank, or objects of blanks, count as not given. */
export function looseObject<F extends Fields>(rule: {
  readonly code: ResultCode;
  readonly fields: F;
  readonly description: string;
}): Field<ValuesOf<F>, false> {
  const base = object(rule);
  return { ...base, read: (given, path, reading) => base.read(withoutBlanks(given), path, reading) };
}

/** The object without its blank members, except those that `isKept` names. */
export function withoutBlanks(value: unknown, isKept: (name: string) => boolean = () => false): unknown {
  if (!isObject(value)) return value;
  const names = Object.keys(value);
  const isLeft = (name: string) => isKept(name) || !isBlank(value[name], BLANK_DEPTH);
  if (names.every(isLeft)) return value;
  return Object.fromEntries(names.filter(isLeft).map(name => [name, value[name]]));
}

/** Deeper than any object of the contract; the limit protects the stack from a hostile body. */
const BLANK_DEPTH = 6;

function isBlank(value: unknown, depth: number): boolean {
  if (isNotGiven(value)) return true;
  return isObject(value) && depth > 0 && Object.values(value).every(member => isBlank(member, depth - 1));
}

/** The name of a member in a problem: `alimtalk.text` inside a flow, `text` in a single send. */
export function pathTo(parent: string, name: string): string {
  return parent ? `${parent}.${name}` : name;
}

/** Buttons and image may stand in the message or in its attachment. Given in both places, one of the two would be lost. */
export function givenTwiceProblem(
  {
    button,
    imgUrl,
    attachment,
  }: {
    readonly button?: unknown;
    readonly imgUrl?: unknown;
    readonly attachment?: { readonly button?: unknown; readonly image?: unknown } | undefined;
  },
  path: string,
): Problem | undefined {
  const twice = (code: ResultCode, name: string, inAttachment: string) =>
    new Problem(code, `"${pathTo(path, name)}" and "${pathTo(path, inAttachment)}" cannot be used together`);
  if (button !== undefined && attachment?.button !== undefined)
    return twice('A503', 'button', 'attachment.button');
  if (imgUrl !== undefined && attachment?.image !== undefined)
    return twice('A513', 'imgUrl', 'attachment.image');
  return undefined;
}
