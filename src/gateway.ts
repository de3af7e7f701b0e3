/** The composition root: the only file that knows every part. What has a lifetime is made and closed here. */
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { createCarrier } from './carriers/create-carrier.ts';
import type { ReadFile } from './carriers/http/media-uploads.ts';
import type { Config } from './config/config.ts';
import { BASE32 } from './domain/ids.ts';
import { chooseCourse } from './domain/routing.ts';
import type { Route } from './domain/settlement.ts';
import { createHttpServer } from './http/server.ts';
import { assertCarriers, type CreateCarrier, networkOf, RunningNetwork, settingsOf } from './network.ts';
import { createAccess } from './operations/access.ts';
import { auditedOperator, auditedRegistry, createAudit } from './operations/audit.ts';
import { type Carriers, createCarriers, TELL_INTERVAL_MS } from './operations/carriers.ts';
import { createCompose } from './operations/compose.ts';
import { createEvents } from './operations/events.ts';
import { createFileCheck } from './operations/file-check.ts';
import { createFiles, type Files } from './operations/files.ts';
import { type FirstStart, prepareSandbox } from './operations/first-start.ts';
import { createForms } from './operations/forms.ts';
import { LiveFeed } from './operations/live-feed.ts';
import { createMessages } from './operations/messages.ts';
import { createOperator, type Operator } from './operations/operate.ts';
import { createOperatorAccess, openSession, type Session } from './operations/operator-access.ts';
import { createRegistry, type Registry } from './operations/registry.ts';
import { createReports } from './operations/reports.ts';
import { createSend } from './operations/send.ts';
import { createSettle } from './operations/settle.ts';
import { Statistics } from './operations/statistics.ts';
import { createWebhookCall } from './operations/webhook-call.ts';
import { createWebhookSecrets } from './operations/webhook-secrets.ts';
import { createWebhooks, type Webhooks } from './operations/webhooks.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import { createLogger, type Logger } from './platform/logger.ts';
import { createMetrics } from './platform/metrics.ts';
import { createOutbound } from './platform/outbound.ts';
import { type Randomness, systemRandomness } from './platform/randomness.ts';
import { RateLimiter } from './platform/rate-limiter.ts';
import { createSealer, type Sealer, sealingKeyOfFile } from './platform/sealing.ts';
import { zonedTimeFormatter } from './platform/zoned-time.ts';
import { fileSystemBlobs } from './store/file-system/blobs.ts';
import { openSqliteStore } from './store/sqlite/sqlite-store.ts';
import type { Store } from './store/store.ts';
import { createCarrierTeller } from './workers/carrier-teller.ts';
import { Clerk } from './workers/clerk.ts';
import { Dispatcher } from './workers/dispatcher.ts';
import { Housekeeper } from './workers/housekeeper.ts';
import { WebhookPusher } from './workers/webhook-pusher.ts';

export { DataDirectoryInUse } from './store/sqlite/lock.ts';
export type { Carriers, FirstStart, Operator, Registry, Webhooks };

export interface Gateway {
  readonly http: FastifyInstance;
  readonly operator: Operator;
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
/** In the data directory: the key that seals secrets, unless BONGSU_SECRET_KEY is set. */
const KEY_FILE = 'secret.key';
/** A queue head this old, with no lane having looked at it for as long, is stuck. */
const STUCK_MS = 30_000;

export async function openGateway(config: Config, parts: GatewayParts = {}): Promise<Gateway> {
  // Before anything is opened: what is wrong is told by an exception.
  assertCarriers(config);
  const clock = parts.clock ?? systemClock;
  const random = parts.random ?? systemRandomness();
  const log = parts.log ?? createLogger(config.logLevel);
  const metrics = createMetrics();
  const store = await openStore(config, {
    clock,
    exclusive: true,
    onCommit: tasks => metrics.commitBatch.observe(tasks),
  });
  const limiter = new RateLimiter(clock);
  const formatTime = zonedTimeFormatter(config.timeZone);
  const statistics = new Statistics({ store, clock, formatTime });
  const liveFeed = new LiveFeed({ clock, formatTime, depth: () => housekeeper.depth });
  const events = createEvents({ log, metrics, clock, statistics, liveFeed });
  const readFile: ReadFile = key => readWhole(files, key);
  const carrierParts = { ...config, clock, random, formatTime, readFile };
  const create = parts.createCarrier ?? (settings => createCarrier(settings, carrierParts));
  const network = new RunningNetwork(config, create, name => dispatcher.isAvailable(name));
  const route: Route = journey => chooseCourse(network.current, journey);
  const deadlines = {
    textMs: config.deadlineTextMs,
    mmsMs: config.deadlineMmsMs,
    messengerMs: config.deadlineMessengerMs,
  };
  const node = `node-${random.characters(10, BASE32)}`;
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
  const dispatcher = new Dispatcher({ ...shared, settle, owner: node, network: () => network.current });
  const teller = createCarrierTeller({ ...shared, node, views: () => dispatcher.views() });
  const housekeeper = new Housekeeper({
    ...shared,
    settle,
    files,
    node,
    repeatable: () => network.repeatable,
  });
  const operator = createOperator({
    ...shared,
    applyChaos: chaos => network.applyChaos(chaos),
  });
  const carriers = createCarriers({
    ...shared,
    configured: () => network.configured(),
    network: () => network.current,
    probe: name => dispatcher.test(name),
    refresh: () => dispatcher.refreshPaused(),
  });
  const clerk = new Clerk(shared);
  const operatorAccess = createOperatorAccess(shared);
  const forms = createForms(shared);
  const registry = createRegistry(shared);
  const reports = createReports(shared);
  const send = createSend({
    ...shared,
    forms,
    checks: [registry.checkFlow, createFileCheck(files)],
    completeFlow: registry.completeFlow,
    isQueueFull: () => config.queueLimit > 0 && housekeeper.depth.ready >= config.queueLimit,
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
    operator,
    carriers,
    readiness,
    callbackReceiver: name => network.callbackReceiver(name),
  });

  return {
    http,
    operator,
    store,
    log,
    prepareSandbox: () => prepareSandbox({ ...shared, operator, operatorAccess }),
    async start() {
      await housekeeper.start();
      await dispatcher.start(network.carriers);
      teller.start();
      await pusher.start();
      clerk.start();
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
      await teller.stop();
      await dispatcher.stop();
      await pusher.stop();
      await calls.close();
      await clerk.stop();
      await housekeeper.stop();
      await store.close();
    },
  };

  async function readiness(): Promise<string | undefined> {
    try {
      await store.ping();
    } catch {
      return 'the store does not answer';
    }
    const now = clock.now();
    const { oldestReadyAt } = housekeeper.depth;
    const isHeadOld = oldestReadyAt !== undefined && now - oldestReadyAt > STUCK_MS;
    return isHeadOld && now - dispatcher.lastClaimAt > STUCK_MS ? 'the queue does not move' : undefined;
  }
}

/** The store alone, for commands that work beside a running server. */
async function openStore(
  config: Config,
  options: {
    readonly clock: Clock;
    readonly exclusive: boolean;
    readonly onCommit?: (tasks: number) => void;
  },
): Promise<Store> {
  const { clock, exclusive, onCommit } = options;
  const shared = { now: () => clock.now(), ...(onCommit && { onCommit }) };
  if (config.databaseUrl !== undefined) {
    // Loaded when it is used: the embedded engine needs no driver.
    const { openPostgresStore } = await import('./store/postgres/postgres-store.ts');
    return openPostgresStore({ url: config.databaseUrl, ...shared });
  }
  return openSqliteStore({ dataDir: config.dataDir, exclusive, ...shared });
}

/** The operator's side alone, beside a running server or without one. */
export async function openOperator(config: Config): Promise<{
  operator: Operator;
  registry: Registry;
  webhooks: Webhooks;
  carriers: Carriers;
  openSession(): Promise<Session | undefined>;
  close(): Promise<void>;
}> {
  const clock = systemClock;
  const store = await openStore(config, { clock, exclusive: false });
  const formatTime = zonedTimeFormatter(config.timeZone);
  const audit = createAudit({ store, clock, formatTime });
  const operator = createOperator({ store, clock, applyChaos: () => {} });
  const told = await store.carriers.reports(clock.now() - 3 * TELL_INTERVAL_MS);
  const paused = await store.carriers.paused();
  const down = told
    .filter(({ report }) => /"state":"(down|connecting)"/.test(report))
    .map(({ carrier }) => carrier);
  const network = networkOf(config, name => !down.includes(name) && !paused.includes(name));
  const calls = webhookCalls(config, { store, clock, random: systemRandomness() });
  return {
    operator: auditedOperator(operator, audit, 'cli'),
    registry: auditedRegistry(createRegistry({ store }), audit, 'cli'),
    openSession: () => openSession({ ...config, store, clock, random: systemRandomness() }),
    webhooks: createWebhooks({ store, clock, formatTime, ...calls, circuitOf: () => 'unknown' }),
    carriers: createCarriers({
      store,
      clock,
      formatTime,
      configured: () => settingsOf(config),
      network: () => network,
      probe: name => probe(config, name),
      refresh: async () => {},
    }),
    async close() {
      await calls.close();
      await store.close();
    },
  };
}

/** What calls a webhook, and the secrets it signs with. */
function webhookCalls(
  config: Config,
  parts: { readonly store: Store; readonly clock: Clock; readonly random: Randomness },
) {
  const outbound = createOutbound({ clock: parts.clock, allowPrivate: config.webhookPrivate === 'allow' });
  let sealer: Sealer | undefined;
  const openSealer = () => {
    // Several nodes must have the same key; one process with its own database can keep its own.
    const isShared = config.databaseUrl !== undefined && config.secretKey === undefined;
    if (isShared) return undefined;
    sealer ??= createSealer(config.secretKey ?? sealingKeyOfFile(join(config.dataDir, KEY_FILE)));
    return sealer;
  };
  return {
    secrets: createWebhookSecrets({ ...parts, sealer: openSealer }),
    callWebhook: createWebhookCall({ ...config, outbound, clock: parts.clock }),
    close: () => outbound.close(),
  };
}

/** Connects by a link of its own, asks for a sign of life, and leaves. */
async function probe(config: Config, name: string): Promise<{ isOk: boolean; detail: string }> {
  const settings = settingsOf(config).find(carrier => carrier.name === name);
  if (!settings) return { isOk: false, detail: 'it is not configured' };
  assertCarriers(config);
  const random = systemRandomness();
  const formatTime = zonedTimeFormatter(config.timeZone);
  const parts = { ...config, clock: systemClock, random, formatTime, readFile: async () => undefined };
  const carrier = createCarrier(settings, parts);
  const isSettled = Promise.withResolvers<void>();
  const look = () => {
    const { state } = carrier.status();
    if (state === 'up' || state === 'down') isSettled.resolve();
  };
  // Receipts that come by this link are for the gateway: refused here, they come again there.
  const receive = () => Promise.reject(new Error('a probe settles nothing'));
  await carrier.start({ receive, statusChanged: look, noticed: () => {} });
  look();
  await isSettled.promise;
  const result = await carrier.test();
  await carrier.close();
  return result;
}

/** An uploaded file for carriers that bring it to a provider. */
async function readWhole(files: Files, key: string): ReturnType<ReadFile> {
  const found = await files.open(key);
  if (!found) return undefined;
  const { name, format, contentHash } = found.file;
  const contentType = `image/${format === 'jpg' ? 'jpeg' : format}`;
  return { bytes: await buffer(found.content), name, contentType, contentHash };
}
