/**
 * Time as an argument: the system's in production, a hand-turned one in tests.
 *
 * There are two clocks in one. `now()` is the wall clock: what people and the contract see, and what is written down. It can
 * be set back or jump ahead at any moment. `monotonic()` only ever runs forward: delays, pauses, leases, rates and
 * time-outs are measured by it, and `schedule` follows it.
 */

import { uptime } from 'node:os';

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** The same, for whoever deletes, ends or sends something by its time; undefined while that is in doubt (cluster-clock.ts). */
  trusted(): number | undefined;
  /** Milliseconds since some moment; the difference of two readings is the time that passed. */
  monotonic(): number;
  /** The same, and counts the time in which the machine slept. Reading it costs a system call or two. */
  uptime(): number;
  /** Calls `task` once, `delayMs` from now; the returned function cancels it. */
  schedule(delayMs: number, task: () => void): () => void;
}

/** Resolves after `ms` of the clock's time. For a wait that can be called off, use `schedule`. */
export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise(resolve => {
    clock.schedule(ms, resolve);
  });
}

export const systemClock: Clock = {
  now: () => Date.now(),
  trusted: () => Date.now(),
  monotonic: () => performance.now(),
  uptime: () => uptime() * 1000,
  schedule(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
};

interface ManualTask {
  readonly at: number;
  readonly order: number;
  /** Undefined once it ran or was cancelled. */
  task: (() => void) | undefined;
}

/** A clock that stands still until it is advanced; tasks that fall due run in their order. */
export class ManualClock implements Clock {
  #monotonic = 0;
  /** Difference between the wall clock and the monotonic one. */
  #offset: number;
  #sleptMs = 0;
  /** A heap, the next task first: simulations run hundreds of thousands of them. */
  readonly #tasks: ManualTask[] = [];
  #order = 0;

  constructor(start = Date.UTC(2026, 0, 5, 3)) {
    this.#offset = start;
  }

  now(): number {
    return this.#offset + this.#monotonic;
  }

  trusted(): number {
    return this.now();
  }

  monotonic(): number {
    return this.#monotonic;
  }

  uptime(): number {
    return this.#monotonic + this.#sleptMs;
  }

  schedule(delayMs: number, task: () => void): () => void {
    const entry: ManualTask = { at: this.#monotonic + Math.max(0, delayMs), order: this.#order++, task };
    this.#push(entry);
    return () => {
      entry.task = undefined;
    };
  }

  /** Milliseconds until the next task; undefined when there is none. */
  msUntilNext(): number | undefined {
    const next = this.#next();
    return next && Math.max(0, next.at - this.#monotonic);
  }

  /** Time passes. */
  advance(ms: number): void {
    const target = this.#monotonic + ms;
    for (let due = this.#next(); due !== undefined && due.at <= target; due = this.#next()) {
      this.#monotonic = Math.max(this.#monotonic, due.at);
      const { task } = due;
      due.task = undefined;
      task?.();
    }
    this.#monotonic = target;
  }

  /** Somebody sets the wall clock: it jumps ahead, or back, and no time passes. */
  setWallBy(ms: number): void {
    this.#offset += ms;
  }

  /** The machine sleeps: the wall clock goes on, and nothing runs. */
  sleep(ms: number): void {
    this.#offset += ms;
    this.#sleptMs += ms;
  }

  /** The first task that is still to run; those before it are thrown away. */
  #next(): ManualTask | undefined {
    for (;;) {
      const first = this.#tasks[0];
      if (first === undefined || first.task !== undefined) return first;
      this.#dropFirst();
    }
  }

  #push(entry: ManualTask): void {
    const tasks = this.#tasks;
    let place = tasks.length;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = tasks[parent];
      if (above === undefined || isBefore(above, entry)) break;
      tasks[place] = above;
      place = parent;
    }
    tasks[place] = entry;
  }

  #dropFirst(): void {
    const tasks = this.#tasks;
    const last = tasks.pop();
    if (last === undefined || tasks.length === 0) return;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      let below = tasks[child];
      const other = tasks[child + 1];
      if (below !== undefined && other !== undefined && isBefore(other, below)) {
        below = other;
        child++;
      }
      if (below === undefined || isBefore(last, below)) break;
      tasks[place] = below;
      place = child;
    }
    tasks[place] = last;
  }
}

function isBefore(a: ManualTask, b: ManualTask): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
