/**
 * Which carrier a message goes out by, and why.
 *
 * The first route that matches channel, recipient and account decides; where it has a weight, all matching routes with
 * a weight share the traffic, and a recipient always gets the same one. Of its carriers the first that is available is
 * chosen. Where none is, the message waits for the first. The reason is kept in the message's history.
 */

import type { Channel } from '../channels/channel.ts';
import type { AccountId } from '../ids.ts';

export interface RouteRule {
  readonly channel: Channel;
  /** Heads of recipient numbers; none means any recipient. */
  readonly prefixes: readonly string[];
  /** None means any account. */
  readonly accounts: readonly string[];
  readonly weight: number | undefined;
  /** Carriers in order of preference. */
  readonly via: readonly string[];
}

/** The carrier of a step that no route serves; it is refused when its turn comes. */
export const UNROUTED = '';

/** The carrier that a step goes out by, and why. */
export interface RouteChoice {
  /** See `UNROUTED`. */
  readonly carrier: string;
  /** For people. */
  readonly why: string;
}

/** What of a step decides its route. */
export interface RouteQuery {
  readonly account: AccountId;
  readonly channel: Channel;
  readonly to: string;
}

export type ChooseRoute = (query: RouteQuery) => RouteChoice;

export interface Network {
  readonly rules: readonly RouteRule[];
  /** The carrier of messages that no route matches. */
  readonly otherwise: string | undefined;
  /** True while a carrier takes messages of any node, or will in a moment. */
  readonly isAvailable: (carrier: string) => boolean;
}

export function chooseRoute({ rules, otherwise, isAvailable }: Network, query: RouteQuery): RouteChoice {
  const chosen = routesFor(rules, query);
  const [first] = chosen;
  if (!first) {
    return otherwise === undefined
      ? { carrier: UNROUTED, why: 'no route matches' }
      : { carrier: otherwise, why: `no route matches; ${otherwise} serves the rest` };
  }
  const passed: string[] = [];
  for (const { index, rule } of chosen) {
    for (const carrier of rule.via) {
      if (isAvailable(carrier)) return { carrier, why: `${nameOf(index, rule)}${unavailable(passed)}` };
      if (!passed.includes(carrier)) passed.push(carrier);
    }
  }
  const carrier = first.rule.via[0] ?? UNROUTED;
  return { carrier, why: `${nameOf(first.index, first.rule)}${unavailable(passed)}; waits` };
}

export interface RouteVerdict {
  readonly route: number;
  readonly matches: boolean;
  readonly why: string;
}

/** Whether and why each route matches a message, for people. */
export function explainRoutes(rules: readonly RouteRule[], query: RouteQuery): RouteVerdict[] {
  return rules.map((rule, route) => {
    const mismatch = mismatchOf(rule, query);
    return { route, matches: mismatch === undefined, why: mismatch ?? `matches; via ${rule.via.join(', ')}` };
  });
}

/** Carriers that may serve the steps that now wait for this one. */
export function alternativesOf(rules: readonly RouteRule[], carrier: string): Set<string> {
  const own = rules.filter(({ via }) => via.includes(carrier));
  const sharesWithOwn = ({ channel, weight }: RouteRule) =>
    weight !== undefined && own.some(rule => rule.weight !== undefined && rule.channel === channel);
  const shared = rules.filter(rule => own.includes(rule) || sharesWithOwn(rule));
  const others = new Set(shared.flatMap(({ via }) => via));
  others.delete(carrier);
  return others;
}

interface NumberedRule {
  readonly index: number;
  readonly rule: RouteRule;
}

/** Matching routes in the order in which they are tried. */
function routesFor(rules: readonly RouteRule[], query: RouteQuery): NumberedRule[] {
  const matching: NumberedRule[] = [];
  for (const [index, rule] of rules.entries()) {
    if (mismatchOf(rule, query) !== undefined) continue;
    if (rule.weight === undefined) {
      if (matching.length === 0) return [{ index, rule }];
    } else matching.push({ index, rule });
  }
  return byWeight(matching, query.to);
}

/** The route of this recipient by weight, then the others in their order. */
function byWeight(routes: readonly NumberedRule[], to: string): NumberedRule[] {
  const total = routes.reduce((sum, { rule }) => sum + (rule.weight ?? 0), 0);
  let point = total === 0 ? 0 : hashOf(to) % total;
  const chosen = routes.find(({ rule }) => {
    point -= rule.weight ?? 0;
    return point < 0;
  });
  return chosen ? [chosen, ...routes.filter(route => route !== chosen)] : [...routes];
}

function mismatchOf(rule: RouteRule, { account, channel, to }: RouteQuery): string | undefined {
  if (rule.channel !== channel) return `serves ${rule.channel}`;
  if (rule.prefixes.length > 0 && !rule.prefixes.some(prefix => to.startsWith(prefix))) {
    return `serves numbers from ${rule.prefixes.join(', ')}`;
  }
  if (rule.accounts.length > 0 && !rule.accounts.includes(account)) {
    return `serves accounts ${rule.accounts.join(', ')}`;
  }
  return undefined;
}

function nameOf(index: number, { weight }: RouteRule): string {
  return weight === undefined ? `routes[${index}]` : `routes[${index}] by weight ${weight}`;
}

function unavailable(carriers: readonly string[]): string {
  if (carriers.length === 0) return '';
  return `; ${carriers.join(', ')} ${carriers.length === 1 ? 'is' : 'are'} not available`;
}

/** FNV-1a: spreads numbers that differ in their last digit. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash ^ (hash >>> 15)) >>> 0;
}
