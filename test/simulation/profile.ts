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
  | 'reserve'
  | 'cancel'
  | 'cancelReservation'
  | 'optOut'
  | 'say'
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
  | 'strand'
  | 'snapshot'
  | 'restore'
  | 'damage'
  | 'mend'
  | 'changeKey'
  | 'reseal';

export interface Profile {
  readonly nodes: number;
  /** All nodes always have every carrier. */
  readonly isUniform: boolean;
  readonly storeTrouble: StoreWeather;
  readonly receivers: ReceiverManners;
  readonly actions: Readonly<Record<Action, number>>;
  /** The database has a clock, and each machine another that may be wrong; else there is one clock. */
  readonly hasOwnClocks: boolean;
  /** Numbers and texts are stored sealed. */
  readonly isSealed: boolean;
  /** Reservations that an account may have. */
  readonly reservationLimit: number;
  /** More steps in the queue, and sends are refused; 0: never. */
  readonly queueLimit: number;
  readonly reportRecords: 'every' | 'final';
  /** Longest pause between two actions. */
  readonly longestPauseMs: number;
}

export function profileOf(random: SeededRandom): Profile {
  /** A share of up to `most`, or none. */
  const some = (probability: number, most: number) =>
    random.chance(probability) ? random.between(1, most) : 0;
  const isRestored = random.chance(0.15);
  const isDamaged = random.chance(0.1);
  // Not both: a snapshot needs its own keys.
  const isSealed = !isRestored && random.chance(0.1);
  return {
    nodes: random.pick([1, 1, 2, 2, 3]),
    isUniform: random.chance(0.5),
    storeTrouble: {
      before: some(0.5, 200),
      after: some(0.5, 200),
      late: some(0.3, 60),
      slow: some(0.3, 60),
      lost: some(0.3, 60),
      behind: some(0.3, 60),
    },
    receivers: { refuse: some(0.4, 400), hang: some(0.3, 200), wrong: some(0.2, 200), gone: some(0.15, 20) },
    actions: {
      send: 40,
      reserve: isRestored ? random.between(2, 10) : some(0.3, 10),
      cancel: some(0.3, 8),
      cancelReservation: some(0.3, 4),
      optOut: some(0.25, 6),
      say: some(0.25, 8),
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
      strand: some(0.3, 8),
      snapshot: isRestored ? 2 : 0,
      restore: isRestored ? 1 : 0,
      damage: isDamaged ? 3 : 0,
      mend: isDamaged ? 1 : 0,
      changeKey: isSealed ? 1 : 0,
      reseal: isSealed ? 2 : 0,
    },
    hasOwnClocks: random.chance(0.3),
    reservationLimit: random.chance(0.3) ? random.between(1, 4) : 1000,
    isSealed,
    queueLimit: random.chance(0.2) ? random.between(2, 12) : 0,
    reportRecords: random.chance(0.7) ? 'every' : 'final',
    longestPauseMs: random.pick([20, 100, 300]),
  };
}

export function mannersOf(random: SeededRandom): PeerManners {
  const some = (probability: number, most: number) =>
    random.chance(probability) ? random.between(1, most) : 0;
  // Whoever takes an attempt once takes all of it, and whoever names our id speaks of all of it.
  const repeatableForMs = random.chance(0.35) ? random.pick([5_000, 60_000]) : 0;
  const receiptsBy = random.chance(0.7) ? 'reference' : 'attempt';
  const isCutting = receiptsBy === 'reference' && random.chance(0.5);
  return {
    repeatableForMs,
    receiptsBy,
    parts: isCutting ? random.between(2, 3) : 1,
    partly: isCutting && repeatableForMs === 0 ? some(0.5, 300) : 0,
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

/** How far the clock of a machine is ahead of the database's. */
export function wallOffsetOf(random: SeededRandom): number {
  const mostMs = random.pick([0, 1_000, 50_000, 3_600_000, 4 * 86_400_000]);
  return random.between(-mostMs, mostMs);
}
