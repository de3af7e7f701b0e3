/** What a provider's call says: JSON, a form, or the query where there is no body. */
import type { CarrierCallback } from '../../domain/delivery/carrier-callback.ts';
import { charsetOfBody, declaredCharset, decodeText, unpackedBody } from '../../platform/http-text.ts';
import { parseJson } from './provider-answer.ts';

export interface Reading {
  /**
   * A text that is not in its character set makes the call unreadable. Otherwise it is read as far as possible: ids and statuses
   * are ASCII.
   */
  readonly isExact: boolean;
  /** Without a body the query is read. */
  readonly isQueryRead: boolean;
}

/** Our choice: the most that our HTTP server takes of a body that is not compressed. */
const MOST_BYTES = 1 << 20;
/**
 * Our choice: a thousand receipts of twenty members have 20,000. Each value is looked at when it is read: for a megabyte of
 * empty lists that took 350 ms in one turn.
 */
const MOST_VALUES = 50_000;
/** `,` `[` `{` of JSON and `&` of forms: before a value there is one of them. */
const SIGNS: ReadonlySet<number> = new Set([0x2c, 0x5b, 0x7b, 0x26]);
const FORM = /^application\/x-www-form-urlencoded\b/i;
/** In the place of octets that could not be read. */
const UNREADABLE = '\ufffd';

/** Undefined if it cannot be read. */
export function documentOf({ headers, query, body }: CarrierCallback, reading: Reading): unknown {
  const octets = unpackedBody(headers, body, MOST_BYTES);
  if (!octets || mayHoldTooMuch(octets)) return undefined;
  if (FORM.test(headers['content-type'] ?? '')) {
    const form = octets.toString('latin1');
    return form.trim() === ''
      ? queryOf(query, reading)
      : formOf(form, declaredCharset(headers), reading.isExact);
  }
  const text = textOf(octets, charsetOfBody(headers, octets), reading.isExact);
  if (text === undefined) return undefined;
  return text.trim() === '' ? queryOf(query, reading) : parseJson(text);
}

function textOf(octets: Buffer, charset: string, isExact: boolean): string | undefined {
  return decodeText(octets, charset) ?? (isExact ? undefined : octets.toString('utf8'));
}

/** A query names no character set: it is UTF-8. */
function queryOf(query: URLSearchParams, { isExact, isQueryRead }: Reading): unknown {
  if (!isQueryRead) return undefined;
  const isRead = [...query].every(([, value]) => !value.includes(UNREADABLE));
  return isRead || !isExact ? Object.fromEntries(query) : undefined;
}

/** URLSearchParams reads UTF-8 only. `form` holds an octet in each character. */
function formOf(form: string, charset: string, isExact: boolean): unknown {
  const entries: [string, string][] = [];
  for (const pair of form.trim().split('&')) {
    if (pair === '') continue;
    const [name = '', ...value] = pair.split('=');
    const read = [name, value.join('=')].map(part => textOf(octetsOf(part), charset, isExact));
    if (read[0] === undefined || read[1] === undefined) return undefined;
    entries.push([read[0], read[1]]);
  }
  return Object.fromEntries(entries);
}

function octetsOf(part: string): Buffer {
  const unescaped = part
    .replaceAll('+', ' ')
    .replace(/%([\da-f]{2})/gi, (_, octet: string) => String.fromCharCode(Number.parseInt(octet, 16)));
  return Buffer.from(unescaped, 'latin1');
}

/** Signs within texts count too; nobody writes so many. */
function mayHoldTooMuch(body: Uint8Array): boolean {
  if (body.length <= MOST_VALUES) return false;
  let count = 0;
  for (const octet of body) if (SIGNS.has(octet)) count++;
  return count > MOST_VALUES;
}
