/**
 * One node of a simulation: the parts of the real composition (src/composition/gateway.ts) without HTTP, on a clock, a store and
 * carriers that go dead with it.
 */

import type { Files } from '../../src/accept/files.ts';
import { createForms } from '../../src/accept/forms.ts';
import { createRegistry } from '../../src/accept/registry.ts';
import { createSend, type SendOperation } from '../../src/accept/send.ts';
import { RunningNetwork } from '../../src/composition/running-network.ts';
import { createCarrierPublisher } from '../../src/deliver/carrier-publisher.ts';
import { Claims } from '../../src/deliver/claims.ts';
import { Cluster } from '../../src/deliver/cluster.ts';
import { Dispatcher } from '../../src/deliver/dispatcher.ts';
import { QueueMeter } from '../../src/deliver/queue-depth.ts';
import { createScheduledWork } from '../../src/deliver/scheduled-work.ts';
import { createSettle } from '../../src/deliver/settle.ts';
import { type ChooseRoute, chooseRoute } from '../../src/domain/delivery/routing.ts';
import { createEvents } from '../../src/observe/events.ts';
import { LiveFeed } from '../../src/observe/live-feed.ts';
import type { Metrics } from '../../src/observe/metrics.ts';
import { Statistics } from '../../src/observe/statistics.ts';
import { createRetention } from '../../src/operate/retention.ts';
import type { Clock } from '../../src/platform/clock.ts';
import type { Logger } from '../../src/platform/logger.ts';
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
  readonly reports: Reports;
  start(): Promise<void>;
  reload(plan: NetworkPlan): Promise<void>;
  stop(): Promise<void>;
}

export function createNode(deps: {
  readonly name: string;
  readonly process: ProcessParts;
  readonly clock: Clock;
  readonly store: Store;
  readonly random: SeededRandom;
  readonly plan: NetworkPlan;
  readonly callWebhook: CallWebhook;
  readonly openLink: (carrier: string) => SimulatedLink;
  readonly onFailure: (where: string, error: unknown) => void;
}): SimulatedNode {
  const { name, clock, store, random, plan, callWebhook, openLink } = deps;
  const { metrics, log, formatTime, sealer } = deps.process;
  const statistics = new Statistics({ store, clock, formatTime, onFailure: () => {} });
  const liveFeed = new LiveFeed({ clock, formatTime, depth: () => queueMeter.depth });
  const events = { ...createEvents({ log, metrics, clock, statistics, liveFeed }), failed: deps.onFailure };
  const network = new RunningNetwork(
    plan,
    settings => openLink(settings.name),
    carrier => dispatcher.isAvailable(carrier),
  );
  const route: ChooseRoute = query => chooseRoute(network.current, query);
  const shared = {
    store,
    clock,
    random,
    events,
    formatTime,
    route,
    metrics,
    deadlines: DEADLINES,
    reportRetentionMs: REPORT_RETENTION_MS,
    inquiryWindowMs: REPORT_RETENTION_MS,
    shutdownTimeoutMs: SHUTDOWN_TIMEOUT_MS,
    storeTimeoutMs: STORE_TIMEOUT_MS,
    wake: () => dispatcher.wake(),
  };
  const cluster = new Cluster({ store, clock, node: name, profile: () => network.profile() });
  const claims = new Claims({ store, clock, owner: name });
  const settle = createSettle({ ...shared, noticeReports: reports => pusher.noticed(reports) });
  const secrets = createWebhookSecrets({ store, clock, random, sealer: () => sealer });
  const pusher = new WebhookPusher({ ...shared, secrets, callWebhook, owner: name });
  const dispatcher = new Dispatcher({ ...shared, settle, claims, cluster, network: () => network.current });
  const carrierPublisher = createCarrierPublisher({ ...shared, node: name, views: () => dispatcher.views() });
  const scheduledWork = createScheduledWork({
    ...shared,
    settle,
    node: name,
    cluster,
    claims,
    clockSetBack: () => {},
  });
  const queueMeter = new QueueMeter(shared);
  const retention = createRetention({ ...shared, files: NO_FILES });
  const forms = createForms(shared);
  const registry = createRegistry(shared);
  const send = createSend({
    ...shared,
    limiter: new RateLimiter(clock),
    forms,
    checks: [registry.checkFlow],
    completeFlow: registry.completeFlow,
    isQueueFull: () => false,
  });
  return {
    name,
    send,
    reports: createReports(shared),
    async start() {
      await scheduledWork.start();
      queueMeter.start();
      retention.start();
      await dispatcher.start(network.carriers);
      carrierPublisher.start();
      await pusher.start();
    },
    async reload(next) {
      await network.reload(next, dispatcher);
    },
    async stop() {
      send.stop();
      await carrierPublisher.stop();
      await dispatcher.stop();
      await pusher.stop();
      await Promise.all([scheduledWork.stop(), queueMeter.stop(), retention.stop()]);
    },
  };
}

/** No files are sent: there is nothing to sweep. */
const NO_FILES: Pick<Files, 'sweep'> = { sweep: async () => {} };
