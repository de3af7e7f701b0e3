/** Requests written byte by byte, for what no HTTP library of this platform would send. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly contentType: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely; their members are asserted.
  readonly body: any;
}

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  /** Sent in this order and spelling. Only `Host` and `Connection` are added. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string | Buffer;
  /** Holds the body back until the server asks for it, as curl does with `Expect: 100-continue`. */
  readonly awaitsContinue?: boolean;
}

export async function rawRequest(base: string, request: RawRequest): Promise<RawAnswer> {
  const { hostname, port, host } = new URL(base);
  const socket = connect(Number(port), hostname);
  try {
    const headers = [['Host', host], ...request.headers, ['Connection', 'close']];
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`${request.method} ${request.path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    if (request.awaitsContinue) await interimAnswer(socket);
    if (request.body !== undefined) socket.write(request.body);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk);
    return answerOf(Buffer.concat(chunks).toString());
  } finally {
    socket.destroy();
  }
}

/** An interim answer has no body, so it comes whole. */
async function interimAnswer(socket: Socket): Promise<void> {
  const [chunk] = await once(socket, 'data');
  socket.pause();
  if (!String(chunk).startsWith('HTTP/1.1 100 Continue\r\n')) throw new Error(`no 100-continue: ${chunk}`);
}

function answerOf(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const head = text.slice(0, end);
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]),
    contentType: /^content-type: (.*)$/im.exec(head)?.[1] ?? '',
    body: JSON.parse(text.slice(end + 4)),
  };
}
