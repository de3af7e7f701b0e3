/** How many parts a carrier took lately: sums over the last seconds, in tenths of a second. */

const SLOT_MS = 100;
const LONGEST_MS = 10_000;
const SLOTS = LONGEST_MS / SLOT_MS;

export class AnswerCounts {
  readonly #taken = new Float64Array(SLOTS);
  #slot: number;

  constructor(now: number) {
    this.#slot = Math.floor(now / SLOT_MS);
  }

  add(parts: number, now: number): void {
    this.#moveTo(now);
    const place = this.#slot % SLOTS;
    this.#taken[place] = (this.#taken[place] ?? 0) + parts;
  }

  /** Parts a second over the last `windowMs`, ten seconds at most. */
  perSecond(windowMs: number, now: number): number {
    this.#moveTo(now);
    // The current slot counts too, with the time that it has run so far.
    const whole = Math.min(SLOTS - 1, Math.max(1, Math.round(windowMs / SLOT_MS)));
    let sum = 0;
    for (let back = 0; back <= whole; back++) sum += this.#taken[(this.#slot - back) % SLOTS] ?? 0;
    return (sum * 1000) / (now - (this.#slot - whole) * SLOT_MS);
  }

  #moveTo(now: number): void {
    const slot = Math.floor(now / SLOT_MS);
    const passed = Math.min(SLOTS, slot - this.#slot);
    for (let step = 1; step <= passed; step++) this.#taken[(slot - passed + step) % SLOTS] = 0;
    this.#slot = Math.max(this.#slot, slot);
  }
}
