/**
 * The server that owns the port, by TCP or TLS: it takes connections in, ends those that send nothing or too slowly, and when it
 * closes waits for the answers in progress, for a limited time.
 *
 * On closing, an idle connection is closed at once, one that waits for its client after some seconds, one whose request is being
 * worked on after its answer. When the time of the stop is over, all are.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type ListenOptions, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer, Server as SecureServer } from 'node:tls';
import type { Certificate } from '../../platform/certificate.ts';
import type { IsProxy } from '../../platform/trusted-proxies.ts';
import type { Connection, Connections } from './connections.ts';
import { type Deadlines, FrontConnection } from './front-connection.ts';
import type { FrontRoutes } from './front-routes.ts';
import {
  inTurns,
  LATE_ANSWERED_A_TURN,
  LOOK_FOR_LATE_MS,
  type NodeServer,
  type Port,
} from './node-server.ts';
import { plainReaders } from './plain-request.ts';
import type { Turns } from './turns.ts';

/**
 * Clients that may wait while we are at work, if the system lets them (net.core.somaxconn). Of more it drops the first packet, and they
 * try again after a second. Node lets 511 wait.
 */
export const BACKLOG = 4096;

/** How often a server that closes looks at its connections. */
const LOOK_WHEN_CLOSING_MS = 50;
/** On closing, for the rest of a request. */
const INCOMPLETE_MS = 2_000;
/** On closing, for a client that reads nothing of its answer. */
const UNREAD_MS = 5_000;

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

export interface FrontDeps extends Port {
  readonly routes: FrontRoutes;
  readonly turns: Turns;
  readonly isProxy: IsProxy;
  /** Takes everything that the front does not answer. */
  readonly behind: NodeServer;
  /** How long answers may take to end when it closes. */
  readonly shutdownTimeoutMs: number;
  /** With it the front speaks TLS. */
  readonly certificate: Certificate | undefined;
}

export interface Front {
  listen(where: ListenOptions): Promise<AddressInfo>;
  /** The certificate of connections from now on; those that are open keep theirs. */
  renew(certificate: Certificate): void;
  isClosing(): boolean;
  /** Resolves when the last connection is closed; may be called again. */
  close(): Promise<void>;
}

export function createFront(deps: FrontDeps): Front {
  const { connections, behind, certificate, requestTimeoutMs, shutdownTimeoutMs } = deps;
  const reading = new Map<Socket, FrontConnection>();
  const deadlines = new DeadlineQueue(requestTimeoutMs, behind.refuseLate);
  const createRead = plainReaders(deps.routes.headerNames);
  let closed: Promise<void> | undefined;
  const isClosing = () => closed !== undefined;
  const server = certificate
    ? createSecureServer({
        ...{ ...TLS, ...pemOf(certificate) },
        ...{ ALPNProtocols: ['http/1.1'], handshakeTimeout: requestTimeoutMs, noDelay: true },
      })
    : createServer({ allowHalfOpen: true, noDelay: true });
  takeConnections(server, connections, connection => {
    const { socket } = connection;
    reading.set(socket, new FrontConnection(connection, createRead(), { ...deps, deadlines, isClosing }));
    socket.once('close', () => reading.delete(socket));
  });

  return {
    isClosing,
    async listen(where) {
      server.listen({ backlog: BACKLOG, ...where });
      await once(server, 'listening');
      const looking = setInterval(() => deadlines.look(), LOOK_FOR_LATE_MS);
      looking.unref();
      server.once('close', () => clearInterval(looking));
      return server.address() as AddressInfo;
    },
    renew(next) {
      if (server instanceof SecureServer) server.setSecureContext({ ...TLS, ...pemOf(next) });
    },
    close() {
      closed ??= endConnections();
      return closed;
    },
  };

  async function endConnections(): Promise<void> {
    if (!server.listening) return;
    server.close();
    const startedAt = performance.now();
    const stuck = new StuckConnections();
    // After what has arrived was read: a connection with a request of which we do not know yet would look idle.
    const looking = setInterval(() => setImmediate(look), LOOK_WHEN_CLOSING_MS);
    setImmediate(() => setImmediate(look));
    await once(server, 'close');
    clearInterval(looking);

    function look(): void {
      // Node takes a connection for idle whose client still reads its answer.
      const isReading = [...connections].some(({ socket }) => socket.writableLength > 0);
      if (!isReading) behind.server.closeIdleConnections();
      const now = performance.now();
      for (const connection of connections) {
        const { socket } = connection;
        const isOver = now - startedAt >= shutdownTimeoutMs;
        if (isOver || reading.get(socket)?.isIdle || stuck.isStuck(connection, now)) socket.destroy();
      }
    }
  }
}

/** Calls back with connections that requests may come from: with TLS, after the handshake. */
function takeConnections(
  server: Server,
  connections: Connections,
  take: (connection: Connection) => void,
): void {
  /** While the handshake goes on. Node does not say which connection a secure socket is of; its ends do. */
  const handshakes = new Map<string, Socket>();
  server.on('connection', (socket: Socket) => {
    const connection = connections.add(socket);
    if (!connection) return;
    if (!(server instanceof SecureServer)) {
      take(connection);
      return;
    }
    const ends = endsOf(socket);
    handshakes.set(ends, socket);
    socket.once('close', () => {
      if (handshakes.get(ends) === socket) handshakes.delete(ends);
    });
  });
  server.on('secureConnection', (secured: Socket) => {
    const ends = endsOf(secured);
    const plain = handshakes.get(ends);
    handshakes.delete(ends);
    const connection = plain && connections.secure(plain, secured);
    if (connection) take(connection);
    else secured.destroy();
  });
  // Plain HTTP, another version, a handshake without end: an answer would not be understood.
  server.on('tlsClientError', (_error: Error, socket: Socket) => void socket.destroy());
}

function endsOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

function pemOf({ cert, key }: Certificate): Certificate {
  return { cert, key };
}

/** All have the same time, so the first that began is the first to be late. */
class DeadlineQueue implements Deadlines {
  readonly #timeoutMs: number;
  readonly #dueAt = new Map<Socket, number>();
  /** Those that wait for their refusal. Their request may arrive before it, and is answered then. */
  readonly #late = new Set<Socket>();
  readonly #refuse: (socket: Socket) => void;

  constructor(timeoutMs: number, refuseLate: (socket: Socket) => void) {
    this.#timeoutMs = timeoutMs;
    this.#refuse = inTurns(LATE_ANSWERED_A_TURN, (socket: Socket) => {
      if (this.#late.delete(socket)) refuseLate(socket);
    });
  }

  start(socket: Socket): void {
    this.#dueAt.set(socket, performance.now() + this.#timeoutMs);
  }

  end(socket: Socket): void {
    this.#dueAt.delete(socket);
    this.#late.delete(socket);
  }

  look(): void {
    const now = performance.now();
    for (const [socket, dueAt] of this.#dueAt) {
      if (dueAt > now) return;
      this.#dueAt.delete(socket);
      this.#late.add(socket);
      this.#refuse(socket);
    }
  }
}

/** Connections that wait for their client while the server closes. */
class StuckConnections {
  readonly #since = new Map<Socket, { readonly progress: string; readonly since: number }>();

  isStuck({ socket, isWaiting }: Connection, now: number): boolean {
    const { bytesWritten, writableLength } = socket;
    if (!isWaiting && writableLength === 0) {
      this.#since.delete(socket);
      return false;
    }
    // Bytes that arrive do not count: a client may send one a second for ever.
    const progress = `${bytesWritten} ${writableLength}`;
    const before = this.#since.get(socket);
    if (before?.progress !== progress) {
      this.#since.set(socket, { progress, since: now });
      return false;
    }
    return now - before.since >= (writableLength > 0 ? UNREAD_MS : INCOMPLETE_MS);
  }
}
