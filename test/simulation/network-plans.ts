/** Configurations that a node may come with: a rolling change leaves some nodes with fewer carriers, or other routes. */
import type { NetworkConfig } from '../../src/composition/configured-network.ts';

export type NetworkPlan = NetworkConfig;

export const CARRIERS = ['alpha', 'beta', 'gamma'] as const;
type CarrierName = (typeof CARRIERS)[number];

function plan(
  carriers: readonly CarrierName[],
  routes: Readonly<Record<string, readonly CarrierName[]>>,
): NetworkPlan {
  return {
    mode: 'production',
    carriers: carriers.map(name => ({ kind: 'simulator', name, latency: undefined })),
    routes: Object.entries(routes).map(([channel, via]) => ({
      channel,
      prefix: [],
      account: [],
      weight: undefined,
      via: [...via],
    })),
  };
}

/** Every carrier, every route. */
export const FULL = plan(CARRIERS, { sms: ['alpha', 'beta'], alimtalk: ['gamma'], mms: ['beta'] });

/** What others have: some lack a carrier, some send the same by another one. */
export const PLANS: readonly NetworkPlan[] = [
  FULL,
  plan(CARRIERS, { sms: ['beta', 'alpha'], alimtalk: ['gamma', 'beta'], mms: ['alpha', 'beta'] }),
  plan(['alpha', 'beta'], { sms: ['alpha', 'beta'], mms: ['beta'] }),
  plan(['beta', 'gamma'], { sms: ['beta'], alimtalk: ['gamma'], mms: ['beta'] }),
  plan(['gamma'], { alimtalk: ['gamma'] }),
];
