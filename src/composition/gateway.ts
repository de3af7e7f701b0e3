/**
 * The composition root: puts the rooms together and knows the order in which they start and close. Each room has a file
 * beside this one that makes its parts and gives every one exactly what it needs, by name.
 */
import type { FastifyInstance } from 'fastify';
import { createFiles } from '../accept/files.ts';
import { createObjections } from '../accept/network-objections.ts';
import { createOptOutLists } from '../accept/opt-out-lists.ts';
import { createCarrier } from '../carriers/create-carrier.ts';
import type { Config } from '../config/config.ts';
import { BASE32 } from '../domain/ids.ts';
import { createAnswerReport } from '../http/contract/answer-report.ts';
import { createCallers } from '../http/contract/caller.ts';
import { createExplainFailure } from '../http/failure.ts';
import type { Front } from '../http/front/front-server.ts';
import { createObserve } from '../http/measured.ts';
import { createHttpServer } from '../http/server.ts';
import { createLiveRelay } from '../observe/live-relay.ts';
import { createMetrics } from '../observe/metrics.ts';
import { createNoteLoad } from '../observe/thread-loads.ts';
import type { Accounts } from '../operate/accounts.ts';
import { createFailures } from '../operate/failures.ts';
import type { FirstStart } from '../operate/first-start.ts';
import { createSightOf } from '../operate/masking.ts';
import { createOperatorReservations } from '../operate/reservations.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { ClusterClock } from '../platform/cluster-clock.ts';
import { descriptorLimit } from '../platform/descriptor-limit.ts';
import type { ReadDisk } from '../platform/disk.ts';
import { createLogger, type Logger, loggedMessage } from '../platform/logger.ts';
import { watchLoop } from '../platform/loop-watch.ts';
import { Pieces } from '../platform/pieces.ts';
import { permissionsForOthers } from '../platform/private-files.ts';
import { type Randomness, systemRandomness } from '../platform/randomness.ts';
import { ThreadBell } from '../platform/thread-bell.ts';
import { BEHIND_OWN_THREAD, createIsProxy } from '../platform/trusted-proxies.ts';
import { readVersion } from '../platform/version.ts';
import { calendarOf, zonedTimeFormatter } from '../platform/zoned-time.ts';
import { createOwnStatistics } from '../report/own-statistics.ts';
import type { DurabilityRisk, Store } from '../store/store.ts';
import { READ_TABLES } from '../store/unreadable.ts';
import { composeAccepting } from './accepting.ts';
import { configuredCertificate, noteCertificate } from './certificate.ts';
import { changesSince } from './configuration-drift.ts';
import { networkConfigOf } from './configured-network.ts';
import { connectionBudget } from './connection-budget.ts';
import { composeDelivery } from './delivery.ts';
import { composeDisk } from './disk.ts';
import { assertDurability } from './durability.ts';
import { type EngineSocket, listenOnEngineSocket } from './engine-socket.ts';
import { type HttpThreads, listenInThreads } from './http-threads.ts';
import { composeInbound } from './inbound.ts';
import { composeLimits } from './limits.ts';
import { createMaintenance } from './maintenance.ts';
import { maskingOf } from './masking.ts';
import { nodeProfileOf, startLineOf } from './node-profile.ts';
import { composeObserving } from './observing.ts';
import { openStore } from './open-store.ts';
import { composeOperating } from './operating.ts';
import { composeReporting } from './reporting.ts';
import { assertCarriers, type CreateCarrier } from './running-network.ts';
import { httpThreadsOf, type SpawnedHttpThread, spawnHttpThreads } from './spawned-http-thread.ts';
import { createStopTogether } from './stop-steps.ts';
import { surroundingsOf } from './surroundings.ts';
import { fileReader, openBlobs } from './uploaded-files.ts';

export type { FirstStart };

/** Beyond what carriers and requests may take, for what they are followed by. */
const MARGIN_MS = 1_000;
/** All of it together is less than the ten seconds that a service manager is told to add (docs/operations.md). */
const LAST_WRITES_MS = 4_000;
const CLOSE_MS = 1_500;

export interface Gateway {
  /** The server of this thread. Threads that speak HTTP answer sends themselves and hand everything else on to it. */
  readonly http: FastifyInstance;
  readonly accounts: Accounts;
  readonly store: Store;
  readonly log: Logger;
  /** Makes the demo account and the admin token of the sandbox, if they are not there yet. */
  prepareSandbox(): Promise<FirstStart>;
  /** Begins to send. */
  start(): Promise<void>;
  /** Begins to take requests, in threads of their own if so configured; resolves to the address. */
  listen(where: { readonly host: string; readonly port: number }): Promise<string>;
  /** Changes to other carriers and routes without dropping traffic, and reads the certificate again. */
  reload(config: Config): Promise<void>;
  /** Stops accepting, waits for calls and sends under way, closes everything. */
  close(): Promise<void>;
}

export interface GatewayOptions {
  readonly clock?: Clock;
  readonly random?: Randomness;
  readonly log?: Logger;
  /** What a reload would read; `doctor` compares it with what runs. */
  readonly readConfig?: () => Config;
  /** For tests: what the clock of PostgreSQL says. */
  readonly databaseTime?: () => number;
  /** For tests that play the other side of a carrier. */
  readonly createCarrier?: CreateCarrier;
  /** For tests whose disk is nearly full. */
  readonly readDisk?: ReadDisk;
  /** Those that `spawnHttpThreads` made of the same configuration. Without them the gateway makes its own when it listens. */
  readonly httpThreads?: readonly SpawnedHttpThread[];
}

export async function openGateway(config: Config, options: GatewayOptions = {}): Promise<Gateway> {
  // Before anything is opened: it throws where something is wrong.
  assertCarriers(config);
  const certificate = configuredCertificate(config);
  /** With the carriers and routes that were read last. */
  let current = config;
  const clock = new ClusterClock(options.clock ?? systemClock);
  const random = options.random ?? systemRandomness();
  const node = `node-${random.characters(10, BASE32)}`;
  const about = nodeProfileOf(config, clock.now());
  const log = (options.log ?? createLogger(config.logLevel)).child({ node: about.name ?? node });
  const metrics = createMetrics();
  // As for the counters that begin in createMetrics: an alert sees only growth.
  for (const table of READ_TABLES) metrics.unreadableRows.inc({ table }, 0);
  let lastCommitAt = clock.monotonic();
  let durabilityRisks: readonly DurabilityRisk[] = [];
  const bell = new ThreadBell();
  const threads = httpThreadsOf(config);
  const store = await openStore(config, {
    clock,
    synchronize: time => clock.synchronize(time),
    databaseTime: options.databaseTime,
    exclusive: true,
    ...(threads > 0 && { isAskedFor: () => bell.isRinging }),
    onCommit: tasks => {
      lastCommitAt = clock.monotonic();
      metrics.commitBatch.observe(tasks);
    },
    onCheckpointTrouble:
      threads > 0
        ? error => log.warn({ event: 'checkpointFailed', reason: loggedMessage(error) })
        : undefined,
    onProgress: text => log.info({ event: 'migrating', text }),
    onUnreadable: row => {
      metrics.unreadableRows.inc({ table: row.table });
      log.error({ event: 'unreadableRow', ...row });
    },
    onNoRowSecurity: reason => log.warn({ event: 'noRowSecurity', reason }),
    onDurability: found => {
      assertDurability(config, found);
      durabilityRisks = found.risks;
    },
  });
  warnOfOpenDirectory(config.dataDir, log);
  warnOfUnnamedProxies(config, log);
  try {
    await assertMode(store, config.mode);
    clock.startAfter(await store.rollups.countedUntil());
  } catch (error) {
    await store.close();
    throw error;
  }
  const bytes = await openBlobs(config, store);

  const formatTime = zonedTimeFormatter(config.timeZone);
  const calendar = calendarOf(config.timeZone);
  const deadlines = {
    textMs: config.deadlineTextMs,
    mmsMs: config.deadlineMmsMs,
    messengerMs: config.deadlineMessengerMs,
  };
  const queueDepth = () => delivery.queueMeter.depth;
  const observing = composeObserving({
    store,
    clock,
    log,
    metrics,
    formatTime,
    calendar,
    node,
    queueDepth,
  });
  const { events, statistics, liveFeed, searchIndexer, rollupCounter, carrierSums } = observing;
  const isShared = config.secrets.databaseUrl !== undefined;
  const limits = composeLimits({ isShared, store, clock, events });
  const { limiter, guesses } = limits;
  const pieces = new Pieces();
  const reporting = composeReporting(config, {
    store,
    clock,
    random,
    events,
    metrics,
    formatTime,
    pieces,
    node,
    isDraining: () => delivery.cluster.isDraining,
  });
  const { reports, pusher, webhookCalls } = reporting;
  const { fileLifetimeMs } = config;
  const disk = composeDisk(config, { clock, log, metrics, events, read: options.readDisk });
  const files = createFiles({
    ...{ store, blobs: bytes.blobs, clock, random, events, fileLifetimeMs },
    roomProblem: disk.uploadProblem,
  });
  const objections = createObjections({ store, clock, publicUrl: config.publicUrl });
  const carrierDeps = {
    clock,
    random,
    simulatorLatency: config.simulatorLatency,
    formatTime,
    publicUrl: config.publicUrl,
    readFile: fileReader(files),
    objects: objections,
  };
  const optOutLists = createOptOutLists({ store, clock, events });
  const delivery = composeDelivery({
    networkConfig: networkConfigOf(config),
    createCarrier: options.createCarrier ?? (settings => createCarrier(settings, carrierDeps)),
    store,
    clock,
    random,
    events,
    metrics,
    carrierSums,
    formatTime,
    deadlines,
    shutdownTimeoutMs: config.shutdownTimeoutMs,
    isOptedOut: optOutLists.isOptedOut,
    node,
    about: () => ({ ...about, isWatched: liveFeed.hasWatchers }),
    inbound: {
      receive: (carrier, messages) => inbound.receive(carrier, messages),
      confirm: names => inbound.confirm(names),
    },
    onReports: records => pusher.noticed(records),
    clockSetBack: () => {
      searchIndexer.clockSetBack();
      rollupCounter.clockSetBack();
      pusher.clockSetBack();
    },
  });
  const { network, dispatcher, carrierPublisher, scheduledWork, queueMeter, route } = delivery;
  const accepting = composeAccepting(config, {
    store,
    clock,
    random,
    limiter,
    guesses,
    events,
    files,
    pieces,
    route,
    deadlines,
    optOutLists,
    settle: delivery.settle,
    dispatch: dispatcher,
    queueDepth,
    nodes: () => delivery.cluster.size,
    node,
    isDraining: () => delivery.cluster.isDraining,
    onReports: records => pusher.noticed(records),
    roomProblem: disk.reservationProblem,
  });
  const { access, send, forms, registry, optOuts, reservations, reservationReleaser } = accepting;
  const inbound = composeInbound({
    ...{ store, clock, random, events },
    send: () => send,
    optOut: optOuts.byKeyword,
    onReceived: messages => pusher.noticed(messages),
  });
  const operating = composeOperating(config, {
    store,
    clock,
    random,
    limiter,
    events,
    metrics,
    formatTime,
    deadlines,
    files,
    pieces,
    objections,
    accepting,
    delivery,
    reporting,
    lastCommitAt: () => lastCommitAt,
    durabilityRisks,
    surroundings: surroundingsOf(
      () => current,
      async () => (options.readConfig ? changesSince(current, options.readConfig) : []),
    ),
    disk: disk.watch,
    about: { node: about.name ?? node, version: readVersion() },
  });
  const liveRelay = createLiveRelay({
    ...{ store, clock, events, liveFeed, node },
    isWatchedElsewhere: () => delivery.cluster.isWatchedElsewhere,
    isAlone: () => delivery.cluster.size === 1,
  });
  const { accounts, healthWatch, retention } = operating;
  const budget = connectionBudget(descriptorLimit(), threads, config.maxConnections);
  const proxies = { hops: config.proxyHops, networks: config.trustedProxies };
  const isProxy = createIsProxy(proxies);
  const noteLoad = createNoteLoad(metrics);
  let loopWatch: { stop(): void } | undefined;
  let isBehindThreads = false;
  let httpThreads: HttpThreads | undefined;
  let front: Front | undefined;
  let engineSocket: EngineSocket | undefined;
  const maintenance = createMaintenance(config);
  const { http, createFront } = createHttpServer({
    access,
    send,
    reports,
    inboundMessages: reporting.inboundMessages,
    forms,
    reservations,
    files,
    registry,
    optOuts,
    optOutToken: config.secrets.optOutToken?.reveal(),
    webhooks: operating.webhooks,
    accounts,
    queue: operating.queue,
    chaos: operating.chaos,
    carriers: operating.carriers,
    operatorAccess: operating.operatorAccess,
    messages: operating.messages,
    resending: operating.resending,
    messageOrders: operating.messageOrders,
    cancelling: delivery.cancelling,
    settleByHand: delivery.settleByHand,
    ownMessages: reporting.ownMessages,
    ownStatistics: createOwnStatistics({
      ...{ store, clock, formatTime, calendar },
      countedUntil: () => rollupCounter.countedUntil(),
    }),
    failures: createFailures({
      ...{ store, clock, formatTime, calendar },
      countedUntil: () => rollupCounter.countedUntil(),
    }),
    sightOf: createSightOf(maskingOf(config)),
    compose: operating.compose,
    audit: operating.audit,
    operators: operating.operators,
    nodes: operating.nodes,
    inboundDesk: operating.inboundDesk,
    operatorReservations: createOperatorReservations({ book: reservations, formatTime }),
    privacy: operating.privacy,
    maintenance,
    templates: operating.templates,
    statistics,
    traffic: observing.traffic,
    liveFeed,
    random,
    mode: config.mode,
    timeZone: config.timeZone,
    limiter,
    events,
    metrics,
    clock,
    formatTime,
    headerPrefixes: config.headerPrefixes,
    isProxy: (address, hop) => (isBehindThreads ? BEHIND_OWN_THREAD : isProxy)(address, hop),
    publicUrl: config.publicUrl,
    maxConnections: budget.maxConnections,
    requestTimeoutMs: config.requestTimeoutMs,
    shutdownTimeoutMs: config.shutdownTimeoutMs,
    readiness: operating.readiness,
    doctor: operating.doctor,
    callbackReceiver: name => network.callbackReceiver(name),
  });

  // In real time, because it is about real work.
  const stopTogether = createStopTogether({ clock: systemClock, log });
  const logStarted = () => log.info(startLineOf(config, { ...network.profile(() => true), ...about }));
  let isClosed = false;
  return {
    http,
    accounts,
    store,
    log,
    prepareSandbox: () => operating.prepareSandbox(),
    async start() {
      loopWatch = watchLoop((lagSeconds, busySeconds) => noteLoad('engine', lagSeconds, busySeconds));
      await optOutLists.start();
      await scheduledWork.start();
      limits.start();
      liveRelay.start();
      queueMeter.start();
      retention.start();
      inbound.start();
      await dispatcher.start(network.carriers);
      await carrierPublisher.start();
      reservationReleaser.start();
      healthWatch.start();
      await pusher.start();
      searchIndexer.start();
      rollupCounter.start();
      carrierSums.start();
      statistics.start();
      bytes.check().catch((error: Error) => {
        const text = `Uploaded files cannot be stored or read: ${error.message}`;
        log.warn({ event: 'filesUnavailable', text });
      });
    },
    async listen({ host, port }) {
      const { requestTimeoutMs, shutdownTimeoutMs, headerPrefixes } = config;
      const scheme = certificate ? 'https' : 'http';
      if (certificate) noteCertificate(certificate, { clock, log, metrics });
      const ownDirectory = isShared ? undefined : config.dataDir;
      const urlOf = (found: number) => `${scheme}://${host.includes(':') ? `[${host}]` : host}:${found}`;
      if (threads === 0) {
        // Not in the data directory, where commands look for it: a peer on it has no address, and no thread says who is behind it.
        engineSocket = await listenOnEngineSocket(http, undefined, log);
        front = createFront(certificate);
        const { port: found } = await front.listen({ host, port });
        logStarted();
        return urlOf(found);
      }
      const desk = {
        access,
        callers: createCallers(access, limiter),
        answerReport: createAnswerReport(reports),
        send,
        reservations,
        formatTime,
        events,
        observe: createObserve(metrics.requests),
        connectionsClosed: (count: number) => metrics.connectionsClosed.inc(count),
        noteLoad,
        explainFailure: createExplainFailure(events),
      };
      // Before the first of them listens.
      isBehindThreads = true;
      httpThreads = await listenInThreads(
        options.httpThreads ?? spawnHttpThreads(config),
        {
          ...{ host, port, ...budget, requestTimeoutMs, shutdownTimeoutMs },
          ...{ proxies, headerPrefixes, certificate },
          ownDirectory,
        },
        { http, desk, log, bell },
      );
      logStarted();
      return urlOf(httpThreads.port);
    },
    async reload(next) {
      assertCarriers(next);
      const renewed = configuredCertificate(next);
      if (renewed) {
        noteCertificate(renewed, { clock, log, metrics });
        front?.renew(renewed);
        httpThreads?.renew(renewed);
      }
      const changes = await network.reload(networkConfigOf(next), dispatcher);
      if (isClosed) throw new Error('the gateway stopped before all carriers were changed');
      current = next;
      dispatcher.reconnect();
      events.reloaded(changes.added, changes.removed);
    },
    // Carriers end what is in progress beside HTTP: no peer of one holds up the other. What writes down their last answers
    // follows, and the store closes last, whatever failed before.
    async close() {
      if (isClosed) return;
      isClosed = true;
      loopWatch?.stop();
      await stopTogether(config.shutdownTimeoutMs + MARGIN_MS, {
        'long work': () => maintenance.stop(),
        carriers: () => dispatcher.stop(),
        reservations: () => reservationReleaser.stop(),
        webhooks: () => pusher.stop(),
        HTTP: async () => {
          const drained = httpThreads?.close();
          // Threads wait for what they passed on, and live streams end only when they are told to.
          liveFeed.close();
          await drained;
          // The framework would cut off answers that are not read yet.
          await front?.close();
          await http.close();
          engineSocket?.remove();
        },
        'live events of other nodes': () => liveRelay.stop(),
        'health watch': () => healthWatch.stop(),
        'search index': () => searchIndexer.stop(),
        'sums of traffic': () => rollupCounter.stop(),
        retention: () => retention.stop(),
      });
      send.stop();
      await stopTogether(LAST_WRITES_MS, {
        'state of carriers': () => carrierPublisher.stop(),
        inbound: () => inbound.stop(),
        'webhook calls': () => webhookCalls.close(),
        'sums of carriers': () => carrierSums.stop(),
        statistics: () => statistics.stop(),
        'scheduled work': () => scheduledWork.stop(),
        'queue depth': () => queueMeter.stop(),
        limits: () => limits.stop(),
        'opt-out lists': () => optOutLists.stop(),
      });
      await stopTogether(CLOSE_MS, { files: () => bytes.close() });
      await stopTogether(CLOSE_MS, { store: () => store.close() });
    },
  };
}

/** Messages of a sandbox are simulated, those of production are real: one store must not hold both. */
async function assertMode(store: Store, mode: string): Promise<void> {
  const kept = await store.accounts.remember('mode', mode);
  if (kept === mode) return;
  throw new Error(
    `this store belongs to a gateway in ${kept} mode, and this one runs in ${mode} mode: give it a store of its own`,
  );
}

/** Anybody in a private network who reaches the port can then claim any address. */
function warnOfUnnamedProxies({ mode, proxyHops, trustedProxies }: Config, log: Logger): void {
  if (mode !== 'production' || proxyHops === 0 || trustedProxies) return;
  const text =
    'X-Forwarded-For is trusted on every connection from a private address. Name your proxies in BONGSU_TRUSTED_PROXIES';
  log.warn({ event: 'proxiesNotNamed', text });
}

/** Uploads and the key of webhook secrets are there with either engine. Its owner may have reasons, so it stays as it is. */
function warnOfOpenDirectory(dataDir: string, log: Logger): void {
  const permissions = permissionsForOthers(dataDir);
  if (permissions === undefined) return;
  const text = `Other users of this machine can read the data directory: run chmod 700 ${dataDir}`;
  log.warn({ event: 'dataDirectoryOpen', dataDir, permissions, text });
}
