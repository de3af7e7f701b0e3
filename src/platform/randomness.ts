/** Randomness as an argument. Ids come from a pool: asking the system for 16 bytes at a time costs a microsecond each. */
import { randomFillSync } from 'node:crypto';

export interface Randomness {
  /** `length` characters of `alphabet`, whose size is a power of two. Unguessable. */
  characters(length: number, alphabet: string): string;
  /** 0 to 1, for spreading things out; not for secrets. */
  fraction(): number;
}

const POOL_BYTES = 8192;

export function systemRandomness(): Randomness {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;
  return {
    characters(length, alphabet) {
      let text = '';
      for (let index = 0; index < length; index++) {
        if (used === POOL_BYTES) {
          randomFillSync(pool);
          used = 0;
        }
        text += alphabet.charAt((pool[used++] ?? 0) & (alphabet.length - 1));
      }
      return text;
    },
    fraction: Math.random,
  };
}
