/** Makes a carrier of its kind. The settings come from bongsu.yaml; each kind says what it needs. */
import type { Clock } from '../platform/clock.ts';
import type { Randomness } from '../platform/randomness.ts';
import type { Carrier } from './carrier.ts';
import { type LatencyRange, Simulator } from './simulator/simulator.ts';
import type { SmppOptions } from './smpp/options.ts';
import { SmppCarrier } from './smpp/smpp-carrier.ts';

export type CarrierSettings = { readonly name: string } & (
  | { readonly kind: 'simulator'; readonly latency: LatencyRange | undefined }
  | ({ readonly kind: 'smpp' } & SmppOptions)
);

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
    case 'smpp':
      return new SmppCarrier(settings.name, settings, parts.clock, parts.random);
  }
}
