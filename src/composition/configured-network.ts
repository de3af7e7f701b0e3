/** Carriers and routes as bongsu.yaml has them, before any of them runs. */
import type { CarrierSettings } from '../carriers/create-carrier.ts';
import type { Config } from '../config/config.ts';
import type { RouteConfig } from '../config/file.ts';
import type { Channel } from '../domain/channels/channel.ts';
import type { Network, RouteRule } from '../domain/delivery/routing.ts';

/** The carrier that serves the sandbox when no route matches. */
const SANDBOX_CARRIER = 'simulator';

export interface NetworkConfig {
  readonly mode: Config['mode'];
  readonly carriers: readonly CarrierSettings[];
  readonly routes: readonly RouteConfig[];
}

/** The part of the configuration that a reload changes. */
export function networkConfigOf({ mode, routes, secrets }: Config): NetworkConfig {
  return { mode, routes, carriers: secrets.carriers.reveal() };
}

/** Carriers that the configuration names, and the sandbox's own. */
export function settingsOf({ mode, carriers }: NetworkConfig): CarrierSettings[] {
  const isMissing = !carriers.some(({ name }) => name === SANDBOX_CARRIER);
  const own: CarrierSettings = { kind: 'simulator', name: SANDBOX_CARRIER, latency: undefined };
  return mode === 'sandbox' && isMissing ? [...carriers, own] : [...carriers];
}

export function networkOf(config: NetworkConfig, isAvailable: Network['isAvailable']): Network {
  const rules = config.routes.map(
    ({ channel, prefix, account, weight, via }): RouteRule => ({
      // The configuration admits no other words.
      channel: channel as Channel,
      prefixes: prefix,
      accounts: account,
      weight,
      via,
    }),
  );
  return { rules, otherwise: config.mode === 'sandbox' ? SANDBOX_CARRIER : undefined, isAvailable };
}
