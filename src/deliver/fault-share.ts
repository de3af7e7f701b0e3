/**
 * Whether a carrier loses a large share of what it is sent: of what was submitted since some moment, at least so many submits
 * and at least half have met a fault.
 *
 * Counted by the time of the submit, not of the answer. So a carrier that has just died is not excused by what it took
 * before, a moment of losses counts little once later messages were taken, and one that answers a few of many is found
 * although each of its faults is known later than those answers.
 */
/** Submits of so short a time are counted together. */
const SPAN_MS = 100;
const MOST_SPANS = 600;

interface Span {
  readonly since: number;
  taken: number;
  faults: number;
}

export class FaultShare {
  readonly #leastFaults: number;
  /** In order of time. */
  readonly #spans: Span[] = [];

  constructor(leastFaults: number) {
    this.#leastFaults = leastFaults;
  }

  /** `sentAt` may be earlier than that of the last call. */
  add(sentAt: number, result: 'taken' | 'faults'): void {
    const before = this.#spans.findLastIndex(({ since }) => since <= sentAt);
    const last = this.#spans[before];
    if (last && sentAt - last.since < SPAN_MS) {
      last[result]++;
      return;
    }
    this.#spans.splice(before + 1, 0, { since: sentAt, taken: 0, faults: 0, [result]: 1 });
    if (this.#spans.length > MOST_SPANS) this.#spans.shift();
  }

  get isLarge(): boolean {
    let taken = 0;
    let faults = 0;
    return (
      this.#spans.findLastIndex(span => {
        taken += span.taken;
        faults += span.faults;
        return faults >= this.#leastFaults && faults >= taken;
      }) !== -1
    );
  }

  clear(): void {
    this.#spans.length = 0;
  }
}
