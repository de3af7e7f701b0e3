/**
 * A thread that speaks HTTP, from its beginning. It loads its program while the engine's thread loads its own and opens the
 * store, and then waits to be told where to listen.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Config } from '../config/config.ts';
import {
  CLOSE,
  type HttpThreadData,
  type HttpThreadNews,
  type HttpThreadOrder,
} from '../http/front/http-thread-talk.ts';

const THREAD = new URL('../http/front/http-thread.ts', import.meta.url);

/** As many as are configured; by itself one, where it has a processor of its own. */
export function spawnHttpThreads(config: Config): readonly SpawnedHttpThread[] {
  return Array.from({ length: httpThreadsOf(config) }, () => new SpawnedHttpThread());
}

export function httpThreadsOf({ httpThreads }: Config): number {
  return httpThreads ?? (availableParallelism() > 1 ? 1 : 0);
}

export class SpawnedHttpThread {
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  #failure: Error | undefined;
  #isListening = false;
  #isClosing = false;

  /** `program`: what it runs; for tests. */
  constructor(program = THREAD) {
    this.#worker = new Worker(program);
    // As long as nobody can call it, it is no reason for the process to go on.
    this.#worker.unref();
    // From the beginning: of a thread that ends at once, Node tells its news, its error and its end in one go.
    this.#worker.on('error', (error: Error) => {
      this.#failure = error;
    });
    this.#ended = new Promise(resolve => this.#worker.once('exit', () => resolve()));
  }

  /** Resolves to the port. `onEnd` is told of its error, if it had one, and whether it was asked to end. */
  async listen(
    data: HttpThreadData,
    onEnd: (failure: Error | undefined, isAsked: boolean) => void,
  ): Promise<number> {
    this.#worker.ref();
    const answer = this.#nextNews();
    this.#worker.postMessage(data, [data.calls]);
    const news = await answer;
    if (news.kind !== 'listening') {
      const { code, message } =
        news.kind === 'cannotListen' ? news : { code: undefined, message: 'it closed' };
      throw this.#failure ?? Object.assign(new Error(message), { code });
    }
    this.#isListening = true;
    void this.#ended.then(() => onEnd(this.#failure, this.#isClosing));
    return news.address.port;
  }

  order(order: HttpThreadOrder): void {
    this.#worker.postMessage(order);
  }

  /** Waits for the answers under way. */
  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#isListening) {
      const closed = this.#nextNews();
      this.order(CLOSE);
      await closed;
    }
    await this.#worker.terminate();
  }

  /** A thread that has ended has closed. */
  #nextNews(): Promise<HttpThreadNews> {
    return new Promise(resolve => {
      this.#worker.once('message', resolve);
      void this.#ended.then(() => resolve({ kind: 'closed' }));
    });
  }
}
