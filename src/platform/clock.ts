/** Time as an argument: the system's in production, a hand-turned one in tests. */

export interface Clock {
  now(): number;
  /** Calls `task` once, `delayMs` from now; the returned function cancels it. */
  schedule(delayMs: number, task: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  schedule(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
};

/** A clock that stands still until it is advanced; tasks that fall due run in their order. */
export class ManualClock implements Clock {
  #now: number;
  #tasks: { at: number; order: number; task: () => void }[] = [];
  #order = 0;

  constructor(start = Date.UTC(2026, 0, 5, 3)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  schedule(delayMs: number, task: () => void): () => void {
    const entry = { at: this.#now + Math.max(0, delayMs), order: this.#order++, task };
    this.#tasks.push(entry);
    return () => {
      this.#tasks = this.#tasks.filter(other => other !== entry);
    };
  }

  advance(ms: number): void {
    const target = this.#now + ms;
    for (;;) {
      const due = this.#tasks
        .filter(entry => entry.at <= target)
        .sort((a, b) => a.at - b.at || a.order - b.order)[0];
      if (!due) break;
      this.#now = Math.max(this.#now, due.at);
      this.#tasks = this.#tasks.filter(entry => entry !== due);
      due.task();
    }
    this.#now = target;
  }
}
