/** Bodies of HTTP messages as text, by what their headers and their first octets declare. */
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { decodeCp949 } from './cp949.ts';

type Headers = Readonly<Record<string, string>>;

const UNPACK = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
} as const;

/** The body without its compression; undefined if that is damaged or unknown, or if more than `maxBytes` come out. */
export function unpackedBody(headers: Headers, body: Buffer, maxBytes: number): Buffer | undefined {
  const encoding = headers['content-encoding']?.trim().toLowerCase() || 'identity';
  if (encoding === 'identity' || body.length === 0) return body;
  try {
    return UNPACK[encoding as keyof typeof UNPACK]?.(body, { maxOutputLength: maxBytes });
  } catch {
    return undefined;
  }
}

/** The character set of a body that is not compressed. Its first octets win over its headers, as in browsers. */
export function charsetOfBody(headers: Headers, [first, second, third]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  // Every format that we read begins with an ASCII character, and has no NUL.
  if (first === 0 && second) return 'utf-16be';
  if (first && second === 0) return 'utf-16le';
  return declaredCharset(headers);
}

export function declaredCharset(headers: Headers): string {
  return /;\s*charset\s*=\s*"?([^\s;"]{1,40})/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
}

/** Names of CP949 that TextDecoder does not know. */
const CP949_NAMES = /^(?:x-)?(?:cp949|ms949|windows-949|uhc|euckr)$/i;

/** Undefined where the octets are not in the character set, or it is unknown. EUC-KR is read as CP949, which contains it. */
export function decodeText(octets: Uint8Array, charset: string): string | undefined {
  try {
    const decoder = new TextDecoder(CP949_NAMES.test(charset) ? 'euc-kr' : charset, { fatal: true });
    return decoder.encoding === 'euc-kr' ? decodeCp949(octets) : decoder.decode(octets);
  } catch {
    return undefined;
  }
}

/** The text of a body as far as it can be read. */
export function readableBody(headers: Headers, body: Buffer, maxBytes: number): string {
  const octets = unpackedBody(headers, body, maxBytes) ?? body;
  return decodeText(octets, charsetOfBody(headers, octets)) ?? octets.toString('utf8');
}
