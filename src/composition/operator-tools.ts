/**
 * What commands of an operator need of the gateway, beside a running server or without one. It loads no more than that, so
 * that a command starts quickly.
 */
import { hostname } from 'node:os';
import { createFiles } from '../accept/files.ts';
import { createFormList } from '../accept/forms.ts';
import { createObjections } from '../accept/network-objections.ts';
import { createOptOuts } from '../accept/opt-outs.ts';
import { createRegistry } from '../accept/registry.ts';
import { createReservationBook } from '../accept/reservation-book.ts';
import type { Config } from '../config/config.ts';
import { PUBLISH_INTERVAL_MS } from '../deliver/carrier-publisher.ts';
import type { FileKey } from '../domain/ids.ts';
import type { Problem } from '../domain/request/problem.ts';
import { closeSession, type IssuedLink, openLink, openSession, type Session } from '../operate/access.ts';
import {
  type AccountChange,
  type Accounts,
  type AccountUsageView,
  createAccounts,
  type DeletedAccount,
  type Used,
} from '../operate/accounts.ts';
import { createAudit } from '../operate/audit.ts';
import { auditHandlers } from '../operate/audit-log.ts';
import {
  auditedAccounts,
  auditedInbound,
  auditedPrivacy,
  auditedReservations,
} from '../operate/audited-tools.ts';
import { createCarriers } from '../operate/carriers.ts';
import { createDoctor } from '../operate/doctor.ts';
import { createInboundDesk, type InboundDesk } from '../operate/inbound.ts';
import { createSightOf } from '../operate/masking.ts';
import {
  createMessages,
  type Filters,
  type MessageDetail,
  type MessagePage,
  type Messages,
} from '../operate/messages.ts';
import { createNodes } from '../operate/nodes.ts';
import { createOperators } from '../operate/operators.ts';
import { optOutHandlers } from '../operate/opt-outs.ts';
import { type Handlers, operationAt, perform } from '../operate/perform.ts';
import { createPrivacy, type Privacy, type Subject } from '../operate/privacy.ts';
import { createQueue } from '../operate/queue.ts';
import { registryHandlers } from '../operate/registry.ts';
import {
  createOperatorReservations,
  type OperatorReservation,
  type OperatorReservations,
  type ReservationFilters,
  type ReservationPage,
} from '../operate/reservations.ts';
import { createWebhooks } from '../operate/webhooks.ts';
import type { Asked, Told } from '../operations/operation.ts';
import type { Operations, StoreOperations } from '../operations/operations.ts';
import type { Sight } from '../operations/shapes.ts';
import { systemClock } from '../platform/clock.ts';
import { ClusterClock } from '../platform/cluster-clock.ts';
import { Pieces } from '../platform/pieces.ts';
import { systemRandomness } from '../platform/randomness.ts';
import { zonedTimeFormatter, zonedTimeParser } from '../platform/zoned-time.ts';
import { createReports } from '../report/reports.ts';
import { otherwiseRunning } from './configuration-drift.ts';
import { accountHints, networkConfigOf, networkOf, settingsOf } from './configured-network.ts';
import { simulateInStore } from './inbound.ts';
import { maskingOf } from './masking.ts';
import { openStore } from './open-store.ts';
import { surroundingsOf } from './surroundings.ts';
import { systemUser } from './system-user.ts';
import { openBlobs } from './uploaded-files.ts';
import { openWebhookCalls } from './webhook-calls.ts';

export { StoreFault } from '../store/store-fault.ts';
export type {
  AccountChange,
  Accounts,
  AccountUsageView,
  DeletedAccount,
  Filters,
  InboundDesk,
  MessageDetail,
  MessagePage,
  OperatorReservation,
  Privacy,
  ReservationFilters,
  ReservationPage,
  Subject,
  Used,
};

export interface OperatorTools {
  /** Carries out a declared operation, if it is one of `StoreOperations`. */
  perform<A extends keyof Operations>(
    address: A,
    asked: Asked<Operations[A]>,
  ): Promise<Told<Operations[A]> | Problem>;
  accounts: Accounts;
  messages: Messages;
  /** Whoever may open the store is an admin. */
  sight: Sight;
  privacy: Privacy;
  /** Where the gateway of this configuration is reached. */
  gatewayUrl: string;
  inboundDesk: InboundDesk;
  reservations: OperatorReservations;
  openSession(): Promise<Session | undefined>;
  closeSession(session: Session): Promise<void>;
  /** Undefined if there is no admin token. */
  openLink(): Promise<IssuedLink | undefined>;
  close(): Promise<void>;
}

/** `mustExist`: the commands that make the first account or operator make the database, too; others fail without one. */
export async function openOperator(config: Config, mustExist: boolean): Promise<OperatorTools> {
  const { inquiryWindowMs, tokensPerAccount } = config;
  const clock = new ClusterClock(systemClock);
  const synchronize = clock.synchronize.bind(clock);
  const store = await openStore(config, { clock, synchronize, exclusive: false, mustExist });
  const formatTime = zonedTimeFormatter(config.timeZone);
  const author = systemUser();
  const audit = createAudit({ store, clock, formatTime });
  const me = { who: 'cli', name: author, operatorId: undefined } as const;
  const record = audit.recordBy(me);
  const published = await store.carriers.reports(clock.now() - 3 * PUBLISH_INTERVAL_MS);
  const paused = await store.carriers.paused();
  const down = published
    .filter(({ report }) => /"state":"(down|connecting)"/.test(report))
    .map(({ carrier }) => carrier);
  const network = networkOf(networkConfigOf(config), name => !down.includes(name) && !paused.includes(name));
  const random = systemRandomness();
  const adminToken = config.secrets.adminToken?.reveal();
  const removeFile = async (fileKey: FileKey) => {
    const bytes = await openBlobs(config, store);
    try {
      const events = { fileStored() {}, filesForgotten() {}, failed() {} };
      const { fileLifetimeMs } = config;
      const files = createFiles({
        ...{ store, blobs: bytes.blobs, clock, random, events, fileLifetimeMs },
        roomProblem: () => undefined,
      });
      return await files.remove(fileKey);
    } finally {
      await bytes.close();
    }
  };
  const { secrets, callWebhook, close: closeCalls } = openWebhookCalls(config, { store, clock, random });
  const webhooks = createWebhooks({
    store,
    clock,
    formatTime,
    secrets,
    callWebhook,
    // The nodes look every second.
    hurry: () => {},
  });
  const sight = createSightOf(maskingOf(config))('admin');
  const pieces = new Pieces();
  const book = createReservationBook({
    ...{ store, clock, formatTime },
    parseTime: zonedTimeParser(config.timeZone),
    leadMs: config.reservationLeadMs,
  });
  const nodes = createNodes({ store, clock, formatTime });
  const carriers = createCarriers({
    store,
    clock,
    formatTime,
    configured: () => [...settingsOf(networkConfigOf(config)), ...config.unread],
    hints: () => accountHints(settingsOf(networkConfigOf(config))),
    network: () => network,
    async probe(name) {
      const { probeCarrier } = await import('./carrier-probe.ts');
      return probeCarrier(config, name);
    },
    refresh: async () => {},
  });
  const doctor = createDoctor({
    ...{ store, clock, formatTime, nodes, carriers, webhooks },
    forms: createFormList({ store }),
    objections: createObjections({ store, clock, publicUrl: config.publicUrl }),
    surroundings: surroundingsOf(
      () => config,
      async () => otherwiseRunning(config, await store.nodes.known()),
    ),
    depth: 'thorough',
  });
  const gatewayUrl = config.publicUrl?.replace(/\/+$/, '') ?? `http://127.0.0.1:${config.port}`;
  const handlers: Handlers<StoreOperations> = {
    ...createOperators({ store, clock, random, formatTime }),
    ...registryHandlers({ registry: createRegistry({ store, clock }) }),
    ...optOutHandlers({ optOuts: createOptOuts({ store, clock, pieces, note: () => {} }), formatTime }),
    ...carriers,
    ...webhooks,
    ...createQueue({ store, formatTime }),
    'GET /doctor': async () => ({ findings: await doctor() }),
    ...nodes,
    ...auditHandlers(audit),
  };
  return {
    async perform(address, given) {
      const asked = { path: given, query: given, body: given };
      const caller = {
        ...me,
        by: author,
        gatewayUrl,
        role: 'admin',
        sight,
        record: audit.writerOf(me),
      } as const;
      return (await perform(
        await operationAt(address),
        handlers[address as keyof StoreOperations],
        asked,
        caller,
      )) as never;
    },
    accounts: auditedAccounts(
      createAccounts({
        ...{ store, clock, formatTime, tokensPerAccount, inquiryWindowMs },
        callsPrivate: config.webhookPrivate === 'allow',
      }),
      record,
    ),
    messages: createMessages({
      store,
      reports: createReports({
        ...config,
        store,
        clock,
        random,
        formatTime,
        events: { reportsFetched() {} },
      }),
      formatTime,
      formatMoment: zonedTimeFormatter(config.timeZone, 'milliseconds'),
      pieces,
    }),
    sight,
    privacy: auditedPrivacy(createPrivacy({ store, clock, random, formatTime, removeFile }), record),
    async openSession() {
      const visitor = { address: hostname(), agent: 'bongsu' };
      const session = await openSession({ store, clock, random, adminToken }, visitor);
      if (session) await record('session.open', hostname(), 'store');
      return session;
    },
    async closeSession({ id }) {
      await closeSession({ store }, id);
      await record('session.close', hostname());
    },
    async openLink() {
      const visitor = { address: hostname(), agent: undefined };
      const link = await openLink({ store, clock, random, adminToken }, visitor);
      if (link) await record('session.link', hostname(), formatTime(link.expiresAt));
      return link;
    },
    gatewayUrl,
    inboundDesk: auditedInbound(
      createInboundDesk({
        ...{ store, formatTime },
        simulate: message => simulateInStore(config, { store, clock, random }, message),
        // The nodes look by the clock.
        onAssigned: () => {},
      }),
      record,
    ),
    reservations: auditedReservations(createOperatorReservations({ book, formatTime }), record),
    async close() {
      await closeCalls();
      await store.close();
    },
  };
}
