/** The operator's side of carriers and routes: their state, pausing them, and which carrier a message would go out by. */
import { driftOf } from '../deliver/carrier-drift.ts';
import { type CarrierView, PUBLISH_INTERVAL_MS } from '../deliver/carrier-publisher.ts';
import { isAlive, namedNodes } from '../deliver/node-names.ts';
import { chooseRoute, explainRoutes, type Network, UNROUTED } from '../domain/delivery/routing.ts';
import type { AccountId } from '../domain/ids.ts';
import { Problem } from '../domain/request/problem.ts';
import type { CarrierLine, carriers as declared } from '../operations/carriers.ts';
import type { OperationsOf } from '../operations/operation.ts';
import type { Clock } from '../platform/clock.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { Store } from '../store/store.ts';
import type { Handlers } from './perform.ts';

export type Carriers = ReturnType<typeof createCarriers>;

const GONE_AFTER_MS = 3 * PUBLISH_INTERVAL_MS;
/** It may have just begun, or the store does not take what it publishes. */
const UNTOLD = 'its node has not reported its state';

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
}) {
  const { store, clock, formatTime, configured, network, probe, refresh } = deps;

  return {
    async 'GET /carriers'() {
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
            ...{ node, state: 'gone' as const, detail: 'its node has died' },
          })),
        );
      const idle = configured()
        .filter(({ name }) => !running.some(line => line.name === name))
        .map(({ name, kind }): CarrierLine => {
          const node = living.find(({ profile }) => profile.carriers.some(each => each.name === name))?.name;
          const untold = node === undefined ? {} : { node, detail: UNTOLD };
          return { ...notRunning(name, kind, paused.includes(name)), ...untold };
        });
      return { carriers: [...running, ...idle, ...gone] };
    },
    async 'POST /carriers/{name}/pause'({ name }) {
      if (!isConfigured(name)) return unknown(name);
      await store.carriers.pause(name, clock.now());
      await refresh();
      return { name };
    },
    async 'POST /carriers/{name}/resume'({ name }) {
      if (!isConfigured(name)) return unknown(name);
      await store.carriers.resume(name);
      await refresh();
      return { name };
    },
    /** Every node that runs it does not wait for its next attempt. */
    async 'POST /carriers/{name}/reconnect'({ name }) {
      const running = (await store.nodes.known()).filter(isAlive).flatMap(({ profile }) => profile.carriers);
      if (!running.some(carrier => carrier.name === name)) {
        return isConfigured(name)
          ? new Problem('A300', `No node runs the carrier "${name}"`, { status: 404 })
          : unknown(name);
      }
      await store.carriers.reconnect(name);
      await refresh();
      return { name };
    },
    /** The same, if the test succeeds. */
    async 'POST /carriers/{name}/test'({ name }) {
      if (!isConfigured(name)) return unknown(name);
      const result = await probe(name);
      if (result.isOk) await store.carriers.reconnect(name);
      return result;
    },
    async 'GET /routes'() {
      const { rules, otherwise } = network();
      const routes = rules.map(({ channel, prefixes, accounts, weight, via }, index) => ({
        ...{ index, channel, prefix: prefixes, account: accounts, weight: weight ?? null, via },
      }));
      return { routes, otherwise: otherwise ?? null };
    },
    async 'GET /routes/explain'({ channel, to, account = '' as AccountId }) {
      const message = { channel, to, account };
      const { carrier, why } = chooseRoute(network(), message);
      const considered = explainRoutes(network().rules, message);
      return { carrier: carrier === UNROUTED ? null : carrier, why, considered };
    },
  } satisfies Handlers<OperationsOf<typeof declared>>;

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
