/** Telephone numbers as the contract writes them: domestic digits, or `+` and country code for sending abroad. */

const SEPARATORS = /[-\s]/g;
const DOMESTIC = /^0\d{8,11}$/;

/** A domestic recipient, `01012345678`. Hyphens are dropped and `+82…` becomes `0…`. */
export function parseDomesticNumber(value: string): string | undefined {
  if (DOMESTIC.test(value)) return value;
  const compact = value.replace(SEPARATORS, '');
  const digits = compact.startsWith('+82') ? `0${compact.slice(3).replace(/^0/, '')}` : compact;
  return DOMESTIC.test(digits) ? digits : undefined;
}

/** A recipient abroad, `+14155550123`: at most 15 digits (E.164). */
export function parseInternationalNumber(value: string): string | undefined {
  const compact = value.replace(SEPARATORS, '');
  return /^\+[1-9]\d{6,14}$/.test(compact) ? compact : undefined;
}

/** A sender number: digits only, from a three-digit service number to a full one. */
export function parseSenderNumber(value: string): string | undefined {
  return /^\d{3,15}$/.test(value) ? value : undefined;
}

/** A word in the place of the sender number, for sends abroad: 3 to 11 letters and digits, not digits alone. */
export function parseTextSenderId(value: string): string | undefined {
  return /^[0-9A-Za-z]{3,11}$/.test(value) && isTextSenderId(value) ? value : undefined;
}

/** Whether a sender that has been read is a text sender id, not a number. */
export function isTextSenderId(from: string): boolean {
  return /[A-Za-z]/.test(from);
}

/**
 * Whether two writings can mean one subscriber. One may lack the country: 01012345678 and 1012345678 are +821012345678. Numbers
 * that only end alike are not the same.
 */
export function isSameNumber(a: string, b: string): boolean {
  const tail = significantTail(a);
  if (tail === undefined || tail !== significantTail(b)) return false;
  const [one, other] = [withoutPrefix(a), withoutPrefix(b)];
  return one.endsWith(other) || other.endsWith(one);
}

/** The digits without `+`, `00` and the trunk 0, which some leave in after 82. */
function withoutPrefix(number: string): string {
  return number
    .replace(/\D/g, '')
    .replace(/^0+/, '')
    .replace(/^820(?=\d{8})/, '82');
}

const SIGNIFICANT_DIGITS = 8;

/**
 * What numbers of one subscriber have in common, however they are written, to look them up by; others may have it, too. Undefined
 * where there are too few digits.
 */
export function significantTail(number: string): string | undefined {
  const tail = number.replace(/\D/g, '').slice(-SIGNIFICANT_DIGITS);
  return tail.length === SIGNIFICANT_DIGITS ? tail : undefined;
}

/** For logs: enough to recognise a known number, not enough to reveal an unknown one. */
export function maskNumber(value: string): string {
  if (value === ERASED_RECIPIENT) return value;
  return value.length <= 7 ? '****' : `${value.slice(0, 3)}****${value.slice(-4)}`;
}

/** A number within a text of a carrier, with the blanks and dashes of people; not a time in JSON. */
const NUMBER_IN_TEXT = /(?<![\w.-]|":)\+?\d(?:[ -]?\d){7,17}(?![\w-]|\.\d)/g;

export function maskNumbersIn(text: string): string {
  return text.replace(NUMBER_IN_TEXT, maskNumber);
}

/** In the place of a recipient that was erased. No number is written so. */
export const ERASED_RECIPIENT = 'erased';

const KOREA = '+82';

/**
 * One writing for every way of writing a number: `+821012345678` for 010-1234-5678, +82 10 1234 5678, 821012345678,
 * 00821012345678, and +01012345678, which a carrier makes of a number that it calls international and writes nationally; also
 * for 1012345678, which has lost its 0: no country has such numbers. Undefined for what is not a number. Unlike `isSameNumber` it takes a number without a prefix to begin with its country.
 */
export function canonicalNumber(value: string): string | undefined {
  const compact = value
    .replace(/[-\s().]/g, '')
    .replace(/^\+?00(?=[1-9]\d{9})/, '+')
    .replace(/^\+0/, '0')
    .replace(/^\+?(10\d{8})$/, '0$1');
  if (!/^\+?\d{8,16}$/.test(compact)) return undefined;
  if (/^\+?82/.test(compact)) return `${KOREA}${compact.replace(/^\+?820?/, '')}`;
  if (compact.startsWith('0')) return `${KOREA}${compact.slice(1)}`;
  return compact.startsWith('+') ? compact : `+${compact}`;
}

/** Every way in which the number may be stored as that of a recipient. */
export function storedWritings(canonical: string): readonly string[] {
  if (!canonical.startsWith(KOREA)) return [canonical];
  const national = canonical.slice(KOREA.length);
  return [`0${national}`, canonical, `${KOREA}0${national}`];
}

/** With the blanks and dashes of people. */
const LONGEST_WRITING = 32;

/**
 * Every way in which a number that somebody looks for may be stored, however it is written: with dashes, with blanks, with +82.
 * What is no number is looked for as it is, and not found; undefined for what is far too long.
 */
export function writingsOf(text: string): readonly string[] | undefined {
  if (text.length > LONGEST_WRITING) return undefined;
  const canonical = canonicalNumber(text);
  return canonical === undefined ? [text] : [...new Set([...storedWritings(canonical), text])];
}

/** A JSON text without the number: wherever it stands as a value, in whichever writing, there is the mark. */
export function withoutNumber(json: string, number: string): string {
  const canonical = canonicalNumber(number);
  if (canonical === undefined) return json;
  const value: unknown = JSON.parse(json, (_key, member: unknown) =>
    typeof member === 'string' && canonicalNumber(member) === canonical ? ERASED_RECIPIENT : member,
  );
  return JSON.stringify(value);
}
