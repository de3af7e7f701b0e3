/** The composition root: the only file that knows every part. What has a lifetime is made and closed here. */
import type { FastifyInstance } from 'fastify';
import type { Carrier } from './carriers/carrier.ts';
import { Simulator } from './carriers/simulator/simulator.ts';
import type { Config } from './config/config.ts';
import type { Channel } from './domain/flow.ts';
import { BASE32 } from './domain/ids.ts';
import { chooseCarrier, type RouteRule } from './domain/routing.ts';
import { type Route, UNROUTED } from './domain/settlement.ts';
import { createHttpServer } from './http/server.ts';
import { createAccess } from './operations/access.ts';
import { auditedOperator, auditedRegistry, createAudit } from './operations/audit.ts';
import { createCompose } from './operations/compose.ts';
import { createEvents } from './operations/events.ts';
import { createFileCheck } from './operations/file-check.ts';
import { createFiles } from './operations/files.ts';
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
import { type Clock, systemClock } from './platform/clock.ts';
import { createLogger, type Logger } from './platform/logger.ts';
import { createMetrics } from './platform/metrics.ts';
import { type Randomness, systemRandomness } from './platform/randomness.ts';
import { RateLimiter } from './platform/rate-limiter.ts';
import { zonedTimeFormatter } from './platform/zoned-time.ts';
import { fileSystemBlobs } from './store/file-system/blobs.ts';
import { openSqliteStore } from './store/sqlite/sqlite-store.ts';
import type { Store } from './store/store.ts';
import { Clerk } from './workers/clerk.ts';
import { Dispatcher } from './workers/dispatcher.ts';
import { Housekeeper } from './workers/housekeeper.ts';

export { DataDirectoryInUse } from './store/sqlite/lock.ts';
export type { FirstStart, Operator, Registry };

export interface Gateway {
  readonly http: FastifyInstance;
  readonly operator: Operator;
  readonly store: Store;
  readonly log: Logger;
  /** Makes the demo account and the admin token of the sandbox, if they are not there yet. */
  prepareSandbox(): Promise<FirstStart>;
  /** Begins to send; HTTP is listened on by the caller. */
  start(): Promise<void>;
  /** Stops accepting, lets what is under way finish, closes everything. */
  close(): Promise<void>;
}

export interface GatewayParts {
  readonly clock?: Clock;
  readonly random?: Randomness;
  readonly log?: Logger;
}

/** The carrier that serves the sandbox when no route matches. */
const SANDBOX_CARRIER = 'simulator';
const TOKEN_BURST_SECONDS = 4;
/** A queue head this old, with no lane having looked at it for as long, is stuck. */
const STUCK_MS = 30_000;

export async function openGateway(config: Config, parts: GatewayParts = {}): Promise<Gateway> {
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
  const events = createEvents(log, metrics, statistics, liveFeed);
  const simulators = simulatorsOf(config, clock, random);
  const carriers: readonly Carrier[] = simulators;
  const route = routeOf(config);
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
  const settle = createSettle(shared);
  const files = createFiles({ ...shared, blobs: fileSystemBlobs(config.dataDir) });
  const dispatcher = new Dispatcher({ ...shared, carriers, settle, owner: node });
  const housekeeper = new Housekeeper({
    ...shared,
    settle,
    files,
    node,
    repeatable: carriers.filter(carrier => carrier.capabilities.repeatable).map(carrier => carrier.name),
  });
  const operator = createOperator({
    ...shared,
    applyChaos: chaos => {
      for (const simulator of simulators) simulator.chaos = chaos;
    },
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
    operator,
    readiness,
  });

  return {
    http,
    operator,
    store,
    log,
    prepareSandbox: () => prepareSandbox({ ...shared, operator, operatorAccess }),
    async start() {
      await housekeeper.start();
      await dispatcher.start();
      clerk.start();
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await http.close();
      await dispatcher.stop();
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
  openSession(): Promise<Session | undefined>;
  close(): Promise<void>;
}> {
  const clock = systemClock;
  const store = await openStore(config, { clock, exclusive: false });
  const formatTime = zonedTimeFormatter(config.timeZone);
  const audit = createAudit({ store, clock, formatTime });
  const operator = createOperator({ store, clock, applyChaos: () => {} });
  return {
    operator: auditedOperator(operator, audit, 'cli'),
    registry: auditedRegistry(createRegistry({ store }), audit, 'cli'),
    openSession: () => openSession({ ...config, store, clock, random: systemRandomness() }),
    close: () => store.close(),
  };
}

function simulatorsOf(config: Config, clock: Clock, random: Randomness): Simulator[] {
  const simulators = config.carriers.map(
    ({ name, latency }) => new Simulator(name, latency ?? config.simulatorLatency, clock, random),
  );
  const isMissing = !simulators.some(({ name }) => name === SANDBOX_CARRIER);
  if (config.mode === 'sandbox' && isMissing) {
    simulators.push(new Simulator(SANDBOX_CARRIER, config.simulatorLatency, clock, random));
  }
  return simulators;
}

function routeOf(config: Config): Route {
  const rules: RouteRule[] = config.routes.map(({ channel, prefix, via }) => ({
    channel: channel as Channel,
    prefixes: prefix,
    via,
  }));
  const otherwise = config.mode === 'sandbox' ? SANDBOX_CARRIER : UNROUTED;
  return (_account, channel, to) => chooseCarrier(rules, channel, to, otherwise);
}
