/**
 * Runs a task again and again, `everyMs` after the last run ended, or when that run has asked for. A failure is reported and
 * does not stop it.
 */
import type { Clock } from './clock.ts';

export class Repeater {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #task: (nextIn: (ms: number) => void) => Promise<void>;
  readonly #onError: (error: unknown) => void;
  #cancel: (() => void) | undefined;
  #running: Promise<void> = Promise.resolve();
  #isRunning = false;
  #isStopped = true;

  constructor(deps: {
    readonly clock: Clock;
    readonly everyMs: number;
    /** With `nextIn` a run says when the next one is to be. */
    readonly task: (nextIn: (ms: number) => void) => Promise<void>;
    readonly onError: (error: unknown) => void;
  }) {
    this.#clock = deps.clock;
    this.#everyMs = deps.everyMs;
    this.#task = deps.task;
    this.#onError = deps.onError;
  }

  start(firstInMs = this.#everyMs): void {
    this.#isStopped = false;
    this.#schedule(firstInMs);
  }

  /** Does not wait for the next run. One that is in progress is enough. */
  runNow(): void {
    if (this.#isStopped || this.#isRunning) return;
    this.#cancel?.();
    this.#schedule(0);
  }

  /** Resolves when the run in progress, if any, has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#running;
  }

  #schedule(delayMs: number): void {
    if (this.#isStopped) return;
    this.#cancel = this.#clock.schedule(delayMs, () => {
      let nextMs = this.#everyMs;
      this.#isRunning = true;
      this.#running = this.#task(ms => {
        nextMs = ms;
      })
        .catch(this.#onError)
        .then(() => {
          this.#isRunning = false;
          this.#schedule(nextMs);
        });
    });
  }
}
