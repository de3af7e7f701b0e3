/**
 * What goes wrong in a run, drawn from its seed. Not everything at once: a run has some kinds of trouble and not others,
 * because faults hide each other.
 */
import type { StoreWeather } from './faulty-store.ts';
import type { ReceiverManners } from './receivers.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { PeerManners } from './simulated-peer.ts';

export type Action =
  | 'send'
  | 'poll'
  | 'acknowledge'
  | 'storeTrouble'
  | 'dropLink'
  | 'kill'
  | 'stop'
  | 'freeze'
  | 'reload'
  | 'jump'
  | 'switchMode'
  | 'pauseCarrier'
  | 'strand';

export interface Profile {
  readonly nodes: number;
  /** All nodes always have every carrier. */
  readonly isUniform: boolean;
  readonly storeTrouble: StoreWeather;
  readonly receivers: ReceiverManners;
  readonly actions: Readonly<Record<Action, number>>;
  readonly reportRecords: 'every' | 'final';
  /** Longest pause between two actions. */
  readonly longestPauseMs: number;
}

export function profileOf(random: SeededRandom): Profile {
  /** A share of up to `most`, or none. */
  const some = (probability: number, most: number) =>
    random.chance(probability) ? random.between(1, most) : 0;
  return {
    nodes: random.pick([1, 1, 2, 2, 3]),
    isUniform: random.chance(0.5),
    storeTrouble: {
      before: some(0.5, 200),
      after: some(0.5, 200),
      late: some(0.3, 60),
      slow: some(0.3, 60),
      lost: some(0.3, 60),
      behind: behindOf(random.fork('behind')),
    },
    receivers: { refuse: some(0.4, 400), hang: some(0.3, 200), wrong: some(0.2, 200), gone: some(0.15, 20) },
    actions: {
      send: 40,
      poll: 8,
      acknowledge: 6,
      storeTrouble: some(0.6, 8),
      dropLink: some(0.5, 6),
      kill: some(0.4, 3),
      stop: some(0.4, 3),
      freeze: some(0.3, 3),
      reload: some(0.3, 2),
      jump: some(0.2, 1),
      switchMode: some(0.2, 2),
      pauseCarrier: some(0.2, 2),
      strand: strandOf(random.fork('strand')),
    },
    reportRecords: random.chance(0.7) ? 'every' : 'final',
    longestPauseMs: random.pick([20, 100, 300]),
  };
}

export function mannersOf(random: SeededRandom): PeerManners {
  const some = (probability: number, most: number) =>
    random.chance(probability) ? random.between(1, most) : 0;
  return {
    repeatableForMs: random.chance(0.35) ? random.pick([5_000, 60_000]) : 0,
    receiptsBy: random.chance(0.7) ? 'reference' : 'attempt',
    namesNumbers: random.chance(0.5),
    window: random.pick([2, 10, 100]),
    rate: random.chance(0.2) ? 50 : 0,
    temporary: some(0.4, 200),
    permanent: some(0.4, 100),
    throttled: some(0.3, 200),
    vanishing: some(0.3, 60),
    unanswered: some(0.3, 60),
    late: some(0.4, 200),
    silent: some(0.3, 100),
    undelivered: some(0.6, 300),
    repeatedReceipts: some(0.5, 300),
    earlyReceipts: some(0.5, 400),
  };
}

/** From a stream of its own, as the next: it came later, and seeds without it go as they went. */
function behindOf(random: SeededRandom): number {
  return random.chance(0.3) ? random.between(1, 60) : 0;
}

function strandOf(random: SeededRandom): number {
  return random.chance(0.25) ? random.between(1, 3) : 0;
}
