/**
 * One node of a simulation: the parts of the real composition (src/composition/gateway.ts) without HTTP, on a clock, a store and
 * carriers that go dead with it.
 */

import type { Files } from '../../src/accept/files.ts';
import { createForms } from '../../src/accept/forms.ts';
import { createSendGuards } from '../../src/accept/guards.ts';
import { createOnce } from '../../src/accept/idempotency.ts';
import { createRegistry } from '../../src/accept/registry.ts';
import { createSend, type SendOperation } from '../../src/accept/send.ts';
import { composeDelivery } from '../../src/composition/delivery.ts';
import { Problem } from '../../src/domain/request/problem.ts';
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
  const statistics = new Statistics({ store, clock, formatTime, node: name, onFailure: () => {} });
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
    isOptedOut: () => false,
    node: name,
    inbound: { receive: async () => [], confirm: async () => {} },
    onReports: reports => pusher.noticed(reports),
    clockSetBack: () => {},
  });
  const { network, dispatcher, carrierPublisher, scheduledWork, queueMeter, route } = delivery;
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
  const registry = createRegistry({ store, clock });
  const guards = createSendGuards({
    route,
    limiter: new RateLimiter(clock),
    checks: [registry.checkFlow],
    isQueueFull: () => false,
  });
  const forms = createForms({ store, clock, random, guards });
  const send = createSend({
    store,
    clock,
    random,
    events,
    forms,
    guards,
    route,
    deadlines: DEADLINES,
    endOptedOut: () => {},
    completeFlow: registry.completeFlow,
    dispatch: dispatcher,
    once: createOnce({ store, clock, storeTimeoutMs: STORE_TIMEOUT_MS }),
    storeTimeoutMs: STORE_TIMEOUT_MS,
  });
  return {
    name,
    send,
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
const NO_FILES: Pick<Files, 'sweep' | 'remove'> = {
  sweep: async () => {},
  remove: async () => new Problem('A300'),
};
