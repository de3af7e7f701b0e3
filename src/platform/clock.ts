/**
 * Time as an argument: the system's in production, a hand-turned one in tests.
 *
 * There are two clocks in one. `now()` is the wall clock: what people and the contract see, and what is written down. It can
 * be set back or jump ahead at any moment. `monotonic()` only ever runs forward: delays, pauses, leases, rates and
 * time-outs are measured by it, and `schedule` follows it.
 */

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since some moment; the difference of two readings is the time that passed. */
  monotonic(): number;
  /** Calls `task` once, `delayMs` from now; the returned function cancels it. */
  schedule(delayMs: number, task: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
};

/** A clock that stands still until it is advanced; tasks that fall due run in their order. */
export class ManualClock implements Clock {
  #monotonic = 0;
  /** What the wall clock shows beyond the monotonic one. */
  #offset: number;
  #tasks: { at: number; order: number; task: () => void }[] = [];
  #order = 0;

  constructor(start = Date.UTC(2026, 0, 5, 3)) {
    this.#offset = start;
  }

  now(): number {
    return this.#offset + this.#monotonic;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  schedule(delayMs: number, task: () => void): () => void {
    const entry = { at: this.#monotonic + Math.max(0, delayMs), order: this.#order++, task };
    this.#tasks.push(entry);
    return () => {
      this.#tasks = this.#tasks.filter(other => other !== entry);
    };
  }

  /** Time passes. */
  advance(ms: number): void {
    const target = this.#monotonic + ms;
    for (;;) {
      const due = this.#tasks
        .filter(entry => entry.at <= target)
        .sort((a, b) => a.at - b.at || a.order - b.order)[0];
      if (!due) break;
      this.#monotonic = Math.max(this.#monotonic, due.at);
      this.#tasks = this.#tasks.filter(entry => entry !== due);
      due.task();
    }
    this.#monotonic = target;
  }

  /** Somebody sets the wall clock: it jumps ahead, or back, and no time passes. */
  setWallBy(ms: number): void {
    this.#offset += ms;
  }
}
