/**
 * What went to each carrier, by the minute: how much it took, refused and throttled. Collected in memory from the counters
 * of this node and written every few seconds, added to those of other nodes. A crash loses the last seconds of it.
 */
import type { Clock } from '../platform/clock.ts';
import type { Calendar } from '../platform/zoned-time.ts';
import type { CarrierSums, Store } from '../store/store.ts';
import type { Events } from './events.ts';
import { SumsWriter } from './sums-writer.ts';

export type CarrierCounts = Pick<CarrierSums, 'submitted' | 'refused' | 'throttled'>;

const MINUTE_MS = 60_000;

export class CarrierSumsWriter {
  readonly #clock: Clock;
  readonly #writer: SumsWriter<CarrierSums>;
  /** By minute and carrier. */
  #pending = new Map<string, CarrierSums>();

  constructor(deps: {
    readonly store: Pick<Store, 'rollups'>;
    readonly clock: Clock;
    readonly events: Pick<Events, 'failed'>;
    readonly calendar: Calendar;
    readonly node: string;
  }) {
    const { store, clock, events, calendar, node } = deps;
    this.#clock = clock;
    this.#writer = new SumsWriter({
      clock,
      events,
      task: 'write sums of carriers',
      writer: `${node} carriers`,
      take: () => this.#take(),
      add: batch => store.rollups.addCarriers(batch, calendar),
    });
  }

  start(): void {
    this.#writer.start();
  }

  /** Writes for the last time, if the store takes it. */
  stop(): Promise<void> {
    return this.#writer.stop();
  }

  add(carrier: string, counts: CarrierCounts): void {
    if (counts.submitted + counts.refused + counts.throttled === 0) return;
    const now = this.#clock.now();
    const at = now - (now % MINUTE_MS);
    const name = `${at} ${carrier}`;
    const known = this.#pending.get(name);
    this.#pending.set(name, {
      at,
      carrier,
      submitted: counts.submitted + (known?.submitted ?? 0),
      refused: counts.refused + (known?.refused ?? 0),
      throttled: counts.throttled + (known?.throttled ?? 0),
    });
  }

  #take(): CarrierSums[] {
    const counted = [...this.#pending.values()];
    this.#pending = new Map();
    return counted;
  }
}
