/** Creates a carrier by its kind. The settings come from bongsu.yaml; each kind names what it needs. */
import type { Clock } from '../platform/clock.ts';
import type { DurationRange } from '../platform/duration.ts';
import type { Randomness } from '../platform/randomness.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { Carrier } from './carrier.ts';
import { createHttpCarrier, HttpCarrier, httpCarrierProblems } from './http/http-carrier.ts';
import type { ReadFile } from './http/media-uploads.ts';
import type { HttpCarrierOptions } from './http/options.ts';
import { OmniCarrier, omniCarrierProblems } from './omni/omni-carrier.ts';
import type { OmniOptions } from './omni/options.ts';
import { type Objects, Simulator } from './simulator/simulator.ts';
import type { SmppOptions } from './smpp/options.ts';
import { SmppCarrier } from './smpp/smpp-carrier.ts';

export type CarrierSettings = { readonly name: string } & (
  | { readonly kind: 'simulator'; readonly latency: DurationRange | undefined }
  | ({ readonly kind: 'smpp' } & SmppOptions)
  | ({ readonly kind: 'http' } & HttpCarrierOptions)
  | ({ readonly kind: 'omni' } & OmniOptions)
);

export interface CarrierDeps {
  readonly clock: Clock;
  readonly random: Randomness;
  /** Latency of simulated networks that name none. */
  readonly simulatorLatency: DurationRange;
  readonly formatTime: FormatTime;
  /** Where providers reach this gateway. */
  readonly publicUrl: string | undefined;
  /** The bytes of uploaded files. */
  readonly readFile: ReadFile;
  /** Why a network would refuse a message; simulated networks do. */
  readonly objects: Objects;
}

/** Problems of a carrier's settings beyond their form, each with its key. */
export function carrierProblems(settings: CarrierSettings, publicUrl: string | undefined): readonly string[] {
  switch (settings.kind) {
    case 'http':
      return httpCarrierProblems(settings.name, settings, publicUrl);
    case 'omni':
      return omniCarrierProblems(settings.name, settings);
    default:
      return [];
  }
}

/** The settings have no problems. */

export function createCarrier(settings: CarrierSettings, deps: CarrierDeps): Carrier {
  switch (settings.kind) {
    case 'simulator': {
      const { name, latency = deps.simulatorLatency } = settings;
      return new Simulator(name, latency, deps.clock, deps.random, deps.objects);
    }
    case 'smpp':
      return new SmppCarrier(settings.name, settings, deps.clock, deps.random);
    case 'http': {
      const made = createHttpCarrier(settings.name, settings, deps);
      if (made instanceof HttpCarrier) return made;
      throw new Error(`the carrier ${settings.name} has problems: ${made.join('; ')}`);
    }
    case 'omni':
      return new OmniCarrier(settings.name, settings, deps);
  }
}
