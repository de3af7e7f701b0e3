/**
 * Answers plain requests before Node's HTTP sees them: that makes no objects for the request, its answer and their streams, and
 * costs less than half (docs/performance.md). Everything else about the connection stays Node's: a packet that is not such
 * a request goes to Node as it came, and if it holds one whole request, the connection is ours again once that is answered.
 *
 * One request of a connection is under way at a time. A client that sends the next before it has an answer is Node's from then.
 */
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { ConnectionLimit } from './connections.ts';
import type { Answer } from './envelope.ts';
import { createReadPlain, type PlainRequest } from './plain-request.ts';

/** Answers the request, unless its client goes before; false if it is Node's to answer. */
export type AnswerPlain = (
  request: PlainRequest,
  socket: Socket,
  answer: (answer: Answer) => void,
) => boolean;

export interface PlainRules {
  readonly answerPlain: AnswerPlain;
  /** Whether connections end with the answer under way. */
  readonly isClosing: () => boolean;
}

type TakePacket = (packet: Buffer) => void;

export interface PlainConnections {
  /** Whether Node has no request of this connection, though its client has sent some. */
  isOurs(socket: Socket): boolean;
}

export function answerPlainRequests(
  server: Server,
  limit: ConnectionLimit,
  rules: PlainRules,
): PlainConnections {
  const open = new Map<Socket, PlainConnection>();

  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    const [toNode, ...others] = socket.listeners('data');
    // Otherwise this Node reads connections in another way, and all of them are its own.
    if (!toNode || others.length > 0 || socket.destroyed) return;
    socket.removeListener('data', toNode as TakePacket);
    const keepAliveMs = server.keepAliveTimeout;
    const connection = new PlainConnection(socket, toNode as TakePacket, { ...rules, limit, keepAliveMs });
    open.set(socket, connection);
    socket.once('close', () => open.delete(socket));
    socket.on('data', packet => connection.take(packet));
  });
  server.on('request', ({ socket }: { readonly socket: Socket }, response: ServerResponse) => {
    response.once('finish', () => open.get(socket)?.nodeHasAnswered());
  });

  const closeIdle = server.closeIdleConnections.bind(server);
  // To Node they are connections on which nothing has come yet.
  server.closeIdleConnections = () => {
    for (const [socket, connection] of open) if (connection.isIdle) socket.destroy();
    closeIdle();
  };
  return { isOurs: socket => open.get(socket)?.isOurs === true };
}

interface Surroundings extends PlainRules {
  readonly limit: ConnectionLimit;
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
  readonly #read = createReadPlain();
  #reader: Reader = 'us';
  #hasAnswered = false;
  #isUnderWay = false;
  /** They came before their client had the answer to what it asked before. */
  #early: Buffer[] = [];

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
      this.#early.push(packet);
      return;
    }
    const request = this.#reader === 'us' ? this.#read(packet) : undefined;
    if (request && this.#begin(request)) return;
    this.#reader = request ? 'node-until-answered' : 'node';
    this.#toNode(packet);
  }

  nodeHasAnswered(): void {
    if (this.#reader === 'node-until-answered') this.#reader = 'us';
  }

  #begin(request: PlainRequest): boolean {
    const { answerPlain, limit } = this.#surroundings;
    const socket = this.#socket;
    if (!answerPlain(request, socket, answer => this.#end(answer))) return false;
    this.#isUnderWay = true;
    limit.begin(socket);
    return true;
  }

  #end(answer: Answer): void {
    const { limit, isClosing, keepAliveMs } = this.#surroundings;
    const socket = this.#socket;
    this.#isUnderWay = false;
    limit.end(socket);
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
    const packets = this.#early;
    this.#early = [];
    this.#socket.resume();
    for (const packet of packets) this.#toNode(packet);
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
