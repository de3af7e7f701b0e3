/**
 * Answers plain requests before Node's HTTP sees them: that makes no objects for the request, its answer and their streams, and
 * costs less than half (docs/performance.md). Everything else about the connection stays Node's: a packet that is not such
 * a request goes to Node as it came, and if it holds one whole request, the connection is ours again once that is answered.
 *
 * One request of a connection is under way at a time. A client that sends the next before it has an answer is Node's from then.
 */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { addressBlock } from '../platform/address-block.ts';
import { STATUS_CODES } from '../platform/node-http.ts';
import type { ConnectionLimit } from './connections.ts';
import { type Answer, problemAnswer } from './envelope.ts';
import { type HeldBytes, NOTHING_HELD, type Release, TOO_MUCH } from './held-bytes.ts';
import { type PlainRequest, plainReaders, type ReadPlain } from './plain-request.ts';

/** Answers the request, unless its client goes before; false if it is Node's to answer. */
export type AnswerPlain = (
  request: PlainRequest,
  socket: Socket,
  answer: (answer: Answer) => void,
) => boolean;

export interface PlainRules {
  readonly answerPlain: AnswerPlain;
  /** The headers that it looks at. */
  readonly headerNames: readonly string[];
  /** Whether connections end with the answer under way. */
  readonly isClosing: () => boolean;
}

/** What goes for all requests of the server. */
export interface ConnectionRules extends PlainRules {
  readonly limit: ConnectionLimit;
  readonly held: HeldBytes;
  /** A request was refused, because those under way hold too much. */
  readonly onBusy: () => void;
}

type TakePacket = (packet: Buffer) => void;

export interface PlainConnections {
  /** Whether Node has no request of this connection, though its client has sent some. */
  isOurs(socket: Socket): boolean;
  /** Closes those between two requests: to Node they are connections on which nothing has come yet. */
  closeIdle(): void;
}

export function answerPlainRequests(server: Server, rules: ConnectionRules): PlainConnections {
  const open = new Map<Socket, PlainConnection>();
  const createRead = plainReaders(rules.headerNames);

  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    const reader = socket.destroyed ? undefined : takeReader(socket);
    if (!reader) return;
    const keepAliveMs = server.keepAliveTimeout;
    const connection = new PlainConnection(socket, reader.take, {
      ...rules,
      read: createRead(),
      keepAliveMs,
    });
    open.set(socket, connection);
    socket.once('close', () => {
      open.delete(socket);
      connection.closed();
    });
    socket.on('data', packet => connection.take(packet));
    socket.on('end', reader.end);
  });
  server.on('request', ({ socket }: { readonly socket: Socket }, response: ServerResponse) => {
    response.once('finish', () => open.get(socket)?.nodeHasAnswered());
  });

  return {
    isOurs: socket => open.get(socket)?.isOurs === true,
    closeIdle() {
      for (const [socket, connection] of open) if (connection.isIdle) socket.destroy();
    },
  };
}

interface NodesReader {
  readonly take: TakePacket;
  /** The peer has sent all. */
  readonly end: () => void;
}

/** What Node's HTTP would do with what comes; it will not, unless it is called. */
function takeReader(socket: Socket): NodesReader | undefined {
  const [take, ...othersOfData] = socket.listeners('data');
  const [ofSocket, end, ...othersOfEnd] = socket.listeners('end');
  // Otherwise this Node reads connections in another way, and all of them are its own.
  if (!take || !ofSocket || !end || othersOfData.length + othersOfEnd.length > 0) return undefined;
  socket.removeListener('data', take as TakePacket);
  socket.removeListener('end', end as () => void);
  return { take: take as TakePacket, end: end as () => void };
}

interface Surroundings extends ConnectionRules {
  readonly read: ReadPlain;
  readonly keepAliveMs: number;
}

/** Who reads the next packet. */
type Reader =
  | 'us'
  /** A whole request is with Node, and nothing else of the connection. */
  | 'node-until-answered'
  | 'node';

class PlainConnection {
  readonly #socket: Socket;
  readonly #toNode: TakePacket;
  readonly #surroundings: Surroundings;
  #reader: Reader = 'us';
  #hasAnswered = false;
  #isUnderWay = false;
  /** They came before their client had the answer to what it asked before. */
  #early: { readonly packet: Buffer; readonly release: Release }[] = [];
  /** Of the request under way. */
  #release = NOTHING_HELD;

  constructor(socket: Socket, toNode: TakePacket, surroundings: Surroundings) {
    this.#socket = socket;
    this.#toNode = toNode;
    this.#surroundings = surroundings;
  }

  get isOurs(): boolean {
    return this.#reader === 'us' && (this.#hasAnswered || this.#isUnderWay);
  }

  get isIdle(): boolean {
    return this.isOurs && !this.#isUnderWay;
  }

  take(packet: Buffer): void {
    // Of a client that does not read its answers no more is read.
    if (this.#isUnderWay || (this.#reader === 'us' && this.#socket.writableNeedDrain)) {
      this.#socket.pause();
      const release = this.#surroundings.held.take(() => this.#address, packet.length);
      if (release) this.#early.push({ packet, release });
      else this.#socket.destroy();
      return;
    }
    const request = this.#reader === 'us' ? this.#surroundings.read(packet) : undefined;
    if (request && this.#begin(request, packet.length)) return;
    this.#reader = request ? 'node-until-answered' : 'node';
    this.#toNode(packet);
  }

  nodeHasAnswered(): void {
    if (this.#reader === 'node-until-answered') this.#reader = 'us';
  }

  #begin(request: PlainRequest, bytes: number): boolean {
    const { answerPlain, limit, held, onBusy } = this.#surroundings;
    const socket = this.#socket;
    const release = held.take(() => this.#address, bytes);
    if (!release) {
      onBusy();
      this.#write(problemAnswer(TOO_MUCH, request.headers['accept-language']));
      return true;
    }
    const isPlain = answerPlain(request, socket, answer => {
      release();
      this.#isUnderWay = false;
      limit.end(socket);
      this.#write(answer);
    });
    if (!isPlain) {
      release();
      return false;
    }
    this.#isUnderWay = true;
    // An answer whose client has gone may never come.
    this.#release = release;
    limit.begin(socket);
    return true;
  }

  closed(): void {
    this.#release();
    for (const { release } of this.#early) release();
    this.#early = [];
  }

  get #address(): string {
    return addressBlock(this.#socket.remoteAddress ?? '');
  }

  #write(answer: Answer): void {
    const { isClosing, keepAliveMs } = this.#surroundings;
    const socket = this.#socket;
    // Its client has gone.
    if (!socket.writable) return;
    const isLast = isClosing();
    const isTaken = socket.write(textOf(answer, isLast ? CLOSES : staysOpen(keepAliveMs)));
    if (isLast) {
      socket.destroySoon();
      return;
    }
    if (!this.#hasAnswered) {
      this.#hasAnswered = true;
      socket.setTimeout(keepAliveMs);
    }
    if (isTaken) this.#goOn();
    else socket.once('drain', () => this.#goOn());
  }

  #goOn(): void {
    if (this.#early.length === 0) return;
    this.#reader = 'node';
    const early = this.#early;
    this.#early = [];
    this.#socket.resume();
    for (const { packet, release } of early) {
      release();
      this.#toNode(packet);
    }
  }
}

const CLOSES = 'Connection: close\r\n';

function staysOpen(keepAliveMs: number): string {
  return `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n`;
}

/** As Node writes it. */
function textOf({ status, headers, body }: Answer, connectionLines: string): string {
  let lines = '';
  for (const name in headers) lines += `${name}: ${headers[name]}\r\n`;
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}Date: ${dateLine()}\r\n${connectionLines}\r\n${body}`;
}

let dateSecond = 0;
let date = '';

function dateLine(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    date = new Date(second * 1000).toUTCString();
  }
  return date;
}
