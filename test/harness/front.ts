/** A front on a free port with Node's HTTP behind it, and clients that write bytes to it. */
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Answer, successAnswer } from '../../src/http/envelope.ts';
import { Connections } from '../../src/http/front/connections.ts';
import type { AnswerFront } from '../../src/http/front/front-routes.ts';
import { createFront } from '../../src/http/front/front-server.ts';
import { HeldBytes } from '../../src/http/front/held-bytes.ts';
import { createNodeServer } from '../../src/http/front/node-server.ts';
import type { Turns } from '../../src/http/front/turns.ts';
import { scratchDirectory } from './scratch.ts';
import { until } from './until.ts';

/** Read by the front. */
export const PLAIN = requestOf('/plain');
/** Read by Node, because it has no route in the front. */
export const OTHER = requestOf('/node');

export function requestOf(path: string, lines = '', body = '{}'): string {
  return `POST ${path} HTTP/1.1\r\nhost: x\r\n${lines}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

export class FrontClient {
  readonly socket: Socket;
  received = '';
  isClosed = false;

  constructor(port: number, localAddress = '127.0.0.1') {
    this.socket = connect({ port, host: '127.0.0.1', localAddress });
    this.socket.setNoDelay(true);
    this.socket.on('data', chunk => {
      this.received += chunk.toString();
    });
    this.socket.on('error', () => {});
    this.socket.on('close', () => {
      this.isClosed = true;
    });
  }

  /** Who has answered, and the body that arrived, in the order of the answers. */
  get answers(): string[] {
    return [...this.received.matchAll(/\{"by":"(\w+)","body":"([^"]*)"/g)].map(
      ([, by, body]) => `${by} ${body}`,
    );
  }

  get answeredBy(): string[] {
    return this.answers.map(answer => answer.split(' ', 1)[0] ?? '');
  }

  async hears(...by: string[]): Promise<void> {
    await until(`there are ${by.length} answers`, () => this.answers.length >= by.length || this.isClosed);
    if (this.answeredBy.join() !== by.join()) throw new Error(`heard ${this.answeredBy}: ${this.received}`);
  }

  /** Each piece is written when the one before has been read, as far as another connection can tell. */
  async write(...pieces: readonly (string | Buffer)[]): Promise<void> {
    for (const piece of pieces) await new Promise(resolve => this.socket.write(piece, resolve));
  }
}

interface Options {
  readonly maxConnections?: number;
  readonly requestTimeoutMs?: number;
  readonly mostHeldBytes?: number;
  readonly shutdownTimeoutMs?: number;
  /** In every answer. */
  readonly padding?: string;
  readonly turns?: Turns;
  readonly listener?: RequestListener;
  readonly answerPlain?: AnswerFront;
}

/** While `isHeld` no request is answered until `release`. */
export async function startFront(t: TestContext, options: Options = {}) {
  const { maxConnections = 1000, requestTimeoutMs = 60_000, shutdownTimeoutMs = 60_000 } = options;
  const state = { isHeld: false, begun: 0, busy: 0, broken: 0, closed: 0 };
  const waiting: (() => void)[] = [];
  const answerOf = (by: string, body: string): Answer =>
    successAnswer(
      JSON.stringify({ by, body: body.replaceAll('"', "'"), padding: options.padding ?? '' }),
      undefined,
    );
  const answered = (by: string, body: string) =>
    new Promise<Answer>(resolve => {
      state.begun++;
      waiting.push(() => resolve(answerOf(by, body)));
      if (!state.isHeld) setImmediate(release);
    });
  const port = {
    connections: new Connections(maxConnections, count => {
      state.closed += count;
    }),
    held: new HeldBytes(options.mostHeldBytes ?? 64 * 1024 * 1024),
    requestTimeoutMs,
    onBroken: () => void state.broken++,
    onBusy: () => void state.busy++,
  };
  const answerPlain: AnswerFront = ({ body }) => answered('front', body.toString());
  const asNode: RequestListener = (request, response) => {
    const answer = async (chunks: readonly Buffer[]) => {
      const { status, headers, body } = await answered('node', Buffer.concat(chunks).toString());
      response.writeHead(status, headers);
      response.end(body);
    };
    // A client that goes before its request has arrived is answered nothing.
    request.toArray().then(answer, () => {});
  };
  const behind = createNodeServer(port, options.listener ?? asNode);
  const front = createFront({
    ...port,
    routes: {
      headerNames: [],
      find: ({ target }) => (target === '/plain' ? (options.answerPlain ?? answerPlain) : undefined),
    },
    turns: options.turns ?? ((_request, begin) => begin(() => {})),
    isProxy: () => false,
    behind,
    shutdownTimeoutMs,
    certificate: undefined,
  });
  await once(behind.server.listen(join(scratchDirectory(), 'behind')), 'listening');
  const address = await front.listen({ host: '127.0.0.1', port: 0 });
  const clients: FrontClient[] = [];
  t.after(async () => {
    for (const { socket } of clients) socket.destroy();
    await front.close();
    behind.server.close();
  });
  function release(): void {
    for (const answer of waiting.splice(0)) answer();
  }
  return {
    ...{ front, behind, state, release },
    open: () => [...port.connections].length,
    async client(localAddress?: string): Promise<FrontClient> {
      const before = new Set([...port.connections].map(({ socket }) => socket));
      const one = new FrontClient(address.port, localAddress);
      clients.push(one);
      await until(
        'it is taken in',
        () => [...port.connections].some(({ socket }) => !before.has(socket)) || one.isClosed,
      );
      return one;
    },
  };
}
