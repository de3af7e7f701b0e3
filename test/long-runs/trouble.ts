/**
 * Troubles and their order. Each track runs by itself, so that troubles of several tracks overlap. A track deals its kinds
 * from a shuffled pack: the seed decides the order, and every kind comes once before one comes again.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { SeededRandom } from '../simulation/seeded-random.ts';

export type Trouble = (random: SeededRandom) => Promise<void>;

export interface Track {
  readonly name: string;
  readonly troubles: Readonly<Record<string, Trouble>>;
  /** Pause between one trouble and the next. */
  readonly restMs: readonly [number, number];
}

export class Troublemaker {
  readonly counts = new Map<string, number>();
  readonly #seed: number;
  readonly #logFile: string;
  readonly #lines: string[] = [];
  readonly #startedAt = performance.now();
  #isOver = false;

  constructor(seed: number, logFile: string) {
    this.#seed = seed;
    this.#logFile = logFile;
  }

  get total(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Resolves when the last trouble is over. */
  async run(seconds: number, tracks: readonly Track[]): Promise<void> {
    const running = tracks
      .filter(({ troubles }) => Object.keys(troubles).length > 0)
      .map(each => this.#run(each));
    await pause(1000 * seconds);
    this.#isOver = true;
    await Promise.all(running);
  }

  async #run({ name, troubles, restMs }: Track): Promise<void> {
    const random = new SeededRandom(`${this.#seed}/${name}`);
    for (let pack: string[] = []; ; ) {
      await this.#rest(random.between(...restMs));
      if (this.#isOver) return;
      if (pack.length === 0) pack = shuffled(Object.keys(troubles), random);
      const kind = pack.pop() ?? '';
      this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
      this.#log(`${name}: ${kind}`);
      await troubles[kind]?.(random);
      this.#log(`${name}: ${kind} is over`);
    }
  }

  #log(line: string): void {
    const at = ((performance.now() - this.#startedAt) / 1000).toFixed(1);
    this.#lines.push(`${new Date().toISOString()} ${at} s ${line}`);
    writeFileSync(this.#logFile, `${this.#lines.join('\n')}\n`);
  }

  async #rest(ms: number): Promise<void> {
    const until = performance.now() + ms;
    while (!this.#isOver && performance.now() < until) await pause(50);
  }
}

function shuffled<T>(items: readonly T[], random: SeededRandom): T[] {
  return items
    .map(item => ({ item, place: random.fraction() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
