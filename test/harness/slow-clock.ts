import { type Clock, systemClock } from '../../src/platform/clock.ts';

/** A clock by which everything takes long that reads it before and after, without anybody waiting. */
export class SlowClock implements Clock {
  /** How much time passes each time it is read. */
  stepMs: number;
  #at = 0;

  constructor(stepMs: number) {
    this.stepMs = stepMs;
  }

  now(): number {
    return systemClock.now();
  }

  trusted(): number {
    return systemClock.now();
  }

  monotonic(): number {
    this.#at += this.stepMs;
    return this.#at;
  }

  uptime(): number {
    return systemClock.uptime();
  }

  schedule(delayMs: number, task: () => void): () => void {
    return systemClock.schedule(delayMs, task);
  }

  advance(ms: number): void {
    this.#at += ms;
  }
}
