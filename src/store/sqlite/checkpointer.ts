/**
 * Writes SQLite's log back into the database in a thread of its own, while this one goes on writing to the log. By itself SQLite
 * does that in a commit, when the log has grown so long, and everybody waits for it: an eighth of this thread's time. It still
 * does that with what the other thread has left, and with everything if that one has ended.
 */
import { Worker } from 'node:worker_threads';
import type { CheckpointNews, CheckpointOrder } from './checkpoint-thread.ts';

const THREAD = new URL('./checkpoint-thread.ts', import.meta.url);
/** Fewer and the same pages are written again and again; more and SQLite has more left to do. */
const COMMITS = 128;

export interface CheckpointerOptions {
  /** It could not write the log back. */
  readonly onTrouble: (error: unknown) => void;
  /** What the thread runs; for tests. */
  readonly program?: URL;
}

export class Checkpointer {
  readonly #file: string;
  readonly #options: CheckpointerOptions;
  #worker: Worker | undefined;
  #commits = 0;
  #isUnderWay = false;
  #hasEnded = false;
  #onIdle: (() => void)[] = [];
  #onEnd = () => {};

  constructor(file: string, options: CheckpointerOptions) {
    this.#file = file;
    this.#options = options;
  }

  /** Told after each commit. The thread begins with the first that is worth it. */
  committed(): void {
    this.#commits++;
    if (this.#commits < COMMITS || this.#isUnderWay || this.#hasEnded) return;
    this.#commits = 0;
    try {
      this.#worker ??= this.#start();
    } catch (error) {
      // Whoever has committed must learn that, whatever becomes of the log.
      this.#end(error);
      return;
    }
    this.#isUnderWay = true;
    this.#order('checkpoint');
  }

  /** Resolves when none is under way. */
  async idle(): Promise<void> {
    if (!this.#isUnderWay) return;
    await new Promise<void>(resolve => this.#onIdle.push(resolve));
  }

  async close(): Promise<void> {
    this.#hasEnded = true;
    await this.idle();
    if (!this.#worker) return;
    const ended = new Promise<void>(resolve => {
      this.#onEnd = resolve;
    });
    this.#order('close');
    await ended;
  }

  #order(order: CheckpointOrder): void {
    this.#worker?.postMessage(order);
  }

  #start(): Worker {
    const worker = new Worker(this.#options.program ?? THREAD, { workerData: this.#file });
    worker.unref();
    worker.on('message', ({ failure }: CheckpointNews) => {
      if (failure !== undefined) this.#options.onTrouble(new Error(failure));
      this.#rest();
    });
    worker.on('error', error => this.#end(error));
    worker.on('exit', () => {
      if (!this.#hasEnded) this.#end(new Error('the thread that writes the log back has ended'));
      this.#worker = undefined;
      this.#rest();
      this.#onEnd();
    });
    return worker;
  }

  #end(why: unknown): void {
    this.#hasEnded = true;
    this.#options.onTrouble(why);
  }

  #rest(): void {
    this.#isUnderWay = false;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }
}
