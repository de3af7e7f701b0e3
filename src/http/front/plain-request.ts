/**
 * Reads the head of a request that is plain: HTTP/1.1, whole in one packet, and with nothing in it that changes where the
 * request ends or what follows its answer. That is stricter than HTTP, on purpose: whatever else comes is for Node's parser to
 * judge, so there is nothing that the two read differently.
 */

/** Headers that are read in any case. */
const READ = ['content-length', 'x-forwarded-for'];
export type PlainHeaders = Record<string, string>;

/** They say how the body comes, or what the connection becomes. */
const UNUSUAL: ReadonlySet<string> = new Set(['transfer-encoding', 'expect', 'upgrade', 'trailer']);

export interface PlainHead {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<PlainHeaders>;
  /** Where the body begins. */
  readonly length: number;
  readonly bodyLength: number;
}

const END_OF_HEAD = '\r\n\r\n';
const END_OF_LINE = '\r\n';
/** Longer than any client of ours needs it, and shorter than what Node takes. */
const LONGEST_HEAD = 8 * 1024;

// None of these can match in two ways, so none takes longer than its text is long.
const REQUEST_LINE = /^(GET|POST|PUT|PATCH|DELETE) (\/[\x21-\x7e]*) HTTP\/1\.1\r\n/;
const HEADER_LINE = /([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t\x20-\x7e]*)\r\n/y;
const LENGTH = /^\d{1,9}$/;

export type ReadHead = (bytes: Buffer) => PlainHead | undefined;

/**
 * Makes readers, one for each connection: the same head comes again and again there, and is read once. Of the headers those
 * with these names are read, each of which may stand there once.
 */
export function plainReaders(headerNames: readonly string[]): () => ReadHead {
  const names = new Set([...READ, ...headerNames]);
  return () => {
    let known: { readonly head: PlainHead; readonly bytes: Buffer } | undefined;
    return bytes => {
      if (known && beginsWith(bytes, known.bytes)) return known.head;
      const head = readHead(bytes, names);
      // A copy: the packet is part of a larger piece of memory.
      known = head && { head, bytes: Buffer.from(bytes.subarray(0, head.length)) };
      return head;
    };
  };
}

function beginsWith(packet: Buffer, bytes: Buffer): boolean {
  const { length } = bytes;
  return packet.length >= length && packet.compare(bytes, 0, length, 0, length) === 0;
}

function readHead(bytes: Buffer, names: ReadonlySet<string>): PlainHead | undefined {
  const end = bytes.indexOf(END_OF_HEAD);
  if (end < 0 || end > LONGEST_HEAD) return undefined;
  const text = bytes.toString('latin1', 0, end + END_OF_LINE.length);
  const [line, method, target] = REQUEST_LINE.exec(text) ?? [];
  if (line === undefined || method === undefined || target === undefined) return undefined;
  const headers: PlainHeaders = {};
  HEADER_LINE.lastIndex = line.length;
  while (HEADER_LINE.lastIndex < text.length) {
    const [, given, spaced] = HEADER_LINE.exec(text) ?? [];
    if (given === undefined || spaced === undefined) return undefined;
    const name = given.toLowerCase();
    const value = spaced.trim();
    if (UNUSUAL.has(name)) return undefined;
    if (name === 'connection' && value.toLowerCase() !== 'keep-alive') return undefined;
    if (!names.has(name)) continue;
    if (headers[name] !== undefined) return undefined;
    headers[name] = value;
  }
  const given = headers['content-length'] ?? '0';
  if (!LENGTH.test(given)) return undefined;
  return { method, target, headers, length: end + END_OF_HEAD.length, bodyLength: Number(given) };
}
