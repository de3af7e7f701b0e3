/**
 * A client in a thread of its own, so that its work is not taken for the gateway's. It writes bytes to connections and reads
 * the answers, without a library that would keep it from writing what it likes.
 */
import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

interface Volley {
  readonly port: number;
  /** What is written to each connection, all at once. */
  readonly connections: readonly Uint8Array[];
  /** Answers to wait for on each connection. */
  readonly answers: number;
}

/**
 * Writes to as many connections as there are entries, and resolves to the result codes of all answers, of a file the name of its first column, and `closed` for a connection that was closed before its last.
 */
type Attack = (connections: readonly Uint8Array[], answers?: number) => Promise<string[]>;

export function startAttacker(t: TestContext, port: number): Attack {
  const worker = new Worker(new URL(import.meta.url));
  t.after(() => worker.terminate());
  return (connections, answers = 1) =>
    new Promise((resolve, reject) => {
      worker.once('error', reject).once('message', codes => {
        worker.off('error', reject);
        resolve(codes);
      });
      worker.postMessage({ port, connections, answers } satisfies Volley);
    });
}

/** The bytes of a request. */
export function requestBytes(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array = '',
): Buffer {
  const head = [
    `${method} ${path} HTTP/1.1`,
    'host: gateway',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
}

function answersOf(port: number, bytes: Uint8Array, count: number): Promise<string[]> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    const codes: string[] = [];
    let unread = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('close', () => resolve([...codes, 'closed']));
    socket.on('data', chunk => {
      unread = Buffer.concat([unread, chunk]);
      for (let answer = firstAnswer(unread); answer; answer = firstAnswer(unread)) {
        codes.push(/"code":"(\w+)"/.exec(answer.body)?.[1] ?? answer.body.split(',')[0] ?? '');
        unread = unread.subarray(answer.bytes);
      }
      if (codes.length < count) return;
      socket.removeAllListeners('close');
      socket.destroy();
      resolve(codes);
    });
  });
}

function firstAnswer(bytes: Buffer): { readonly body: string; readonly bytes: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const length = Number(/content-length: (\d+)/i.exec(bytes.toString('latin1', 0, headEnd))?.[1]);
  const end = headEnd + 4 + length;
  // One that does not say how long it is ends with the connection.
  return !(end <= bytes.length) ? undefined : { body: bytes.toString('utf8', headEnd + 4, end), bytes: end };
}

if (!isMainThread) {
  parentPort?.on('message', async ({ port, connections, answers }: Volley) => {
    const codes = await Promise.all(connections.map(bytes => answersOf(port, bytes, answers)));
    parentPort?.postMessage(codes.flat());
  });
}
