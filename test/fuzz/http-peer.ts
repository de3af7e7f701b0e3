/** A client that writes any bytes, and reads answers as strictly as they should be written. */
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** Longer than anything that ends; who waits this long for an answer gets none. */
const LONGEST_WAIT_MS = 60_000;
/** What is not sound may wait for its rest as long as it likes; we do not. */
const PATIENCE_MS = 150;

export class HttpPeer {
  readonly #port: number;
  readonly #host: string;
  #idle: Connection | undefined;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#host = hostname;
    this.#port = Number(port);
  }

  /** The answers to a sound request; fewer than `count` where the server closed the connection before. */
  async exchange(bytes: Buffer, method: string, count: number): Promise<RawAnswer[]> {
    const kept = this.#idle;
    this.#idle = undefined;
    const answers = kept ? await this.#use(kept, bytes, method, count) : [];
    // The server may have closed it in the meantime.
    return answers.length > 0 ? answers : this.#use(this.#open(), bytes, method, count);
  }

  /** Whatever comes back to bytes that are not sound, within a short time. */
  async provoke(bytes: Buffer, method: string): Promise<RawAnswer[]> {
    const connection = this.#open();
    const answers = await connection.send(bytes, method, 1, PATIENCE_MS);
    connection.close();
    return answers;
  }

  close(): void {
    this.#idle?.close();
  }

  #open(): Connection {
    return new Connection(connect(this.#port, this.#host));
  }

  async #use(connection: Connection, bytes: Buffer, method: string, count: number): Promise<RawAnswer[]> {
    const answers = await connection.send(bytes, method, count, LONGEST_WAIT_MS);
    if (answers.length === count && connection.canBeUsedAgain(answers)) this.#idle = connection;
    else connection.close();
    return answers;
  }
}

class Connection {
  readonly #socket: Socket;
  #unread: Buffer = Buffer.alloc(0);
  #isClosed = false;
  #wake: () => void = () => {};

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', chunk => {
      this.#unread = this.#unread.length === 0 ? chunk : Buffer.concat([this.#unread, chunk]);
      this.#wake();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#isClosed = true;
      this.#wake();
    });
  }

  async send(bytes: Buffer, method: string, count: number, patienceMs: number): Promise<RawAnswer[]> {
    const answers: RawAnswer[] = [];
    if (this.#isClosed) return answers;
    this.#socket.write(bytes);
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, patienceMs);
    this.#wake = () => {
      while (answers.length < count) {
        const read = readAnswer(this.#unread, method, this.#isClosed);
        if (!read) break;
        this.#unread = read.rest;
        // What only asks us to go on is not the answer yet.
        if (read.answer.status >= 200) answers.push(read.answer);
      }
      if (answers.length === count || this.#isClosed) resolve();
    };
    this.#wake();
    await promise;
    clearTimeout(timer);
    this.#wake = () => {};
    return answers;
  }

  canBeUsedAgain(answers: readonly RawAnswer[]): boolean {
    const isToClose = answers.some(({ headers }) => headers.get('connection') === 'close');
    return !isToClose && !this.#isClosed && this.#unread.length === 0;
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** The first answer in the bytes, once it is whole. */
function readAnswer(
  bytes: Buffer,
  method: string,
  isOver: boolean,
): { readonly answer: RawAnswer; readonly rest: Buffer } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1] ?? 0);
  const headers = new Map(
    lines.map(line => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const after = bytes.subarray(end + 4);
  const whole = (body: Buffer, rest: Buffer) => ({ answer: { status, headers, body }, rest });
  if (status < 200 || status === 204 || status === 304 || method === 'HEAD') {
    return whole(Buffer.alloc(0), after);
  }
  // A stream of events has no end; its head is the answer.
  if (headers.get('content-type')?.startsWith('text/event-stream')) {
    return whole(Buffer.alloc(0), Buffer.from('\0'));
  }
  const length = headers.get('content-length');
  if (length !== undefined) {
    const size = Number(length);
    return after.length < size ? undefined : whole(after.subarray(0, size), after.subarray(size));
  }
  if (headers.get('transfer-encoding') === 'chunked') {
    const close = after.indexOf('0\r\n\r\n');
    return close < 0 ? undefined : whole(after.subarray(0, close), after.subarray(close + 5));
  }
  return isOver ? whole(after, Buffer.alloc(0)) : undefined;
}
