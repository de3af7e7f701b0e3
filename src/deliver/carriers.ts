/** The operator's side of carriers and routes: their state, pausing them, and which carrier a message would go out by. */
import { CHANNELS, channelNamed } from '../domain/channels/channel.ts';
import {
  chooseRoute,
  explainRoutes,
  type Network,
  type RouteVerdict,
  UNROUTED,
} from '../domain/delivery/routing.ts';
import type { AccountId } from '../domain/ids.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Clock } from '../platform/clock.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { Store } from '../store/store.ts';
import { driftOf } from './carrier-drift.ts';
import { isAlive, namedNodes } from './node-names.ts';

/** The state of one carrier as a node publishes it. */
export interface CarrierView {
  readonly name: string;
  readonly kind: string;
  readonly state: string;
  readonly detail: string;
  readonly since: number;
  readonly isPaused: boolean;
  readonly channels: readonly string[];
  readonly window: number;
  readonly inFlight: number;
  readonly rate: number;
  /** Parts a second that it was found to take; null where it takes all that settings allow. */
  readonly foundRate: number | null;
  /** Submits since the node started that it refused because it takes less. */
  readonly throttled: number;
  /** A setting that seems wrong, with the one that would work; or how other nodes' settings differ. */
  readonly hint: string | null;
  /** Until when it rests after several faults in a row; null where that is not so. */
  readonly breakerOpenUntil: number | null;
  /** Answers to submits since the node started, by kind. */
  readonly sent: Readonly<Record<string, number>>;
}

/** `state` is also `gone`: its node died, and what it said last does not count. */
export interface CarrierLine extends Omit<CarrierView, 'since' | 'isPaused' | 'breakerOpenUntil'> {
  /** Empty where no node runs it. */
  readonly node: string;
  readonly since: string | null;
  readonly breakerOpenUntil: string | null;
  readonly paused: boolean;
}

export interface RouteLine {
  readonly index: number;
  /** In the order in which they are asked. */
  readonly via: readonly string[];
}

export interface RouteExplanation {
  readonly carrier: string | null;
  readonly why: string;
  readonly considered: readonly RouteVerdict[];
}

export interface Carriers {
  list(): Promise<CarrierLine[]>;
  pause(name: string): Promise<Problem | undefined>;
  resume(name: string): Promise<Problem | undefined>;
  /** Every node that runs it does not wait for its next attempt. */
  reconnect(name: string): Promise<Problem | undefined>;
  /** The same, if the test succeeds. */
  test(name: string): Promise<{ readonly isOk: boolean; readonly detail: string } | Problem>;
  routes(): { readonly routes: readonly RouteLine[]; readonly otherwise: string | null };
  explain(query: Readonly<Record<string, unknown>>): RouteExplanation | Problem;
}

/** A node publishes the state of its carriers at least this often; one that has not for three times as long does not run. */
export const PUBLISH_INTERVAL_MS = 10_000;
const GONE_AFTER_MS = 3 * PUBLISH_INTERVAL_MS;
/** It may have just begun, or the store does not take what it publishes. */
const UNTOLD = 'its node has not told how it is';

export function createCarriers(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly formatTime: FormatTime;
  /** Names and kinds as they are configured now. */
  readonly configured: () => readonly { readonly name: string; readonly kind: string }[];
  /** What seems wrong with the settings, by carrier. */
  readonly hints: () => ReadonlyMap<string, string>;
  readonly network: () => Network;
  /** Asks the other side for a sign of life. */
  readonly probe: (name: string) => Promise<{ readonly isOk: boolean; readonly detail: string }>;
  /** Makes this node read at once what operators ask for. */
  readonly refresh: () => Promise<void>;
}): Carriers {
  const { store, clock, formatTime, configured, network, probe, refresh } = deps;

  return {
    async list() {
      const [reports, paused, nodes] = await Promise.all([
        store.carriers.reports(clock.now() - GONE_AFTER_MS),
        store.carriers.paused(),
        store.nodes.known(),
      ]);
      const named = namedNodes(nodes);
      const living = named.filter(isAlive);
      const settingsHints = deps.hints();
      const running = reports.flatMap(({ node, report }) => {
        const name = living.find(each => each.node === node)?.name;
        if (name === undefined) return [];
        const view = JSON.parse(report) as CarrierView;
        const all = [view.hint, settingsHints.get(view.name), driftOf(view.name, node, living)];
        const hints = all.filter(hint => typeof hint === 'string');
        const hint = hints.length > 0 ? hints.join('; ') : null;
        return [lineOf(name, { ...view, hint }, paused)];
      });
      const gone = named
        .filter(each => !isAlive(each))
        .flatMap(({ name: node, profile }) =>
          profile.carriers.map(({ name, kind }) => ({
            ...notRunning(name, kind, paused.includes(name)),
            ...{ node, state: 'gone', detail: 'its node has died' },
          })),
        );
      const idle = configured()
        .filter(({ name }) => !running.some(line => line.name === name))
        .map(({ name, kind }): CarrierLine => {
          const node = living.find(({ profile }) => profile.carriers.some(each => each.name === name))?.name;
          const untold = node === undefined ? {} : { node, detail: UNTOLD };
          return { ...notRunning(name, kind, paused.includes(name)), ...untold };
        });
      return [...running, ...idle, ...gone];
    },
    async pause(name) {
      if (!isConfigured(name)) return unknown(name);
      await store.carriers.pause(name, clock.now());
      await refresh();
      return undefined;
    },
    async resume(name) {
      if (!isConfigured(name)) return unknown(name);
      await store.carriers.resume(name);
      await refresh();
      return undefined;
    },
    async reconnect(name) {
      const running = (await store.nodes.known()).filter(isAlive).flatMap(({ profile }) => profile.carriers);
      if (!running.some(carrier => carrier.name === name)) {
        return isConfigured(name)
          ? new Problem('A300', `No node runs the carrier "${name}"`, { status: 404 })
          : unknown(name);
      }
      await store.carriers.reconnect(name);
      await refresh();
      return undefined;
    },
    async test(name) {
      if (!isConfigured(name)) return unknown(name);
      const result = await probe(name);
      if (result.isOk) await store.carriers.reconnect(name);
      return result;
    },
    routes() {
      const { rules, otherwise } = network();
      const routes = rules.map(({ channel, prefixes, accounts, weight, via }, index) => ({
        index,
        channel,
        prefix: prefixes,
        account: accounts,
        weight: weight ?? null,
        via,
      }));
      return { routes, otherwise: otherwise ?? null };
    },
    explain(query) {
      const { to, account = '' } = query;
      const channel = channelNamed(query.channel);
      if (channel === undefined) {
        return new Problem('A300', `channel: expected one of ${CHANNELS.join(', ')}`);
      }
      if (typeof to !== 'string' || !/^\+?\d{3,15}$/.test(to)) {
        return new Problem('A300', 'to: expected digits, with + and the country code for sending abroad');
      }
      const message = { channel, to, account: String(account) as AccountId };
      const { carrier, why } = chooseRoute(network(), message);
      const considered = explainRoutes(network().rules, message);
      return { carrier: carrier === UNROUTED ? null : carrier, why, considered };
    },
  };

  function isConfigured(name: string): boolean {
    return configured().some(carrier => carrier.name === name);
  }

  function lineOf(node: string, view: CarrierView, paused: readonly string[]): CarrierLine {
    const { since, isPaused: _, ...rest } = view;
    // A node of an earlier version publishes less.
    const { foundRate = null, throttled = 0, hint = null, breakerOpenUntil = null } = rest;
    // What is over by now was published some seconds ago.
    const isOpen = breakerOpenUntil !== null && breakerOpenUntil > clock.now();
    return {
      node,
      ...rest,
      foundRate,
      throttled,
      hint,
      since: formatTime(since),
      breakerOpenUntil: isOpen ? formatTime(breakerOpenUntil) : null,
      paused: paused.includes(view.name),
    };
  }
}

function notRunning(name: string, kind: string, paused: boolean): CarrierLine {
  const figures = { channels: [], window: 0, inFlight: 0, rate: 0, foundRate: null, throttled: 0, sent: {} };
  return {
    node: '',
    name,
    kind,
    state: 'down',
    detail: 'no node runs it',
    hint: null,
    since: null,
    breakerOpenUntil: null,
    paused,
    ...figures,
  };
}

function unknown(name: string): Problem {
  return new Problem('A300', `There is no carrier named "${name}"`, { status: 404 });
}
