/** What happened in a simulation, line by line. Two runs of a seed are the same if their hashes are. */
import { hashOf } from './seeded-random.ts';

export class Trace {
  readonly #now: () => number;
  readonly #print: ((line: string) => void) | undefined;
  #hash = 0x811c9dc5;
  #lines = 0;

  constructor(now: () => number, print: ((line: string) => void) | undefined) {
    this.#now = now;
    this.#print = print;
  }

  note(who: string, what: string): void {
    const line = `${this.#now()} ${who} ${what}`;
    this.#hash = hashOf(line, this.#hash);
    this.#lines++;
    this.#print?.(line);
  }

  get hash(): string {
    return `${this.#lines}-${this.#hash.toString(16).padStart(8, '0')}`;
  }
}
