/** The composition root: the only file that knows every part. What has a lifetime is made and closed here. */
import { buffer } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { createAccess } from '../accept/access.ts';
import { createFileCheck } from '../accept/file-check.ts';
import { createFiles, type Files } from '../accept/files.ts';
import { createForms } from '../accept/forms.ts';
import { createRegistry } from '../accept/registry.ts';
import { createSend } from '../accept/send.ts';
import { createCarrier } from '../carriers/create-carrier.ts';
import type { ReadFile } from '../carriers/http/media-uploads.ts';
import type { Config } from '../config/config.ts';
import { createCarrierPublisher } from '../deliver/carrier-publisher.ts';
import { createCarriers } from '../deliver/carriers.ts';
import { Claims } from '../deliver/claims.ts';
import { Cluster } from '../deliver/cluster.ts';
import { Dispatcher } from '../deliver/dispatcher.ts';
import { QueueMeter } from '../deliver/queue-depth.ts';
import { createScheduledWork } from '../deliver/scheduled-work.ts';
import { createSettle } from '../deliver/settle.ts';
import { type ChooseRoute, chooseRoute } from '../domain/delivery/routing.ts';
import { BASE32 } from '../domain/ids.ts';
import { createHttpServer } from '../http/server.ts';
import { createEvents } from '../observe/events.ts';
import { LiveFeed } from '../observe/live-feed.ts';
import { createMetrics } from '../observe/metrics.ts';
import { SearchIndexer } from '../observe/search-indexer.ts';
import { Statistics } from '../observe/statistics.ts';
import { createOperatorAccess } from '../operate/access.ts';
import { type Accounts, createAccounts } from '../operate/accounts.ts';
import { createAudit } from '../operate/audit.ts';
import { createChaosControl } from '../operate/chaos.ts';
import { createCompose } from '../operate/compose.ts';
import { type FirstStart, prepareSandbox } from '../operate/first-start.ts';
import { createMessages } from '../operate/messages.ts';
import { createQueue, type Queue } from '../operate/queue.ts';
import { createReadiness } from '../operate/readiness.ts';
import { createRetention } from '../operate/retention.ts';
import { createWebhooks } from '../operate/webhooks.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { createLogger, type Logger } from '../platform/logger.ts';
import { type Randomness, systemRandomness } from '../platform/randomness.ts';
import { RateLimiter } from '../platform/rate-limiter.ts';
import { Repeater } from '../platform/repeater.ts';
import { zonedTimeFormatter } from '../platform/zoned-time.ts';
import { createReports } from '../report/reports.ts';
import { WebhookPusher } from '../report/webhook/pusher.ts';
import { fileSystemBlobs } from '../store/file-system/blobs.ts';
import type { Store } from '../store/store.ts';
import { openStore } from './open-store.ts';
import { assertCarriers, type CreateCarrier, RunningNetwork } from './running-network.ts';
import { webhookCalls } from './webhook-calls.ts';

export { DataDirectoryInUse } from '../store/sqlite/lock.ts';
export type { FirstStart };

export interface Gateway {
  readonly http: FastifyInstance;
  readonly accounts: Accounts;
  readonly queue: Queue;
  readonly store: Store;
  readonly log: Logger;
  /** Makes the demo account and the admin token of the sandbox, if they are not there yet. */
  prepareSandbox(): Promise<FirstStart>;
  /** Begins to send; HTTP is listened on by the caller. */
  start(): Promise<void>;
  /** Changes over to other carriers and routes without dropping traffic. */
  reload(config: Config): Promise<void>;
  /** Stops accepting, lets what is under way finish, closes everything. */
  close(): Promise<void>;
}

export interface GatewayParts {
  readonly clock?: Clock;
  readonly random?: Randomness;
  readonly log?: Logger;
  /** For tests that play the other side of a carrier. */
  readonly createCarrier?: CreateCarrier;
}

const TOKEN_BURST_SECONDS = 4;
const HEALTH_INTERVAL_MS = 1000;

export async function openGateway(config: Config, parts: GatewayParts = {}): Promise<Gateway> {
  // Before anything is opened: what is wrong is told by an exception.
  assertCarriers(config);
  const clock = parts.clock ?? systemClock;
  const random = parts.random ?? systemRandomness();
  const log = parts.log ?? createLogger(config.logLevel);
  const metrics = createMetrics();
  let lastCommitAt = clock.monotonic();
  const store = await openStore(config, {
    clock,
    exclusive: true,
    onCommit: tasks => {
      lastCommitAt = clock.monotonic();
      metrics.commitBatch.observe(tasks);
    },
    onProgress: text => log.info({ event: 'migrating', text }),
  });
  const limiter = new RateLimiter(clock);
  const formatTime = zonedTimeFormatter(config.timeZone);
  const statistics = new Statistics({
    store,
    clock,
    formatTime,
    onFailure: error => events.failed('write statistics', error),
  });
  const liveFeed = new LiveFeed({ clock, formatTime, depth: () => queueMeter.depth });
  const events = createEvents({ log, metrics, clock, statistics, liveFeed });
  const readFile: ReadFile = key => readWhole(files, key);
  const carrierParts = { ...config, clock, random, formatTime, readFile };
  const create = parts.createCarrier ?? (settings => createCarrier(settings, carrierParts));
  const network = new RunningNetwork(config, create, name => dispatcher.isAvailable(name));
  const route: ChooseRoute = query => chooseRoute(network.current, query);
  const deadlines = {
    textMs: config.deadlineTextMs,
    mmsMs: config.deadlineMmsMs,
    messengerMs: config.deadlineMessengerMs,
  };
  const node = `node-${random.characters(10, BASE32)}`;
  await assertMode(store, config.mode);
  const cluster = new Cluster({ store, clock, node, profile: () => network.profile() });
  const claims = new Claims({ store, clock, owner: node });
  const wake = () => dispatcher.wake();
  const shared = {
    ...config,
    store,
    clock,
    random,
    events,
    limiter,
    formatTime,
    route,
    deadlines,
    metrics,
    statistics,
    wake,
  };

  let isClosed = false;
  const settle = createSettle({ ...shared, noticeReports: reports => pusher.noticed(reports) });
  const calls = webhookCalls(config, { store, clock, random });
  const pusher = new WebhookPusher({ ...shared, ...calls, owner: node });
  const webhooks = createWebhooks({ ...shared, ...calls, circuitOf: account => pusher.circuitOf(account) });
  const files = createFiles({ ...shared, blobs: fileSystemBlobs(config.dataDir) });
  const dispatcher = new Dispatcher({
    ...shared,
    settle,
    claims,
    cluster,
    network: () => network.current,
  });
  const carrierPublisher = createCarrierPublisher({ ...shared, node, views: () => dispatcher.views() });
  const scheduledWork = createScheduledWork({
    ...shared,
    settle,
    node,
    cluster,
    claims,
    clockSetBack: () => {
      searchIndexer.clockSetBack();
      pusher.clockSetBack();
    },
  });
  const queueMeter = new QueueMeter(shared);
  const retention = createRetention({ ...shared, files });
  const readiness = createReadiness({
    ...shared,
    lanes: () => dispatcher.health(),
    heads: () => queueMeter.depth.heads,
    lastCommitAt: () => lastCommitAt,
  });
  const healthWatch = new Repeater(clock, HEALTH_INTERVAL_MS, readiness.refresh, error =>
    events.failed('tell health', error),
  );
  const accounts = createAccounts({ store, clock });
  const queue = createQueue({ store });
  const carriers = createCarriers({
    ...shared,
    configured: () => network.configured(),
    network: () => network.current,
    probe: name => dispatcher.test(name),
    refresh: () => dispatcher.refreshPaused(),
  });
  const searchIndexer = new SearchIndexer(shared);
  const operatorAccess = createOperatorAccess(shared);
  const forms = createForms(shared);
  const registry = createRegistry(shared);
  const reports = createReports(shared);
  const send = createSend({
    ...shared,
    forms,
    checks: [registry.checkFlow, createFileCheck(files)],
    completeFlow: registry.completeFlow,
    isQueueFull: () => config.queueLimit > 0 && queueMeter.depth.ready >= config.queueLimit,
  });
  const tokenRate = { ratePerSecond: config.tokenRate, burst: config.tokenRate * TOKEN_BURST_SECONDS };
  const http = createHttpServer({
    ...shared,
    access: createAccess({ ...shared, tokenRate }),
    send,
    reports,
    compose: createCompose({ send, forms }),
    messages: createMessages({ ...shared, reports }),
    audit: createAudit(shared),
    operatorAccess,
    liveFeed,
    files,
    forms,
    registry,
    webhooks,
    accounts,
    queue,
    chaos: createChaosControl(chaos => network.applyChaos(chaos)),
    carriers,
    readiness,
    callbackReceiver: name => network.callbackReceiver(name),
  });

  return {
    http,
    accounts,
    queue,
    store,
    log,
    prepareSandbox: () => prepareSandbox({ ...shared, accounts, operatorAccess }),
    async start() {
      await scheduledWork.start();
      queueMeter.start();
      retention.start();
      await dispatcher.start(network.carriers);
      carrierPublisher.start();
      healthWatch.start();
      await pusher.start();
      searchIndexer.start();
      statistics.start();
    },
    async reload(next) {
      assertCarriers(next);
      const changes = await network.reload(next, dispatcher);
      events.reloaded(changes.added, changes.removed);
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await http.close();
      send.stop();
      await carrierPublisher.stop();
      await healthWatch.stop();
      await dispatcher.stop();
      await pusher.stop();
      await calls.close();
      await Promise.all([searchIndexer.stop(), statistics.stop()]);
      await Promise.all([scheduledWork.stop(), queueMeter.stop(), retention.stop()]);
      await store.close();
    },
  };
}

/** Messages of a sandbox are simulated, those of production are not: whoever mixes them finds neither. */
async function assertMode(store: Store, mode: string): Promise<void> {
  const kept = await store.accounts.remember('mode', mode);
  if (kept !== mode) {
    await store.close();
    throw new Error(
      `this store belongs to a gateway in ${kept} mode, and this one runs in ${mode} mode: give it a store of its own`,
    );
  }
}

/** An uploaded file for carriers that bring it to a provider. */
async function readWhole(files: Files, key: string): ReturnType<ReadFile> {
  const found = await files.open(key);
  if (!found) return undefined;
  const { name, format, contentHash } = found.file;
  const contentType = `image/${format === 'jpg' ? 'jpeg' : format}`;
  return { bytes: await buffer(found.content), name, contentType, contentHash };
}
