/** Carriers and routes as bongsu.yaml has them, before any of them runs. */
import type { CarrierSettings } from '../carriers/create-carrier.ts';
import { baseOf } from '../carriers/omni/options.ts';
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

/** Carriers with one account at the other side, which gives the receipts of all of them to any. */
export function accountHints(settings: readonly CarrierSettings[]): ReadonlyMap<string, string> {
  const hints = new Map<string, string>();
  const known = settings.flatMap(each => {
    const account = accountOf(each);
    return account === undefined || !('receiptsOf' in each) ? [] : [{ ...each, account }];
  });
  for (const { name, kind, account, receiptsOf } of known) {
    const strangers = known
      .filter(other => other.name !== name && other.account === account && !receiptsOf.includes(other.name))
      .map(other => other.name);
    if (strangers.length === 0) continue;
    const way = kind === 'smpp' ? 'bind' : 'account';
    hints.set(name, `receipts of ${strangers.join(', ')} may come by this ${way}: name them in receiptsOf`);
  }
  return hints;
}

/** Names the account at the other side; undefined where the settings do not tell. */
function accountOf(settings: CarrierSettings): string | undefined {
  switch (settings.kind) {
    case 'smpp':
      return JSON.stringify([settings.host, settings.port, settings.systemId]);
    case 'omni':
      return JSON.stringify([baseOf(settings.url), settings.account]);
    default:
      return undefined;
  }
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
