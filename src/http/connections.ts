/**
 * Keeps the number of open connections within a bound, so that nobody shuts others out with connections.
 *
 * A connection is *waiting* while the gateway owes it no answer: it is idle, or its request is still on its way, or its
 * answer is written and not read. At the bound, a new connection takes the place of a waiting one: of the address (or
 * IPv6 /64) with the most of them, the one that waits longest. A connection whose request is being worked on is never
 * closed; if there are no others, the new one is.
 *
 * A connection may send requests without waiting for answers, but few: Node begins all that one packet holds before
 * anybody else has a turn, and 2,600 fit into one (measured: 160 ms). A connection with more is closed. So are those that do it when
 * all together have many such requests: 144,000 of them took 620 MB while they waited, their 9,000 connections included.
 *
 * With TLS, a connection counts from its first byte: a peer that never ends its handshake has a descriptor like any other.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { addressBlock } from '../platform/address-block.ts';
import type { OpenConnection } from './ending-connections.ts';

/** Room is made for several at a time, because looking at every connection for each new one would be the next attack. */
const SHARE_CLOSED_AT_ONCE = 1 / 64;

/**
 * Clients that may wait while we are at work, if the system lets them (net.core.somaxconn). Of more it drops the first packet, and they
 * try again after a second. Node lets 511 wait.
 */
export const BACKLOG = 4096;

/** Requests of one connection that are not answered yet. Hardly any client has more than one. */
export const MOST_UNANSWERED = 16;

/** Of all connections of a server: requests that came before the answer to the one before them. */
export const MOST_EARLY = 1000;

interface Connection {
  /** The one that requests come from: with TLS, another than the one that was opened, once the handshake is over. */
  socket: Socket;
  /** Whom it is from. */
  readonly block: string;
  unanswered: number;
  /** A request that Node has not seen is being worked on. */
  isPlainUnderWay: boolean;
  /** The latest exchange that is not over. */
  exchange: { readonly request: IncomingMessage; readonly response: ServerResponse } | undefined;
}

/** Begin and end are told of requests that Node does not see. */
export interface ConnectionLimit {
  begin(socket: Socket): void;
  end(socket: Socket): void;
  /** Whether the request that is arriving has an answer already: a second one would be taken for that of the next. */
  isAnswered(socket: Socket): boolean;
  open(): Iterable<OpenConnection>;
}

export function limitConnections(
  server: Server,
  most: number,
  onClosed: (count: number) => void,
): ConnectionLimit {
  /** In the order in which they were opened or last used. */
  const open = new Map<Socket, Connection>();
  /** Of TLS, while the handshake goes on. Node does not say which connection a secure socket is of; its ends do. */
  const handshakes = new Map<string, Connection>();
  let early = 0;

  server.on('connection', (socket: Socket) => {
    if (open.size >= most) {
      const closed = makeRoom(Math.ceil(most * SHARE_CLOSED_AT_ONCE));
      onClosed(Math.max(closed, 1));
      if (closed === 0) {
        socket.destroy();
        return;
      }
    }
    const block = addressBlock(socket.remoteAddress ?? '');
    const connection: Connection = {
      socket,
      block,
      unanswered: 0,
      isPlainUnderWay: false,
      exchange: undefined,
    };
    open.set(socket, connection);
    const ends = endsOf(socket);
    socket.once('close', () => {
      open.delete(connection.socket);
      if (handshakes.get(ends) === connection) handshakes.delete(ends);
    });
    if (server instanceof TlsServer) handshakes.set(ends, connection);
    else refuseTooMany(connection);
  });

  server.on('secureConnection', (socket: Socket) => {
    const ends = endsOf(socket);
    const connection = handshakes.get(ends);
    handshakes.delete(ends);
    // It was closed to make room.
    if (!connection || !open.delete(connection.socket)) {
      socket.destroy();
      return;
    }
    connection.socket = socket;
    open.set(socket, connection);
    refuseTooMany(connection);
  });

  function refuseTooMany(connection: Connection): void {
    refuseRequests(connection.socket, () => {
      const { unanswered } = connection;
      if (unanswered === 0 || (unanswered < MOST_UNANSWERED && early < MOST_EARLY)) return false;
      onClosed(1);
      return true;
    });
  }

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const connection = open.get(socket);
    if (!connection) return;
    const exchange = { request, response };
    connection.exchange = exchange;
    if (connection.unanswered++ > 0) early++;
    noteUse(connection);
    response.once('close', () => {
      if (--connection.unanswered > 0) early--;
      if (connection.exchange === exchange) connection.exchange = undefined;
    });
  });

  return {
    begin(socket) {
      const connection = open.get(socket);
      if (!connection) return;
      connection.isPlainUnderWay = true;
      noteUse(connection);
    },
    end(socket) {
      const connection = open.get(socket);
      if (connection) connection.isPlainUnderWay = false;
    },
    isAnswered(socket) {
      const exchange = open.get(socket)?.exchange;
      return exchange?.request.complete === false && exchange.response.headersSent;
    },
    *open() {
      for (const connection of open.values()) {
        yield { socket: connection.socket, isWaiting: isWaiting(connection) };
      }
    },
  };

  function noteUse(connection: Connection): void {
    open.delete(connection.socket);
    open.set(connection.socket, connection);
  }

  /** Closes as many as wanted, or as there are; returns how many. */
  function makeRoom(wanted: number): number {
    const waiting = Map.groupBy([...open.values()].filter(isWaiting), ({ block }) => block);
    // The next to be closed is the last of its group.
    const groups = [...waiting.values()].map(connections => connections.reverse());
    let closed = 0;
    for (; closed < wanted; closed++) {
      const [first = [], ...others] = groups;
      const largest = others.reduce((one, other) => (other.length > one.length ? other : one), first);
      const next = largest.pop();
      if (!next) break;
      // Not only when its `close` comes: the next connection may come before that.
      open.delete(next.socket);
      next.socket.destroy();
    }
    return closed;
  }
}

function endsOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

function isWaiting({ exchange, isPlainUnderWay }: Connection): boolean {
  if (isPlainUnderWay) return false;
  return !exchange?.request.complete || exchange.response.writableEnded;
}

/** What Node's parser calls for each request. It has no public name, so nothing else may depend on it. */
interface Parser {
  onIncoming?: (request: IncomingMessage, keepAlive: boolean) => number;
}

/** To the parser: this was the last message, and what follows is no HTTP. */
const NOTHING_FOLLOWS = 2;

/** Closes the connection instead of taking a request, where `isRefused` says so; then nothing is read of what follows. */
function refuseRequests(socket: Socket & { readonly parser?: Parser }, isRefused: () => boolean): void {
  const { parser } = socket;
  const take = parser?.onIncoming;
  if (!parser || !take) return;
  parser.onIncoming = (request, keepAlive) => {
    if (!isRefused()) return take(request, keepAlive);
    socket.destroy();
    return NOTHING_FOLLOWS;
  };
}
