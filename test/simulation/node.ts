/**
 * One node of a simulation: the parts of the real composition (src/composition/gateway.ts) without HTTP, on a clock, a store and
 * carriers that go dead with it.
 */

import type { Files } from '../../src/accept/files.ts';
import { createOptOutLists, type OptOutLists } from '../../src/accept/opt-out-lists.ts';
import type { OptOuts } from '../../src/accept/opt-outs.ts';
import type { Reservations } from '../../src/accept/reservations.ts';
import type { SendOperation } from '../../src/accept/send.ts';
import { composeAccepting } from '../../src/composition/accepting.ts';
import { composeDelivery } from '../../src/composition/delivery.ts';
import { composeInbound } from '../../src/composition/inbound.ts';
import { createStopTogether } from '../../src/composition/stop-steps.ts';
import type { Cancelling } from '../../src/deliver/cancel.ts';
import { Problem } from '../../src/domain/request/problem.ts';
import { createEvents } from '../../src/observe/events.ts';
import { LiveFeed } from '../../src/observe/live-feed.ts';
import type { Metrics } from '../../src/observe/metrics.ts';
import { Statistics } from '../../src/observe/statistics.ts';
import { createRetention } from '../../src/operate/retention.ts';
import type { ClusterClock } from '../../src/platform/cluster-clock.ts';
import type { Logger } from '../../src/platform/logger.ts';
import { Pieces } from '../../src/platform/pieces.ts';
import { RateLimiter } from '../../src/platform/rate-limiter.ts';
import type { Sealer } from '../../src/platform/sealing.ts';
import type { FormatTime } from '../../src/platform/zoned-time.ts';
import { createReports, type Reports } from '../../src/report/reports.ts';
import type { CallWebhook } from '../../src/report/webhook/call.ts';
import { WebhookPusher } from '../../src/report/webhook/pusher.ts';
import { createWebhookSecrets } from '../../src/report/webhook/secrets.ts';
import type { Store } from '../../src/store/store.ts';
import type { NetworkPlan } from './network-plans.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { SimulatedLink } from './simulated-link.ts';

const DAY_MS = 86_400_000;
/** Short, so that a run passes them: texts in ten minutes, messenger messages in twenty seconds. */
const DEADLINES = { textMs: 600_000, mmsMs: 600_000, messengerMs: 20_000 };
const SHUTDOWN_TIMEOUT_MS = 15_000;
const STORE_TIMEOUT_MS = 10_000;
const REPORT_RETENTION_MS = 30 * DAY_MS;
const ACCEPTING = {
  publicUrl: undefined,
  reservationLeadMs: 0,
  storeTimeoutMs: STORE_TIMEOUT_MS,
  timeZone: 'UTC',
  tokenLifetimeMs: DAY_MS,
  tokenRate: 1,
  tokensPerAccount: 1,
};

/** What is the same for every node and every seed, and costs time to make. */
export interface ProcessParts {
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly formatTime: FormatTime;
  readonly sealer: Sealer;
}

export interface SimulatedNode {
  readonly name: string;
  readonly send: SendOperation;
  readonly reservations: Reservations;
  readonly cancelling: Cancelling;
  readonly optOuts: OptOuts;
  readonly optOutLists: OptOutLists;
  readonly reports: Reports;
  start(): Promise<void>;
  reload(plan: NetworkPlan): Promise<void>;
  stop(): Promise<void>;
}

export function createNode(deps: {
  readonly name: string;
  readonly process: ProcessParts;
  readonly clock: ClusterClock;
  readonly store: Store;
  readonly random: SeededRandom;
  readonly plan: NetworkPlan;
  /** 0: there is none. */
  readonly queueLimit: number;
  readonly callWebhook: CallWebhook;
  readonly openLink: (carrier: string) => SimulatedLink;
  readonly onFailure: (where: string, error: unknown) => void;
}): SimulatedNode {
  const { name, clock, store, random, plan, callWebhook, openLink } = deps;
  const { metrics, log, formatTime, sealer } = deps.process;
  const stopTogether = createStopTogether({ clock, log });
  const statistics = new Statistics({ store, clock, formatTime, node: name, events: { failed() {} } });
  const liveFeed = new LiveFeed({ clock, formatTime, depth: () => queueMeter.depth });
  const events = { ...createEvents({ log, metrics, clock, statistics, liveFeed }), failed: deps.onFailure };
  const secrets = createWebhookSecrets({ store, clock, random, sealer: () => sealer });
  const pusher = new WebhookPusher({
    store,
    clock,
    random,
    events,
    metrics,
    formatTime,
    secrets,
    callWebhook,
    owner: name,
  });
  const optOutLists = createOptOutLists({ store, clock, events });
  const delivery = composeDelivery({
    networkConfig: plan,
    createCarrier: settings => openLink(settings.name),
    store,
    clock,
    random,
    events,
    metrics,
    carrierSums: { add() {} },
    formatTime,
    deadlines: DEADLINES,
    shutdownTimeoutMs: SHUTDOWN_TIMEOUT_MS,
    isOptedOut: optOutLists.isOptedOut,
    node: name,
    inbound: {
      receive: (carrier, messages) => inbound.receive(carrier, messages),
      confirm: names => inbound.confirm(names),
    },
    onReports: reports => pusher.noticed(reports),
    clockSetBack: () => {},
  });
  const { network, dispatcher, carrierPublisher, scheduledWork, queueMeter, route, cancelling } = delivery;
  const retention = createRetention({
    store,
    files: NO_FILES,
    clock,
    events,
    deadlines: DEADLINES,
    reportRetentionMs: REPORT_RETENTION_MS,
    inquiryWindowMs: REPORT_RETENTION_MS,
    // Much shorter than messages live: one that loses its text too early is not delivered as it was sent.
    textRetentionMs: 60_000,
  });
  const limiter = new RateLimiter(clock);
  const { send, optOuts, reservations, reservationReleaser } = composeAccepting(
    { ...ACCEPTING, queueLimit: deps.queueLimit },
    {
      ...{ store, clock, random, limiter, guesses: limiter, events, files: NO_FILES, route, optOutLists },
      pieces: new Pieces(() => async () => {}),
      deadlines: DEADLINES,
      settle: delivery.settle,
      dispatch: dispatcher,
      queueDepth: () => queueMeter.depth,
      nodes: () => delivery.cluster.size,
      node: name,
      isDraining: () => false,
      onReports: reports => pusher.noticed(reports),
      roomProblem: () => undefined,
    },
  );
  const inbound = composeInbound({
    ...{ store, clock, random, events },
    send: () => send,
    optOut: optOuts.byKeyword,
    onReceived: messages => pusher.noticed(messages),
  });
  return {
    name,
    send,
    reservations,
    cancelling,
    optOuts,
    optOutLists,
    reports: createReports({
      store,
      clock,
      random,
      events,
      formatTime,
      reportRetentionMs: REPORT_RETENTION_MS,
      inquiryWindowMs: REPORT_RETENTION_MS,
      storeTimeoutMs: STORE_TIMEOUT_MS,
    }),
    async start() {
      await optOutLists.start();
      await scheduledWork.start();
      queueMeter.start();
      retention.start();
      inbound.start();
      await dispatcher.start(network.carriers);
      await carrierPublisher.start();
      reservationReleaser.start();
      await pusher.start();
    },
    async reload(next) {
      await network.reload(next, dispatcher);
    },
    async stop() {
      await stopTogether(SHUTDOWN_TIMEOUT_MS, {
        carriers: () => dispatcher.stop(),
        reservations: () => reservationReleaser.stop(),
        webhooks: () => pusher.stop(),
        retention: () => retention.stop(),
      });
      send.stop();
      await stopTogether(SHUTDOWN_TIMEOUT_MS, {
        'state of carriers': () => carrierPublisher.stop(),
        inbound: () => inbound.stop(),
        'scheduled work': () => scheduledWork.stop(),
        'queue depth': () => queueMeter.stop(),
        'opt-out lists': () => optOutLists.stop(),
      });
    },
  };
}

/** No files are sent: nothing asks for one, and there is nothing to sweep. */
const NO_FILES = {
  sweep: async () => {},
  remove: async () => new Problem('A300'),
} as unknown as Files;
