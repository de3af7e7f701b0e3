/**
 * Node's HTTP server behind the front: it reads what the front hands off, for good, and connections to a private socket. Requests
 * that are late, broken or too large together are answered in JSON, or not at all.
 *
 * It has to listen, because a server that does not listen looks for no late requests.
 */
import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '../../domain/request/problem.ts';
import { addressBlock } from '../../platform/address-block.ts';
import { createServer } from '../../platform/node-http.ts';
import { ANSWER_HEADERS, problemAnswer, problemBody, writeAnswer } from '../envelope.ts';
import type { Connections } from './connections.ts';
import { bytesToCome, type HeldBytes, NOTHING_HELD, TOO_MUCH } from './held-bytes.ts';
import { KEEP_ALIVE_MS, refuseAndClose, SILENCE_MS } from './written-answer.ts';

/**
 * How often to look for requests that take too long. Often, because all that are found are answered together; not more often, because
 * Node looks at every connection: 1.6 ms for 9,000 of them.
 */
export const LOOK_FOR_LATE_MS = 100;
/** Thousands may run out of time together; each takes some 90 µs to be answered and closed. */
export const LATE_ANSWERED_A_TURN = 10;
/** Listeners for the end of an answer. With the framework's and ours there are eleven, and Node warns of more than ten. */
const MOST_LISTENERS = 16;

/** What the front and the server behind it share. */
export interface Port {
  readonly connections: Connections;
  readonly held: HeldBytes;
  /** How long a request may take to arrive. */
  readonly requestTimeoutMs: number;
  /** A request that reached no route was refused with A300. */
  readonly onBroken: () => void;
  /** A request was refused with A020, because those in flight hold too much memory. */
  readonly onBusy: () => void;
}

export interface NodeServer {
  readonly server: Server;
  /** Gives it a connection; what was read of it already is to be unshifted before. */
  take(socket: Socket): void;
  /** The request did not arrive in time. At most a few should be refused in one turn of the event loop. */
  refuseLate(socket: Socket): void;
  /** What arrived is no HTTP. */
  refuseBroken(socket: Socket): void;
}

export function createNodeServer(port: Port, listener: RequestListener): NodeServer {
  const { connections, held, requestTimeoutMs, onBroken, onBusy } = port;
  const server = createServer({
    // Without this, Node itself refuses a request without a Host header, and not in JSON.
    requireHostHeader: false,
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    connectionsCheckingInterval: LOOK_FOR_LATE_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  server.setTimeout(SILENCE_MS);
  server.on('request', (request, response) => {
    if (!connections.noteRequest(request, response)) return;
    const addressOf = () => addressBlock(request.socket.remoteAddress ?? '');
    const release = held.take(addressOf, bytesToCome(request));
    if (!release) {
      onBusy();
      writeAnswer(response, problemAnswer(TOO_MUCH, request.headers['accept-language']));
      return;
    }
    if (release !== NOTHING_HELD) {
      response.setMaxListeners(MOST_LISTENERS);
      response.once('close', release);
    }
    listener(request, response);
  });
  const refuseLate = (socket: Socket) => {
    // A peer that asked nothing expects no answer, and might take it for the answer to what it asks next.
    if (socket.bytesRead === 0 || connections.isAnswered(socket)) socket.destroy();
    else if (refuseAndClose(socket, 'The request did not arrive in time', true)) onBroken();
  };
  const refuseLateInTurns = inTurns(LATE_ANSWERED_A_TURN, refuseLate);
  const refuseBroken = (socket: Socket) => {
    if (connections.isAnswered(socket)) socket.destroy();
    else if (refuseAndClose(socket, 'The request is not well-formed HTTP', false)) onBroken();
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') refuseLateInTurns(socket);
    else if (error.code === 'ECONNRESET') socket.destroy();
    else refuseBroken(socket);
  });
  server.on('checkExpectation', (_request, response) => {
    onBroken();
    const body = problemBody(new Problem('A300', 'Only "Expect: 100-continue" is understood'));
    const length = Buffer.byteLength(body);
    response.writeHead(400, { ...ANSWER_HEADERS, 'content-length': length, connection: 'close' });
    response.end(body);
  });
  return { server, take: socket => void server.emit('connection', socket), refuseLate, refuseBroken };
}

/** Calls `act` with each item that is given, with so many in a turn of the event loop. */
export function inTurns<T>(most: number, act: (item: T) => void): (item: T) => void {
  const waiting: T[] = [];
  const next = () => {
    for (const item of waiting.splice(0, most)) act(item);
    if (waiting.length > 0) setImmediate(next);
  };
  return item => {
    if (waiting.push(item) === 1) setImmediate(next);
  };
}
