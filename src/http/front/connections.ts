/**
 * The open connections of a port, at most a given number of them, so that nobody shuts others out with connections.
 *
 * A connection is *waiting* while the gateway owes it no answer: it is idle, or its request has not arrived, or its
 * answer is written and not read. At the limit, a new connection takes the place of a waiting one: of the address (or
 * IPv6 /64) with the most of them, the one that waits longest. A connection whose request is being worked on is never
 * closed; if there are no others, the new one is.
 *
 * A connection may send requests before it has the answers to earlier ones, but only a few, and all connections together may have
 * a limited number of them, because each takes memory. A connection with more is closed.
 *
 * With TLS, a connection counts from its first byte: a peer that never ends its handshake has a descriptor like any other.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { addressBlock } from '../../platform/address-block.ts';

/** Room is made for several at a time, because looking at every connection for each new one would be the next attack. */
const SHARE_CLOSED_AT_ONCE = 1 / 64;

/** Requests of one connection that are not answered yet. Hardly any client has more than one. */
export const MOST_UNANSWERED = 16;

/** Of all connections: requests that came before the answer to an earlier one. */
export const MOST_EARLY = 1000;

export interface Connection {
  /** Where requests come from: with TLS another socket than the one that was opened, once the handshake is over. */
  readonly socket: Socket;
  /** The address, or the IPv6 /64, that it is from. */
  readonly block: string;
  /** Whether an answer is owed. */
  readonly isWaiting: boolean;
}

interface Open extends Connection {
  socket: Socket;
  unanswered: number;
  /** The front works on a request. */
  isAnswering: boolean;
  /** The latest exchange of Node's HTTP that is not over. */
  exchange: { readonly request: IncomingMessage; readonly response: ServerResponse } | undefined;
}

export class Connections implements Iterable<Connection> {
  readonly #most: number;
  readonly #onClosed: (count: number) => void;
  /** In the order in which they were opened or last used. */
  readonly #open = new Map<Socket, Open>();
  #early = 0;

  constructor(most: number, onClosed: (count: number) => void) {
    this.#most = most;
    this.#onClosed = onClosed;
  }

  [Symbol.iterator](): IterableIterator<Connection> {
    return this.#open.values();
  }

  /** Undefined if there is no room: then it is closed. */
  add(socket: Socket): Connection | undefined {
    if (this.#open.size >= this.#most) {
      const closed = this.#makeRoom(Math.ceil(this.#most * SHARE_CLOSED_AT_ONCE));
      this.#onClosed(Math.max(closed, 1));
      if (closed === 0) {
        socket.destroy();
        return undefined;
      }
    }
    const connection: Open = {
      socket,
      block: addressBlock(socket.remoteAddress ?? ''),
      unanswered: 0,
      isAnswering: false,
      exchange: undefined,
      get isWaiting() {
        if (this.isAnswering) return false;
        return !this.exchange?.request.complete || this.exchange.response.writableEnded;
      },
    };
    this.#open.set(socket, connection);
    socket.once('close', () => this.#open.delete(connection.socket));
    return connection;
  }

  /** The TLS handshake of a connection is over. Undefined if it was closed meanwhile to make room. */
  secure(plain: Socket, secured: Socket): Connection | undefined {
    const connection = this.#open.get(plain);
    if (!connection) return undefined;
    this.#open.delete(plain);
    connection.socket = secured;
    this.#open.set(secured, connection);
    return connection;
  }

  /** The front works on a request, or has answered it. */
  noteAnswering(socket: Socket, isAnswering: boolean): void {
    const connection = this.#open.get(socket);
    if (!connection) return;
    connection.isAnswering = isAnswering;
    if (isAnswering) this.#noteUse(connection);
  }

  /** Node's HTTP has read the head of a request. False if the connection has too many: then it is closed. */
  noteRequest(request: IncomingMessage, response: ServerResponse): boolean {
    const connection = this.#open.get(request.socket);
    // The engine's private socket is not limited.
    if (!connection) return true;
    const { unanswered } = connection;
    if (unanswered > 0 && (unanswered >= MOST_UNANSWERED || this.#early >= MOST_EARLY)) {
      if (!request.socket.destroyed) this.#onClosed(1);
      request.socket.destroy();
      return false;
    }
    const exchange = { request, response };
    connection.exchange = exchange;
    if (connection.unanswered++ > 0) this.#early++;
    this.#noteUse(connection);
    response.once('close', () => {
      if (--connection.unanswered > 0) this.#early--;
      if (connection.exchange === exchange) connection.exchange = undefined;
    });
    return true;
  }

  /** Whether the request that is arriving has an answer already: a second one would be taken for that of the next. */
  isAnswered(socket: Socket): boolean {
    const exchange = this.#open.get(socket)?.exchange;
    return exchange?.request.complete === false && exchange.response.headersSent;
  }

  #noteUse(connection: Open): void {
    this.#open.delete(connection.socket);
    this.#open.set(connection.socket, connection);
  }

  /** Closes as many as wanted, or as there are; returns how many. */
  #makeRoom(wanted: number): number {
    const waiting = [...this.#open.values()].filter(({ isWaiting }) => isWaiting);
    // The next to be closed is the last of its group.
    const groups = [...Map.groupBy(waiting, ({ block }) => block).values()].map(group => group.reverse());
    let closed = 0;
    for (; closed < wanted; closed++) {
      const [first = [], ...others] = groups;
      const largest = others.reduce((one, other) => (other.length > one.length ? other : one), first);
      const next = largest.pop();
      if (!next) break;
      // Not only when its `close` comes: the next connection may come before that.
      this.#open.delete(next.socket);
      next.socket.destroy();
    }
    return closed;
  }
}
