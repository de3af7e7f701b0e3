/**
 * The threads that speak HTTP. Each has the port, a line to the engine for sends, and the engine's own HTTP server for
 * everything else. A thread that ends unasked takes the process with it: half a gateway is worse than none, and a
 * supervisor starts it again.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { FastifyInstance } from 'fastify';
import { BACKLOG } from '../http/connections.ts';
import { type DeskServiceDeps, serveDesk } from '../http/front/desk-service.ts';
import {
  CLOSE,
  type HttpThreadData,
  type HttpThreadNews,
  type HttpThreadOrder,
} from '../http/front/http-thread.ts';
import type { Certificate } from '../platform/certificate.ts';
import type { Logger } from '../platform/logger.ts';
import type { ThreadBell } from '../platform/thread-bell.ts';

const THREAD = new URL('../http/front/http-thread.ts', import.meta.url);
/** Sends that wait for the engine, of all threads: some seconds of its work, and some 100 MB of the largest. */
const MOST_WAITING = 8_192;
const LEFT_BEHIND = /^bongsu-engine-(\d+)-\w+$/;
const EXIT_FAILURE = 1;

export interface HttpThreadsOptions {
  readonly threads: number;
  readonly host: string;
  readonly port: number;
  readonly maxConnections: number;
  readonly mostPassedOn: number;
  readonly requestTimeoutMs: number;
  readonly proxyHops: number;
  readonly headerPrefixes: readonly string[];
  readonly certificate?: Certificate | undefined;
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
  /** What the threads run; for tests. */
  readonly program?: URL;
}

export async function startHttpThreads(
  options: HttpThreadsOptions,
  deps: HttpThreadsDeps,
): Promise<HttpThreads> {
  const { threads: count, host } = options;
  const directory = privateDirectory();
  const socketPath = join(directory, 'engine');
  const threads: HttpThread[] = [];
  const close = async () => {
    await Promise.all(threads.map(thread => thread.close()));
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    await deps.http.listen({ path: socketPath, backlog: BACKLOG });
    // Sharing a port hides that another process has it.
    let port = count > 1 ? await freePort(host, options.port) : options.port;
    while (threads.length < count) {
      const data = { ...dataFor(options), name: `http-${threads.length + 1}`, port, socketPath };
      const thread = await HttpThread.start(data, deps);
      threads.push(thread);
      port = thread.port;
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
): Omit<HttpThreadData, 'calls' | 'bell' | 'name' | 'port' | 'socketPath'> {
  const { threads: count, host, requestTimeoutMs, proxyHops, headerPrefixes } = options;
  return {
    host,
    isShared: count > 1,
    maxConnections: Math.ceil(options.maxConnections / count),
    mostPassedOn: Math.ceil(options.mostPassedOn / count),
    requestTimeoutMs,
    proxyHops,
    headerPrefixes,
    certificate: options.certificate,
    mostWaiting: Math.ceil(MOST_WAITING / count),
  };
}

class HttpThread {
  readonly #worker: Worker;
  readonly port: number;
  #isClosing = false;

  private constructor(
    worker: Worker,
    ended: Promise<void>,
    port: number,
    { onLost = endProcess }: HttpThreadsDeps,
  ) {
    this.#worker = worker;
    this.port = port;
    void ended.then(() => {
      if (!this.#isClosing) onLost();
    });
  }

  static async start(
    data: Omit<HttpThreadData, 'calls' | 'bell'>,
    deps: HttpThreadsDeps,
  ): Promise<HttpThread> {
    const { port1, port2: calls } = new MessageChannel();
    // Before the calls are taken: one that rings meanwhile is heard.
    port1.on('message', () => deps.bell.silence());
    serveDesk(port1, deps.desk);
    const workerData: HttpThreadData = { ...data, calls, bell: deps.bell.memory };
    const worker = new Worker(deps.program ?? THREAD, { workerData, transferList: [calls] });
    // From the beginning: of a thread that ends at once, Node tells its news, its error and its end in one go.
    worker.on('error', error => {
      deps.log.fatal({ event: 'httpThreadFailed', err: error });
    });
    const ended = new Promise<void>(resolve => worker.once('exit', () => resolve()));
    const news = await nextNews(worker);
    if (news.kind === 'listening') return new HttpThread(worker, ended, news.address.port, deps);
    await worker.terminate();
    const { code, message } = news.kind === 'cannotListen' ? news : { code: undefined, message: 'it closed' };
    throw Object.assign(new Error(message), { code });
  }

  order(order: HttpThreadOrder): void {
    this.#worker.postMessage(order);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    const closed = nextNews(this.#worker);
    this.order(CLOSE);
    await closed;
    await this.#worker.terminate();
  }
}

function endProcess(): void {
  process.exit(EXIT_FAILURE);
}

/** Its name has the number of this process: what processes left behind that were killed is removed. */
function privateDirectory(): string {
  for (const name of readdirSync(tmpdir())) {
    const pid = LEFT_BEHIND.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
  return mkdtempSync(join(tmpdir(), `bongsu-engine-${process.pid}-`));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process runs, too, and its directory is not ours to remove.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** A thread that has ended has closed. */
function nextNews(worker: Worker): Promise<HttpThreadNews> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => resolve({ kind: 'closed' }));
  });
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
