/**
 * What went to each carrier, by the minute: how much it took, refused and throttled. Collected in memory from the counters
 * of this node and written every few seconds, added to those of other nodes. A crash loses the last seconds of it.
 */
import type { Clock } from '../platform/clock.ts';
import { Repeater } from '../platform/repeater.ts';
import type { CarrierSums, Store } from '../store/store.ts';
import type { Events } from './events.ts';

export type CarrierCounts = Pick<CarrierSums, 'submitted' | 'refused' | 'throttled'>;

const MINUTE_MS = 60_000;
const WRITE_INTERVAL_MS = 4000;

export class CarrierSumsWriter {
  readonly #store: Pick<Store, 'rollups'>;
  readonly #clock: Clock;
  readonly #dayOf: (at: number) => number;
  readonly #onFailure: (error: unknown) => void;
  readonly #repeater: Repeater;
  /** By minute and carrier. */
  #pending = new Map<string, CarrierSums>();

  constructor(deps: {
    readonly store: Pick<Store, 'rollups'>;
    readonly clock: Clock;
    readonly events: Pick<Events, 'failed'>;
    readonly dayOf: (at: number) => number;
  }) {
    this.#store = deps.store;
    this.#clock = deps.clock;
    this.#dayOf = deps.dayOf;
    this.#onFailure = error => deps.events.failed('write sums of carriers', error);
    this.#repeater = new Repeater(deps.clock, WRITE_INTERVAL_MS, () => this.#write(), this.#onFailure);
  }

  start(): void {
    this.#repeater.start();
  }

  /** Writes for the last time, if the store takes it. */
  async stop(): Promise<void> {
    await this.#repeater.stop();
    await this.#write().catch(this.#onFailure);
  }

  add(carrier: string, counts: CarrierCounts): void {
    if (counts.submitted + counts.refused + counts.throttled === 0) return;
    const now = this.#clock.now();
    this.#keep({ at: now - (now % MINUTE_MS), carrier, ...counts });
  }

  #keep(sums: CarrierSums): void {
    const name = `${sums.at} ${sums.carrier}`;
    const known = this.#pending.get(name);
    this.#pending.set(name, {
      at: sums.at,
      carrier: sums.carrier,
      submitted: sums.submitted + (known?.submitted ?? 0),
      refused: sums.refused + (known?.refused ?? 0),
      throttled: sums.throttled + (known?.throttled ?? 0),
    });
  }

  /** Keeps them for the next time if that fails. */
  async #write(): Promise<void> {
    const counted = [...this.#pending.values()];
    if (counted.length === 0) return;
    this.#pending = new Map();
    try {
      await this.#store.rollups.addCarriers(counted, this.#dayOf);
    } catch (error) {
      for (const sums of counted) this.#keep(sums);
      throw error;
    }
  }
}
