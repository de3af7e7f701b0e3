/**
 * Against guessing the secret of callbacks: an address that fails too often is not heard for a while, not even with the
 * right secret. One that has authenticated lately is always heard, because behind a proxy others may have the same address,
 * and a receipt that is refused may be lost.
 */
import { type Rate, TokenBucket } from '../../platform/token-bucket.ts';

const FAILURES: Rate = { ratePerSecond: 0.5, burst: 30 };
const PROOF_LASTS_MS = 86_400_000;
const MOST_REMEMBERED = 10_000;

/** Times are readings of the monotonic clock. */
export class CallbackGuesses {
  readonly #failures = new Map<string, TokenBucket>();
  /** Who has authenticated, and until when that counts. */
  readonly #proven = new Map<string, number>();

  isHeard(address: string, now: number): boolean {
    if ((this.#proven.get(address) ?? Number.NEGATIVE_INFINITY) > now) return true;
    const bucket = this.#failures.get(address);
    return bucket === undefined || bucket.fill(FAILURES, now) >= 1;
  }

  failed(address: string, now: number): void {
    const bucket = this.#failures.get(address) ?? new TokenBucket(FAILURES, now);
    if (bucket.fill(FAILURES, now) >= 1) bucket.take(1);
    remember(this.#failures, address, bucket);
  }

  authenticated(address: string, now: number): void {
    remember(this.#proven, address, now + PROOF_LASTS_MS);
  }
}

/** Keeps the newest. */
function remember<Value>(map: Map<string, Value>, address: string, value: Value): void {
  map.delete(address);
  map.set(address, value);
  const [oldest] = map.keys();
  if (map.size > MOST_REMEMBERED && oldest !== undefined) map.delete(oldest);
}
