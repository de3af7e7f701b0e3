/** Makes a carrier of its kind. The settings come from bongsu.yaml; each kind says what it needs. */
import type { Clock } from '../platform/clock.ts';
import type { DurationRange } from '../platform/duration.ts';
import type { Randomness } from '../platform/randomness.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { Carrier } from './carrier.ts';
import { createHttpCarrier, HttpCarrier, httpCarrierProblems } from './http/http-carrier.ts';
import type { ReadFile } from './http/media-uploads.ts';
import type { HttpCarrierOptions } from './http/options.ts';
import { Simulator } from './simulator/simulator.ts';
import type { SmppOptions } from './smpp/options.ts';
import { SmppCarrier } from './smpp/smpp-carrier.ts';

export type CarrierSettings = { readonly name: string } & (
  | { readonly kind: 'simulator'; readonly latency: DurationRange | undefined }
  | ({ readonly kind: 'smpp' } & SmppOptions)
  | ({ readonly kind: 'http' } & HttpCarrierOptions)
);

export interface CarrierParts {
  readonly clock: Clock;
  readonly random: Randomness;
  /** Latency of simulated networks that name none. */
  readonly simulatorLatency: DurationRange;
  readonly formatTime: FormatTime;
  /** Where providers reach this gateway. */
  readonly publicUrl: string | undefined;
  /** The bytes of uploaded files. */
  readonly readFile: ReadFile;
}

/** What is wrong with the settings of a carrier beyond their form, each with its key. */
export function carrierProblems(settings: CarrierSettings, publicUrl: string | undefined): readonly string[] {
  return settings.kind === 'http' ? httpCarrierProblems(settings.name, settings, publicUrl) : [];
}

/** The settings have no problems. */

export function createCarrier(settings: CarrierSettings, parts: CarrierParts): Carrier {
  switch (settings.kind) {
    case 'simulator': {
      const { name, latency = parts.simulatorLatency } = settings;
      return new Simulator(name, latency, parts.clock, parts.random);
    }
    case 'smpp':
      return new SmppCarrier(settings.name, settings, parts.clock, parts.random);
    case 'http': {
      const made = createHttpCarrier(settings.name, settings, parts);
      if (made instanceof HttpCarrier) return made;
      throw new Error(`the carrier ${settings.name} has problems: ${made.join('; ')}`);
    }
  }
}
