/** Which carrier a message goes out by: the first route that matches its channel and the head of its recipient. */
import type { Channel } from './flow.ts';
import { UNROUTED } from './settlement.ts';

export interface RouteRule {
  readonly channel: Channel;
  /** Heads of recipient numbers; none means any recipient. */
  readonly prefixes: readonly string[];
  /** Carriers in order of preference. */
  readonly via: readonly string[];
}

export function chooseCarrier(
  routes: readonly RouteRule[],
  channel: Channel,
  to: string,
  otherwise: string = UNROUTED,
): string {
  const match = routes.find(
    ({ channel: served, prefixes }) =>
      served === channel && (prefixes.length === 0 || prefixes.some(prefix => to.startsWith(prefix))),
  );
  return match?.via[0] ?? otherwise;
}
