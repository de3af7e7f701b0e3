/**
 * Randomness that one seed decides. Every part of a simulation draws from a stream of its own, made by `fork`, so that a
 * part that draws more often does not change what the others see.
 */
import type { Randomness } from '../../src/platform/randomness.ts';

export class SeededRandom implements Randomness {
  readonly #name: string;
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(name: string) {
    this.#name = name;
    this.#a = hashOf(`${name} a`);
    this.#b = hashOf(`${name} b`);
    this.#c = hashOf(`${name} c`);
    for (let round = 0; round < 12; round++) this.#next();
  }

  fork(name: string): SeededRandom {
    return new SeededRandom(`${this.#name}/${name}`);
  }

  fraction(): number {
    return this.#next() / 0x1_0000_0000;
  }

  characters(length: number, alphabet: string): string {
    let text = '';
    for (let index = 0; index < length; index++) text += alphabet.charAt(this.below(alphabet.length));
    return text;
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }

  /** A whole number of the range, both ends included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  pick<T>(list: readonly T[]): T {
    const chosen = list[this.below(list.length)];
    if (chosen === undefined) throw new Error('there is nothing to pick from');
    return chosen;
  }

  /** One of the names, each as likely as its weight says. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries<number>(weights);
    let point = this.fraction() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      point -= weight;
      if (point < 0) return name as Name;
    }
    throw new Error('all weights are zero');
  }

  /** sfc32: small, quick, and good enough for this. */
  #next(): number {
    const sum = (this.#a + this.#b + this.#counter++) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }
}

/** FNV-1a. */
export function hashOf(text: string, start = 0x811c9dc5): number {
  let hash = start;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}
