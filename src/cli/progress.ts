/** The progress of a long command, on standard error: a bar in a terminal, otherwise a line now and then. */

const BAR = 30;
const LINES = 10;

export class Progress {
  readonly #total: number;
  readonly #before: number;
  readonly #startedAt = performance.now();
  #done: number;
  #lines = 0;

  /** `before` of them were done earlier. */
  constructor(total: number, before: number) {
    this.#total = total;
    this.#before = before;
    this.#done = before;
  }

  add(count: number): void {
    this.#done += count;
    if (process.stderr.isTTY) process.stderr.write(`\r${this.#bar()}`);
    else this.#line();
  }

  end(): void {
    if (process.stderr.isTTY && this.#done > this.#before) process.stderr.write('\n');
  }

  #bar(): string {
    const share = this.#total === 0 ? 1 : this.#done / this.#total;
    const filled = Math.round(BAR * share);
    const seconds = (performance.now() - this.#startedAt) / 1000;
    const rate = Math.round((this.#done - this.#before) / seconds);
    const bar = '#'.repeat(filled).padEnd(BAR, '-');
    return `[${bar}] ${this.#done}/${this.#total} ${Math.floor(100 * share)} %  ${rate}/s `;
  }

  #line(): void {
    const tenth = Math.floor((LINES * this.#done) / Math.max(1, this.#total));
    if (tenth === this.#lines) return;
    this.#lines = tenth;
    process.stderr.write(`${this.#done} of ${this.#total} rows\n`);
  }
}
