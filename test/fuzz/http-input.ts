/** An HTTP request as the fuzzer writes it to the wire, sound or not. It can be kept in a file and sent again. */

import { isUtf8 } from 'node:buffer';

/** Bytes as text where they are text: a person may want to read them. */
export type Content = { readonly text: string } | { readonly base64: string };

/**
 *   length     as it should be
 *   chunked    also right, in small chunks
 *   pipelined  the same request several times, without waiting for answers
 *   short      the length says more than there is
 *   long       the length says less than there is
 *   broken     sent as it stands, whatever it is
 */
export type Framing = 'length' | 'chunked' | 'pipelined' | 'short' | 'long' | 'broken';

export interface HttpInput {
  /** Of the API document; `none` for paths that it does not have. */
  readonly operation: string;
  readonly method: string;
  /** `{{name}}` stands for something that only the running gateway knows, here and in headers and body. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Content;
  readonly framing: Framing;
}

export const PIPELINED = 5;
const CHUNK_BYTES = 1000;

export function contentOf(bytes: Buffer | string): Content {
  if (typeof bytes === 'string') {
    // Half characters cannot be written as bytes and read again.
    return bytes.isWellFormed() ? { text: bytes } : contentOf(Buffer.from(bytes));
  }
  return isUtf8(bytes) ? { text: bytes.toString('utf8') } : { base64: bytes.toString('base64') };
}

export function bytesOf(content: Content | undefined, fill: (text: string) => string = text => text): Buffer {
  if (content === undefined) return Buffer.alloc(0);
  return 'text' in content ? Buffer.from(fill(content.text)) : Buffer.from(content.base64, 'base64');
}

/** Whether an answer is owed. */
export function isSound({ method, path, headers, framing }: HttpInput): boolean {
  return (
    ['length', 'chunked', 'pipelined'].includes(framing) &&
    // CONNECT asks for a tunnel and names no path.
    /^(?!CONNECT)[A-Z]+$/.test(method) &&
    /^\/[\x21-\x7e]*$/.test(path) &&
    headers.every(([name, value]) => /^[\w-]+$/.test(name) && /^[\x20-\x7e\x80-\xff]*$/.test(value)) &&
    // Ours are right; a second one is for the server to refuse.
    !headers.some(([name]) =>
      /^(content-length|transfer-encoding|connection|upgrade|expect|host)$/i.test(name),
    )
  );
}

export function wireBytes(input: HttpInput, fill: (text: string) => string): Buffer {
  const { method, framing } = input;
  const body = bytesOf(input.body, fill);
  const lines = [
    `${method} ${fill(input.path)} HTTP/1.1`,
    'host: fuzz',
    ...input.headers.map(([name, value]) => `${name}: ${fill(value)}`),
    ...framingHeaders(framing, body.length, input.body !== undefined),
  ];
  // Header values go out byte for byte, as a server that listens gets them.
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  const whole = Buffer.concat([head, framing === 'chunked' ? chunked(body) : body]);
  return framing === 'pipelined' ? Buffer.concat(Array.from({ length: PIPELINED }, () => whole)) : whole;
}

function framingHeaders(framing: Framing, length: number, hasBody: boolean): string[] {
  switch (framing) {
    case 'length':
    case 'pipelined':
      return hasBody ? [`content-length: ${length}`] : [];
    case 'chunked':
      return ['transfer-encoding: chunked'];
    case 'short':
      return [`content-length: ${length + 10}`];
    case 'long':
      return [`content-length: ${Math.max(0, length - 10)}`];
    case 'broken':
      return [];
  }
}

function chunked(body: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; at += CHUNK_BYTES) {
    const piece = body.subarray(at, at + CHUNK_BYTES);
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')]);
}
