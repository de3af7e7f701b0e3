/**
 * One connection of the port. It reads plain requests, one at a time, with their bodies in as many packets as they take, and writes
 * their answers. Anything else, and whatever is odd in the slightest, goes to Node's HTTP server with what was read of it, and the
 * connection with it, for good.
 */
import type { Socket } from 'node:net';
import type { IsProxy } from '../../platform/trusted-proxies.ts';
import type { Answer } from '../envelope.ts';
import { callerAddress } from './caller-address.ts';
import type { Connection } from './connections.ts';
import type { AnswerFront, FrontRoutes } from './front-routes.ts';
import type { Release } from './held-bytes.ts';
import type { NodeServer, Port } from './node-server.ts';
import type { PlainHead, ReadHead } from './plain-request.ts';
import type { Turns } from './turns.ts';
import { KEEP_ALIVE_MS, SILENCE_MS, writeTo } from './written-answer.ts';

export interface ConnectionDeps extends Port {
  readonly routes: FrontRoutes;
  readonly turns: Turns;
  readonly isProxy: IsProxy;
  readonly behind: NodeServer;
  /** Whether connections end with the answer in progress. */
  readonly isClosing: () => boolean;
  readonly deadlines: Deadlines;
}

/** When the request that a connection reads must have arrived. */
export interface Deadlines {
  start(socket: Socket): void;
  end(socket: Socket): void;
}

interface Begun {
  readonly head: PlainHead;
  readonly answer: AnswerFront;
  readonly release: Release;
}

interface Kept {
  readonly bytes: Buffer;
  readonly release: Release;
}

const EMPTY = Buffer.alloc(0);
const EMPTY_LINE = Buffer.from('\r\n');

type State = 'idle' | 'gathering' | 'answering' | 'handed off';

export class FrontConnection {
  readonly socket: Socket;
  readonly #deps: ConnectionDeps;
  readonly #block: string;
  readonly #readHead: ReadHead;
  #state: State = 'idle';
  #hasAnswered = false;
  #begun: Begun | undefined;
  /** The body of a request that does not arrive in one packet, as far as it has arrived. */
  #body = EMPTY;
  #arrived = 0;
  /** What arrived before its client had the answer to an earlier request. */
  #early: Kept[] = [];

  constructor({ socket, block }: Connection, readHead: ReadHead, deps: ConnectionDeps) {
    this.socket = socket;
    this.#block = block;
    this.#readHead = readHead;
    this.#deps = deps;
    socket.on('data', this.#onData).on('end', this.#onEnd).on('timeout', this.#onTimeout);
    socket.on('error', this.#onError).once('close', this.#onClose);
    socket.setTimeout(SILENCE_MS);
    deps.deadlines.start(socket);
  }

  /** Between two requests, and the answer to the first is read as far as we can tell. */
  get isIdle(): boolean {
    return this.#state === 'idle' && this.#hasAnswered && this.socket.writableLength === 0;
  }

  readonly #onData = (packet: Buffer): void => {
    // It was refused because it was late.
    if (!this.socket.writable) return;
    if (this.#state === 'gathering') this.#gather(packet);
    // Nothing more is read of a client that does not read its answers.
    else if (this.#state === 'answering' || this.socket.writableNeedDrain) this.#keep(packet);
    else this.#read(packet);
  };

  /** A client that will send no more is taken for one that has gone, as Node does. */
  readonly #onEnd = (): void => {
    if (this.#state === 'gathering') this.#deps.behind.refuseBroken(this.socket);
    else this.socket.end();
  };

  readonly #onTimeout = (): void => {
    this.socket.destroy();
  };

  readonly #onError = (): void => {
    this.socket.destroy();
  };

  readonly #onClose = (): void => {
    this.#deps.deadlines.end(this.socket);
    this.#begun?.release();
    for (const { release } of this.#early) release();
    this.#early = [];
  };

  #read(bytes: Buffer): void {
    // Some clients write it behind a body. To Node it would be the begin of a request, which then is late.
    if (this.#hasAnswered && bytes.equals(EMPTY_LINE)) return;
    const { routes, held, deadlines } = this.#deps;
    const head = this.#readHead(bytes);
    const answer = head && routes.find(head);
    const release = head && answer && held.take(() => this.#block, head.bodyLength);
    if (!release) {
      this.#handOff(bytes);
      return;
    }
    const begun = { head, answer, release };
    this.#begun = begun;
    const rest = bytes.subarray(head.length);
    if (rest.length >= head.bodyLength) {
      this.#answer(begun, rest.subarray(0, head.bodyLength), rest.subarray(head.bodyLength));
      return;
    }
    this.#state = 'gathering';
    // One piece of memory: each of many small packets would take more than it holds.
    this.#body = Buffer.allocUnsafeSlow(head.bodyLength);
    this.#arrived = rest.copy(this.#body);
    // The first request has the time that began with the connection.
    if (this.#hasAnswered) deadlines.start(this.socket);
  }

  #gather(bytes: Buffer): void {
    const body = this.#body;
    const taken = bytes.copy(body, this.#arrived);
    this.#arrived += taken;
    if (this.#arrived < body.length || !this.#begun) return;
    this.#body = EMPTY;
    this.#answer(this.#begun, body, bytes.subarray(taken));
  }

  #answer({ head, answer, release }: Begun, body: Buffer, rest: Buffer): void {
    const { socket } = this;
    const { connections, turns, isProxy, deadlines } = this.#deps;
    this.#state = 'answering';
    deadlines.end(socket);
    if (rest.length > 0) this.#keep(rest);
    const { headers } = head;
    const address = callerAddress(socket, headers['x-forwarded-for'], isProxy);
    connections.noteAnswering(socket, true);
    turns({ authorization: headers.authorization, address, bytes: body.length }, end => {
      // The client may have gone while the request waited.
      if (socket.destroyed) return end();
      void answer({ headers, address, socket, body }).then(answered => {
        end();
        release();
        connections.noteAnswering(socket, false);
        this.#write(answered);
      });
    });
  }

  #write(answer: Answer): void {
    const { socket } = this;
    this.#begun = undefined;
    this.#state = 'idle';
    // The client has gone.
    if (!socket.writable) return;
    const isLast = this.#deps.isClosing();
    const isTaken = writeTo(socket, answer, isLast);
    if (isLast) {
      socket.destroySoon();
      return;
    }
    if (!this.#hasAnswered) socket.setTimeout(KEEP_ALIVE_MS);
    this.#hasAnswered = true;
    if (isTaken) this.#readOn();
    else socket.once('drain', () => this.#readOn());
  }

  /** Accounts for the bytes and stops reading, so that not many more come. */
  #keep(bytes: Buffer): void {
    this.socket.pause();
    const release = this.#deps.held.take(() => this.#block, bytes.length);
    if (release) this.#early.push({ bytes, release });
    else this.socket.destroy();
  }

  #readOn(): void {
    const early = this.#early;
    if (this.#state !== 'idle' || (early.length === 0 && !this.socket.isPaused())) return;
    this.#early = [];
    for (const { release } of early) release();
    this.socket.resume();
    if (early.length > 0) this.#read(Buffer.concat(early.map(({ bytes }) => bytes)));
  }

  #handOff(bytes: Buffer): void {
    const { socket } = this;
    this.#state = 'handed off';
    this.#deps.deadlines.end(this.socket);
    socket.off('data', this.#onData).off('end', this.#onEnd).off('timeout', this.#onTimeout);
    socket.pause();
    socket.unshift(bytes);
    this.#deps.behind.take(socket);
    socket.off('error', this.#onError);
    socket.resume();
  }
}
