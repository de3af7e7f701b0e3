/**
 * Node's HTTP server with the limits of the gateway: connections, silence, requests that are late or broken. Each of them is
 * answered in JSON, or not at all.
 */
import type { RequestListener, Server } from 'node:http';
import { createServer as createSecureServer, Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { Problem } from '../domain/request/problem.ts';
import { addressBlock } from '../platform/address-block.ts';
import type { Certificate } from '../platform/certificate.ts';
import { createServer } from '../platform/node-http.ts';
import { limitConnections } from './connections.ts';
import { endConnections } from './ending-connections.ts';
import { ANSWER_HEADERS, problemAnswer, problemBody, writeAnswer } from './envelope.ts';
import { bytesToCome, HeldBytes, MOST_HELD_BYTES, NOTHING_HELD, TOO_MUCH } from './held-bytes.ts';
import { answerPlainRequests, type PlainRules } from './plain-connections.ts';

/** A connection on which no byte moves for this long is closed, also while its client does not read an answer. */
const SILENCE_MS = 120_000;
/** How long a client whose request was refused by the parser may take to read that, and to close the connection. */
const FAREWELL_MS = 1_000;
/**
 * How often Node looks for requests that take too long. Often, because it tells of all that it finds at once; not more often, because it
 * looks at every connection: 1.6 ms for 9,000 of them.
 */
const LOOK_FOR_LATE_MS = 100;
/** Thousands may run out of time together; each takes some 90 µs to be answered and closed. */
const LATE_ANSWERED_A_TURN = 10;
/** Listeners for the end of an answer. With the framework's and ours there are eleven, and Node warns of more than ten. */
const MOST_LISTENERS = 16;
/** As long as clients are promised that a connection stays open between two requests. */
const KEEP_ALIVE_MS = 72_000;

/** No key exchange by RSA, which has no forward secrecy, and no CBC: of TLS 1.2 only what any client of the last ten years speaks. */
const TLS = {
  minVersion: 'TLSv1.2',
  ciphers: [
    ...['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'],
    ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
    ...['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
    ...['ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ].join(':'),
} as const;

export interface ServerLimits {
  /** How many connections may be open at once. */
  readonly maxConnections: number;
  /** How long a request may take to arrive. */
  readonly requestTimeoutMs: number;
  /** What requests may hold in memory together; a default is set. */
  readonly mostHeldBytes?: number;
}

export interface ServerNotes {
  /** A request that reached no route was refused with A300. */
  broken(): void;
  /** A request was refused with A020, because those under way hold too much. */
  busy(): void;
  /** So many connections were closed to make room. */
  closed(count: number): void;
}

export interface NodeServer {
  readonly server: Server;
  /** Call it when the server closes: connections end, at the latest after this time. */
  endConnections(withinMs: number): void;
}

export function createNodeServer(
  limits: ServerLimits,
  notes: ServerNotes,
  listener: RequestListener,
  /** Requests that are answered without the listener. */
  plain: PlainRules,
  /** With it the server speaks TLS. */
  certificate?: Certificate,
): NodeServer {
  const { maxConnections, requestTimeoutMs, mostHeldBytes = MOST_HELD_BYTES } = limits;
  const options = {
    // Without this, Node itself refuses a request without a Host header, and not in JSON.
    requireHostHeader: false,
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    connectionsCheckingInterval: LOOK_FOR_LATE_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  };
  const held = new HeldBytes(mostHeldBytes);
  const holding: RequestListener = (request, response) => {
    const addressOf = () => addressBlock(request.socket.remoteAddress ?? '');
    const release = held.take(addressOf, bytesToCome(request));
    if (release) {
      if (release !== NOTHING_HELD) {
        response.setMaxListeners(MOST_LISTENERS);
        response.once('close', release);
      }
      listener(request, response);
      return;
    }
    notes.busy();
    writeAnswer(response, problemAnswer(TOO_MUCH, request.headers['accept-language']));
  };
  const server = certificate
    ? createSecureServer(
        { ...options, ...TLS, ...pemOf(certificate), handshakeTimeout: requestTimeoutMs },
        holding,
      )
    : createServer(options, holding);
  server.setTimeout(SILENCE_MS);
  const limit = limitConnections(server, maxConnections, notes.closed);
  const plainConnections = answerPlainRequests(server, { ...plain, limit, held, onBusy: notes.busy });
  const answerLate = inTurns(LATE_ANSWERED_A_TURN, (socket: Socket) => {
    // A peer that asked nothing expects no answer, and might take it for the answer to what it asks next.
    if (socket.bytesRead === 0 || limit.isAnswered(socket)) socket.destroy();
    else if (answerBrokenRequest(socket, 'The request did not arrive in time', true)) notes.broken();
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
      // The fast path has already handled this request.
      if (!plainConnections.isOurs(socket)) answerLate(socket);
    } else if (error.code === 'ECONNRESET' || isOfTls(error) || limit.isAnswered(socket)) socket.destroy();
    else if (answerBrokenRequest(socket, 'The request is not well-formed HTTP', false)) notes.broken();
  });
  server.on('checkExpectation', (_request, response) => {
    notes.broken();
    const body = problemBody(new Problem('A300', 'Only "Expect: 100-continue" is understood'));
    const length = Buffer.byteLength(body);
    response.writeHead(400, { ...ANSWER_HEADERS, 'content-length': length, connection: 'close' });
    response.end(body);
  });
  const closeIdle = () => {
    plainConnections.closeIdle();
    server.closeIdleConnections();
  };
  return {
    server,
    endConnections: withinMs => endConnections({ server, connections: limit.open, closeIdle }, withinMs),
  };
}

/** From now on for new connections; those that are open keep the one that they began with. */
export function renewCertificate(server: Server, certificate: Certificate): void {
  if (server instanceof SecureServer) server.setSecureContext({ ...TLS, ...pemOf(certificate) });
}

function pemOf({ cert, key }: Certificate): Certificate {
  return { cert, key };
}

/**
 * Answers what Node's parser rejects, by hand, since it never becomes a request; also a request that did not arrive in
 * time. The connection is not only ended but closed: a peer that stays would keep its descriptor. False if the client is
 * gone.
 */
function answerBrokenRequest(socket: Socket, text: string, isLate: boolean): boolean {
  if (!socket.writable) {
    socket.destroy();
    return false;
  }
  const body = problemBody(new Problem('A300', text));
  const headers = { ...ANSWER_HEADERS, 'content-length': Buffer.byteLength(body), connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  // A client that is still sending loses the answer if its connection is closed at once; one that is late sends nothing.
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n${body}`, () => {
    if (isLate) socket.destroy();
  });
  const farewell = setTimeout(() => socket.destroy(), FAREWELL_MS);
  socket.once('close', () => clearTimeout(farewell));
  return true;
}

/** Calls `act` with each item that is given, with so many in a turn of the event loop. */
function inTurns<T>(most: number, act: (item: T) => void): (item: T) => void {
  const waiting: T[] = [];
  const next = () => {
    for (const item of waiting.splice(0, most)) act(item);
    if (waiting.length > 0) setImmediate(next);
  };
  return item => {
    if (waiting.push(item) === 1) setImmediate(next);
  };
}

/** No request was heard, and an answer would not be understood: plain HTTP, another version, a handshake without end. */
function isOfTls({ code = '' }: NodeJS.ErrnoException): boolean {
  return /^ERR_(SSL|TLS|OSSL)/.test(code);
}
