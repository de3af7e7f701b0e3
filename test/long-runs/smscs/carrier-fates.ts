/** How each of the three SMSCs behaves, and the fate of one part there; seed and recipient decide. */
import { SeededRandom } from '../../simulation/seeded-random.ts';

export type CarrierName = 'quick' | 'slow' | 'narrow';

export interface CarrierNature {
  /** It throttles beyond this many parts a second. */
  readonly limit: number | undefined;
  readonly answerMs: readonly [number, number];
  readonly receiptMs: readonly [number, number];
  /** From here on: shares of parts. */
  readonly lateAnswers: number;
  readonly lateReceipts: number;
  readonly receiptsFirst: number;
  readonly receiptsTwice: number;
  readonly undelivered: number;
  /** Refused temporarily once, accepted at the next attempt. */
  readonly putOff: number;
}

const USUAL = {
  limit: undefined,
  lateAnswers: 0,
  lateReceipts: 0.01,
  receiptsFirst: 0.02,
  receiptsTwice: 0.02,
  undelivered: 0.03,
  putOff: 0.01,
};

export const CARRIERS: Readonly<Record<CarrierName, CarrierNature>> = {
  quick: { ...USUAL, answerMs: [0, 30], receiptMs: [20, 300] },
  slow: { ...USUAL, answerMs: [100, 600], receiptMs: [1000, 4000], lateAnswers: 0.01 },
  narrow: { ...USUAL, limit: 40, answerMs: [5, 60], receiptMs: [100, 1500] },
};

/** Longer than `responseTimeout` of the carriers. */
const LATE_ANSWER_MS = [3500, 5000] as const;
const LATE_RECEIPT_MS = [5000, 9000] as const;

export interface Fate {
  readonly answerMs: number;
  readonly receiptMs: number;
  readonly receipts: number;
  readonly state: 'DELIVRD' | 'UNDELIV';
  readonly isPutOff: boolean;
}

export function fateOf(seed: number, carrier: CarrierName, part: string): Fate {
  const random = new SeededRandom(`${seed}/${carrier}/${part}`);
  const nature = CARRIERS[carrier];
  const answerMs = random.chance(nature.lateAnswers)
    ? random.between(...LATE_ANSWER_MS)
    : random.between(...nature.answerMs);
  const receiptMs = random.chance(nature.lateReceipts)
    ? random.between(...LATE_RECEIPT_MS)
    : answerMs + random.between(...nature.receiptMs);
  return {
    answerMs,
    receiptMs: random.chance(nature.receiptsFirst) ? 0 : receiptMs,
    receipts: random.chance(nature.receiptsTwice) ? 2 : 1,
    state: random.chance(nature.undelivered) ? 'UNDELIV' : 'DELIVRD',
    isPutOff: random.chance(nature.putOff),
  };
}
