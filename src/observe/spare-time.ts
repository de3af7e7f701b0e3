/** Work behind the traffic, a piece at a time: for a small share of each second, less while the event loop has hardly a moment to spare. */

const BUSY = 0.7;

export class SpareTime {
  readonly #budgetMs: number;
  readonly #busyBudgetMs: number;
  #load = performance.eventLoopUtilization();

  constructor(budget: { readonly ms: number; readonly busyMs: number }) {
    this.#budgetMs = budget.ms;
    this.#busyBudgetMs = budget.busyMs;
  }

  /** Works until a piece says that nothing is left, or the time is over; resolves to whether nothing is left. */
  async use(piece: () => Promise<'more' | 'done'>): Promise<boolean> {
    const budgetMs = this.#isBusy() ? this.#busyBudgetMs : this.#budgetMs;
    const startedAt = performance.now();
    while (performance.now() - startedAt < budgetMs) {
      if ((await piece()) === 'done') return true;
    }
    return false;
  }

  /** How much of the time since the last look the event loop was at work. */
  #isBusy(): boolean {
    const before = this.#load;
    this.#load = performance.eventLoopUtilization();
    return performance.eventLoopUtilization(this.#load, before).utilization > BUSY;
  }
}
