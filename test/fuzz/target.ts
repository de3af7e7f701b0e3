/** What a part of the gateway looks like to the fuzzer. */
import type { SeededRandom } from '../simulation/seeded-random.ts';
import type { Room } from './room.ts';

/** Anything that can be written as JSON and read again. */
export type Input = object;

export interface Outcome {
  /** What happened, as a word for the table and the corpus: `sendSms A328`. */
  readonly label: string;
  /** Why this must not happen. */
  readonly finding?: string;
}

export interface Target {
  readonly name: string;
  /** How many inputs are under way at a time. */
  readonly concurrency: number;
  /** It has nothing to do with the engine, and runs on the first one only. */
  readonly isOnce?: boolean;
  prepare(room: Room): Promise<PreparedTarget>;
}

export interface PreparedTarget {
  /** Of `corpus` now and then, otherwise made from nothing. */
  next(random: SeededRandom, corpus: readonly Input[]): Input;
  run(input: Input): Promise<Outcome>;
  close(): Promise<void>;
}
