/** An answer as bytes on a connection of the front, with the head that Node would write. */
import type { Socket } from 'node:net';
import { Problem } from '../../domain/request/problem.ts';
import { STATUS_CODES } from '../../platform/node-http.ts';
import { ANSWER_HEADERS, type Answer, problemBody } from '../envelope.ts';

/** A connection on which no byte moves for this long is closed, also while its client does not read an answer. */
export const SILENCE_MS = 120_000;
/** As long as clients are promised that a connection stays open between two requests. */
export const KEEP_ALIVE_MS = 72_000;
/** How long a client whose request was refused as broken may take to read that, and to close the connection. */
const FAREWELL_MS = 1_000;

const CLOSES = 'Connection: close\r\n';
const STAYS_OPEN = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_MS / 1000}\r\n`;

/** False if the client does not read, and the rest waits in memory. */
export function writeTo(socket: Socket, { status, headers, body }: Answer, isLast: boolean): boolean {
  let lines = '';
  for (const name in headers) lines += `${name}: ${headers[name]}\r\n`;
  const connection = isLast ? CLOSES : STAYS_OPEN;
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}Date: ${dateLine()}\r\n${connection}\r\n`;
  if (typeof body === 'string') return socket.write(head + body);
  // One packet, and the body is not copied.
  socket.cork();
  socket.write(head);
  const isTaken = socket.write(body);
  socket.uncork();
  return isTaken;
}

/**
 * Refuses what never became a request. The connection is not only ended but closed: a peer that stays would keep its
 * descriptor. False if the client has gone.
 */
export function refuseAndClose(socket: Socket, text: string, isLate: boolean): boolean {
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
