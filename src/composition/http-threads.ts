/**
 * The threads that speak HTTP. Each has the port, a line to the engine for sends, and the engine's own HTTP server for
 * everything else. A thread that ends unasked takes the process with it: half a gateway is worse than none, and a
 * supervisor starts it again.
 */
import { type AddressInfo, createServer } from 'node:net';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { FastifyInstance } from 'fastify';
import { type DeskServiceDeps, serveDesk } from '../http/front/desk-service.ts';
import type { HttpThreadData } from '../http/front/http-thread-talk.ts';
import type { Certificate } from '../platform/certificate.ts';
import type { Logger } from '../platform/logger.ts';
import type { ThreadBell } from '../platform/thread-bell.ts';
import type { ProxySettings } from '../platform/trusted-proxies.ts';
import { type EngineSocket, listenOnEngineSocket } from './engine-socket.ts';
import type { SpawnedHttpThread } from './spawned-http-thread.ts';

/** Calls that wait for the engine, of all threads: some seconds of its work, and some 100 MB of the largest. */
const MOST_WAITING = 8_192;
const EXIT_FAILURE = 1;

export interface HttpThreadsOptions {
  readonly host: string;
  readonly port: number;
  readonly maxConnections: number;
  readonly mostPassedOn: number;
  readonly requestTimeoutMs: number;
  readonly shutdownTimeoutMs: number;
  readonly proxies: ProxySettings;
  readonly headerPrefixes: readonly string[];
  readonly certificate?: Certificate | undefined;
  /** A directory that no other process writes into, for the engine's socket. */
  readonly ownDirectory?: string | undefined;
}

export interface HttpThreads {
  readonly port: number;
  /** The certificate of connections from now on. */
  renew(certificate: Certificate): void;
  /** Stops listening, and waits for the answers under way. */
  close(): Promise<void>;
}

export interface HttpThreadsDeps {
  readonly http: FastifyInstance;
  readonly desk: DeskServiceDeps;
  readonly log: Logger;
  /** The threads ring it when they have something for the engine. */
  readonly bell: ThreadBell;
  /** A thread ended unasked. */
  readonly onLost?: () => void;
}

export async function listenInThreads(
  threads: readonly SpawnedHttpThread[],
  options: HttpThreadsOptions,
  deps: HttpThreadsDeps,
): Promise<HttpThreads> {
  const { onLost = endProcess } = deps;
  let socket: EngineSocket | undefined;
  const lines: MessagePort[] = [];
  const close = async () => {
    await Promise.all(threads.map(thread => thread.close()));
    // The port of a thread that ended before it took the other one stays open by itself.
    for (const line of lines) line.close();
    socket?.remove();
  };
  try {
    socket = await listenOnEngineSocket(deps.http, options.ownDirectory, deps.log);
    // Sharing a port hides that another process has it.
    let port = threads.length > 1 ? await freePort(options.host, options.port) : options.port;
    for (const [index, thread] of threads.entries()) {
      const { port1: ownCalls, port2: calls } = new MessageChannel();
      lines.push(ownCalls);
      // Before the calls are taken: one that rings meanwhile is heard.
      ownCalls.on('message', () => deps.bell.silence());
      serveDesk(ownCalls, deps.desk);
      const name = `http-${index + 1}`;
      const paths = { socketPath: socket.path, ownSocketPath: socket.pathOfThread(name) };
      const own = { name, port, ...paths, calls, bell: deps.bell.memory };
      port = await thread.listen({ ...dataFor(options, threads.length), ...own }, (failure, isAsked) => {
        ownCalls.close();
        if (failure) deps.log.fatal({ event: 'httpThreadFailed', err: failure });
        if (!isAsked) onLost();
      });
    }
    const renew = (certificate: Certificate) => {
      for (const thread of threads) thread.order(certificate);
    };
    return { port, renew, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function dataFor(
  options: HttpThreadsOptions,
  count: number,
): Omit<HttpThreadData, 'calls' | 'bell' | 'name' | 'port' | 'socketPath' | 'ownSocketPath'> {
  const { host, requestTimeoutMs, shutdownTimeoutMs, proxies, headerPrefixes } = options;
  return {
    host,
    isShared: count > 1,
    maxConnections: Math.ceil(options.maxConnections / count),
    mostPassedOn: Math.ceil(options.mostPassedOn / count),
    requestTimeoutMs,
    shutdownTimeoutMs,
    proxies,
    headerPrefixes,
    certificate: options.certificate,
    mostWaiting: Math.ceil(MOST_WAITING / count),
  };
}

function endProcess(): void {
  process.exit(EXIT_FAILURE);
}

/** A port that nobody listens on: the one that is asked for, or any for 0. */
function freePort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen({ host, port }, () => {
      const { port: free } = probe.address() as AddressInfo;
      probe.close(() => resolve(free));
    });
  });
}
