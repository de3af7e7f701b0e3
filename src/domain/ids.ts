/** Identifiers, with brands so that the type checker keeps them apart. */

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type AccountId = Branded<'AccountId'>;
/** 29 characters shared by every recipient of one request; a msgKey without its last three. */
export type RequestId = Branded<'RequestId'>;
/** 32 letters and digits, ordered by time, one for each recipient of a request. */
export type MsgKey = Branded<'MsgKey'>;
/** Names a message form. */
export type FormId = Branded<'FormId'>;
/** Names a reservation; ordered by the time at which it was made. */
export type ResvKey = Branded<'ResvKey'>;
/** Names one handed-out batch of report records. */
export type ReportId = Branded<'ReportId'>;
/** 32 letters and digits. Whoever knows it may see the image, so it cannot be guessed. */
export type FileKey = Branded<'FileKey'>;

export function msgKeyOf(requestId: RequestId, recipientIndex: number): MsgKey {
  return `${requestId}${String(recipientIndex).padStart(3, '0')}` as MsgKey;
}

/** Its place in the request. */
export function recipientIndexOf(msgKey: MsgKey): number {
  return Number(msgKey.slice(-3));
}

/** Undefined for text that cannot be a msgKey, which then need not be looked up. */
export function parseMsgKey(value: string): MsgKey | undefined {
  return /^[0-9A-Za-z]{32}$/.test(value) ? (value as MsgKey) : undefined;
}

/** A msgKey without its last three characters. */
export function parseRequestId(value: string): RequestId | undefined {
  return /^[0-9A-Za-z]{29}$/.test(value) ? (value as RequestId) : undefined;
}

export function parseFileKey(value: string): FileKey | undefined {
  return /^[0-9A-Z]{32}$/.test(value) ? (value as FileKey) : undefined;
}

export function parseFormId(value: string): FormId | undefined {
  return /^[0-9A-Z]{32}$/.test(value) ? (value as FormId) : undefined;
}

export function parseResvKey(value: string): ResvKey | undefined {
  return /^[0-9A-Z]{26}$/.test(value) ? (value as ResvKey) : undefined;
}

export function requestIdOf(msgKey: MsgKey): RequestId {
  return msgKey.slice(0, -3) as RequestId;
}

export function parseReportId(value: string): ReportId | undefined {
  return /^[0-9A-Z]{28}$/.test(value) ? (value as ReportId) : undefined;
}

/** An account id: 1 to 64 letters, digits, dot, dash, underscore or at sign. */
export function parseAccountId(value: string): AccountId | undefined {
  return /^[0-9A-Za-z._@-]{1,64}$/.test(value) ? (value as AccountId) : undefined;
}

/**
 * A moment in ten characters that sort by time, with which every msgKey begins: 50 bits of milliseconds, five to a
 * character.
 */
export function timePrefix(ms: number): string {
  let rest = ms;
  let prefix = '';
  for (let position = 0; position < TIME_PREFIX_LENGTH; position++) {
    prefix = BASE32.charAt(rest % 32) + prefix;
    rest = Math.floor(rest / 32);
  }
  return prefix;
}

/** Digits before letters, as in ASCII, without the letters that are read as digits. */
export const BASE32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_PREFIX_LENGTH = 10;

/** Names one attempt at one step of one message, for carriers. */
export function attemptIdOf(msgKey: MsgKey, step: number, attempt: number): string {
  return `${msgKey}-${step}-${attempt}`;
}

/** As a regular expression, for JavaScript and for PostgreSQL. */
export const ATTEMPT_ID = '^([0-9A-Za-z]{32})-([0-9]{1,3})-([0-9]{1,3})$';
const ATTEMPT = new RegExp(ATTEMPT_ID);

/** The attempt of such a name; undefined if it is not one. */
export function parseAttemptId(
  value: string,
): { readonly msgKey: MsgKey; readonly step: number; readonly attempt: number } | undefined {
  const match = ATTEMPT.exec(value);
  return match
    ? { msgKey: match[1] as MsgKey, step: Number(match[2]), attempt: Number(match[3]) }
    : undefined;
}

/** The moment of such a prefix; undefined if it is not one. */
export function timeOfPrefix(text: string): number | undefined {
  let ms = 0;
  for (const character of text.slice(0, TIME_PREFIX_LENGTH)) {
    const digit = BASE32.indexOf(character);
    if (digit < 0) return undefined;
    ms = ms * 32 + digit;
  }
  return text.length >= TIME_PREFIX_LENGTH ? ms : undefined;
}
