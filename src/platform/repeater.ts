/** Runs a task again and again, `intervalMs` after the last run ended. A failure is reported and does not stop it. */
import type { Clock } from './clock.ts';

export class Repeater {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #task: () => Promise<void>;
  readonly #onError: (error: unknown) => void;
  #cancel: (() => void) | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = true;

  constructor(
    clock: Clock,
    intervalMs: number,
    task: () => Promise<void>,
    onError: (error: unknown) => void,
  ) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#task = task;
    this.#onError = onError;
  }

  start(): void {
    this.#isStopped = false;
    this.#schedule();
  }

  /** Resolves when the run under way, if any, has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#running;
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#cancel = this.#clock.schedule(this.#intervalMs, () => {
      this.#running = this.#task()
        .catch(this.#onError)
        .then(() => this.#schedule());
    });
  }
}
