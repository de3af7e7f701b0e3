/** Makes a carrier of its kind. The settings come from bongsu.yaml; each kind says what it needs. */
import type { Clock } from '../platform/clock.ts';
import type { Randomness } from '../platform/randomness.ts';
import type { Carrier } from './carrier.ts';
import { type LatencyRange, Simulator } from './simulator/simulator.ts';

export type CarrierSettings = {
  readonly kind: 'simulator';
  readonly name: string;
  readonly latency: LatencyRange | undefined;
};

export interface CarrierParts {
  readonly clock: Clock;
  readonly random: Randomness;
  /** Latency of simulated networks that name none. */
  readonly simulatorLatency: LatencyRange;
}

export function createCarrier(settings: CarrierSettings, parts: CarrierParts): Carrier {
  switch (settings.kind) {
    case 'simulator': {
      const { name, latency = parts.simulatorLatency } = settings;
      return new Simulator(name, latency, parts.clock, parts.random);
    }
  }
}
