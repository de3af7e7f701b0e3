/**
 * What goes wrong, and in which order. There are three tracks: nodes, their databases, carriers; each goes its own way at the
 * same time, so that troubles overlap. A track deals its kinds from a shuffled pack: the seed decides the order, and
 * every kind comes before one comes again.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { SeededRandom } from '../simulation/seeded-random.ts';

export type Trouble = (random: SeededRandom) => Promise<void>;

export interface Track {
  readonly name: string;
  readonly troubles: Readonly<Record<string, Trouble>>;
  /** Rest between one trouble and the next. */
  readonly restMs: readonly [number, number];
}

export class Troublemaker {
  readonly counts = new Map<string, number>();
  readonly #seed: number;
  readonly #log: (line: string) => void;
  #isOver = false;

  constructor(seed: number, log: (line: string) => void) {
    this.#seed = seed;
    this.#log = log;
  }

  /** Resolves after `stop`, when the trouble under way is over too. */
  async run({ name, troubles, restMs }: Track): Promise<void> {
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

  stop(): void {
    this.#isOver = true;
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
