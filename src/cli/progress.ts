/** The progress of a long command, on standard error: a bar in a terminal, otherwise a line now and then. */

const BAR = 30;
const WIDEST = 79;
const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** In the two largest units. */
export function durationText(seconds: number): string {
  if (seconds < MINUTE) return `${seconds} s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min ${seconds % MINUTE} s`;
  return `${Math.floor(seconds / HOUR)} h ${Math.floor((seconds % HOUR) / MINUTE)} min`;
}
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
    const bar = '#'.repeat(filled).padEnd(BAR, '-');
    // Blanks over what a longer line left.
    const line = `[${bar}] ${this.#done}/${this.#total} ${Math.floor(100 * share)} %  ${Math.round(this.#rate())}/s`;
    return `${line}${this.#left()}`.padEnd(WIDEST);
  }

  #line(): void {
    const tenth = Math.floor((LINES * this.#done) / Math.max(1, this.#total));
    if (tenth === this.#lines) return;
    this.#lines = tenth;
    process.stderr.write(`${this.#done} of ${this.#total} rows${this.#left()}\n`);
  }

  /** A second, of what this run did. */
  #rate(): number {
    return (this.#done - this.#before) / Math.max(0.001, (performance.now() - this.#startedAt) / 1000);
  }

  #left(): string {
    const rate = this.#rate();
    const rows = this.#total - this.#done;
    return rows === 0 || rate === 0 ? '' : `, about ${durationText(Math.ceil(rows / rate))} left`;
  }
}
