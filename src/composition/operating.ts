/** Puts operate/ together: the operator's side of the gateway, its health, and how long things are kept. */
import type { Files } from '../accept/files.ts';
import { createKnownAddresses } from '../accept/known-addresses.ts';
import type { FindObjections } from '../accept/network-objections.ts';
import type { Config } from '../config/config.ts';
import type { DeadlineSettings } from '../domain/delivery/deadlines.ts';
import { type Background, backgroundTask } from '../observe/background.ts';
import type { Events } from '../observe/events.ts';
import type { Metrics } from '../observe/metrics.ts';
import { createOperatorAccess, type OperatorAccess } from '../operate/access.ts';
import { type Accounts, createAccounts } from '../operate/accounts.ts';
import { type Audit, createAudit } from '../operate/audit.ts';
import { type Carriers, createCarriers } from '../operate/carriers.ts';
import { type ChaosControl, createChaosControl } from '../operate/chaos.ts';
import { type Compose, createCompose } from '../operate/compose.ts';
import type { DiskWatch } from '../operate/disk-watch.ts';
import { createDoctor, type Doctor } from '../operate/doctor.ts';
import type { Surroundings } from '../operate/doctor-checks.ts';
import { createDurabilityWatch } from '../operate/durability-watch.ts';
import { type FirstStart, prepareSandbox } from '../operate/first-start.ts';
import { createInboundDesk, type InboundDesk } from '../operate/inbound.ts';
import { createMessageOrders, type MessageOrders } from '../operate/message-order.ts';
import { createMessages, type Messages } from '../operate/messages.ts';
import { createNodes, type Nodes } from '../operate/nodes.ts';
import { createOperators, type Operators } from '../operate/operators.ts';
import { createPrivacy, type Privacy } from '../operate/privacy.ts';
import { createQueue, type Queue } from '../operate/queue.ts';
import { createReadiness, type Readiness } from '../operate/readiness.ts';
import { createResending, type Resending } from '../operate/resend.ts';
import { createRetention, type Retention } from '../operate/retention.ts';
import { createTemplates, type Templates } from '../operate/templates.ts';
import { createWebhooks, type Webhooks } from '../operate/webhooks.ts';
import type { ClusterClock } from '../platform/cluster-clock.ts';
import type { Limiter } from '../platform/limiter.ts';
import type { Pieces } from '../platform/pieces.ts';
import type { Randomness } from '../platform/randomness.ts';
import { type FormatTime, zonedTimeFormatter } from '../platform/zoned-time.ts';
import type { DurabilityRisk, Store } from '../store/store.ts';
import type { Accepting } from './accepting.ts';
import { accountHints } from './configured-network.ts';
import type { Delivery } from './delivery.ts';
import { isDurabilityRequired } from './durability.ts';
import type { Reporting } from './reporting.ts';

/** From which operators have come: all of them together, so one for each. */
const ADDRESSES_OF_OPERATORS = 1000;

export interface Operating {
  readonly operatorAccess: OperatorAccess;
  readonly accounts: Accounts;
  readonly messages: Messages;
  readonly resending: Resending;
  readonly messageOrders: MessageOrders;
  readonly compose: Compose;
  readonly queue: Queue;
  readonly carriers: Carriers;
  readonly webhooks: Webhooks;
  readonly chaos: ChaosControl;
  readonly audit: Audit;
  readonly operators: Operators;
  readonly nodes: Nodes;
  readonly inboundDesk: InboundDesk;
  readonly privacy: Privacy;
  readonly templates: Templates;
  readonly readiness: Readiness;
  readonly doctor: Doctor;
  /** Keeps the metrics of health up to date. */
  readonly healthWatch: Background;
  readonly retention: Retention;
  /** Makes the demo account and the admin token of the sandbox, if they are not there yet. */
  prepareSandbox(): Promise<FirstStart>;
}

export function composeOperating(
  config: Pick<
    Config,
    | 'databaseDurability'
    | 'inquiryWindowMs'
    | 'mode'
    | 'reportRetentionMs'
    | 'secrets'
    | 'textRetentionMs'
    | 'timeZone'
    | 'tokensPerAccount'
    | 'webhookPrivate'
  >,
  deps: {
    readonly store: Store;
    readonly clock: ClusterClock;
    readonly random: Randomness;
    readonly limiter: Limiter;
    readonly events: Events;
    readonly metrics: Metrics;
    readonly formatTime: FormatTime;
    readonly deadlines: DeadlineSettings;
    readonly files: Files;
    readonly objections: FindObjections;
    readonly pieces: Pieces;
    readonly accepting: Accepting;
    readonly delivery: Delivery;
    readonly reporting: Reporting;
    /** When the store last committed, by the monotonic clock. */
    readonly lastCommitAt: () => number;
    /** What was found when the store was opened. */
    readonly durabilityRisks: readonly DurabilityRisk[];
    readonly surroundings: Surroundings;
    readonly disk: DiskWatch;
    readonly about: { readonly node: string; readonly version: string };
  },
): Operating {
  const { store, clock, random, limiter, events, metrics, formatTime, deadlines, files } = deps;
  const { inquiryWindowMs, reportRetentionMs, textRetentionMs, tokensPerAccount } = config;
  const { send, forms, registry } = deps.accepting;
  const { network, dispatcher, queueMeter, cluster } = deps.delivery;
  const { reports, pusher, webhookCalls } = deps.reporting;
  const adminToken = config.secrets.adminToken?.reveal();
  const demoAccount = config.secrets.demoAccount?.reveal();

  const operatorAccess = createOperatorAccess({
    store,
    clock,
    random,
    limiter,
    events,
    addresses: createKnownAddresses({ store, clock, events, keptPerOwner: ADDRESSES_OF_OPERATORS }),
    adminToken,
  });
  const accounts = createAccounts({
    ...{ store, clock, formatTime, tokensPerAccount, inquiryWindowMs },
    callsPrivate: config.webhookPrivate === 'allow',
  });
  if (deps.durabilityRisks.length > 0) events.durabilityChanged(deps.durabilityRisks);
  const durability = createDurabilityWatch({
    store,
    clock,
    isRequired: isDurabilityRequired(config),
    onChange: risks => events.durabilityChanged(risks),
    found: deps.durabilityRisks,
  });
  const readiness = createReadiness({
    store,
    durability,
    disk: deps.disk,
    clock,
    events,
    metrics,
    formatTime,
    lanes: () => dispatcher.health(),
    isDraining: () => cluster.isDraining,
    wrongClock: () => cluster.wrongClock,
    about: deps.about,
    inFlight: () => dispatcher.inFlight,
    queue: () => queueMeter.depth,
    lastCommitAt: deps.lastCommitAt,
  });
  const carriers = createCarriers({
    store,
    clock,
    formatTime,
    configured: () => network.configured(),
    hints: () => accountHints(network.configured()),
    network: () => network.current,
    probe: name => dispatcher.test(name),
    refresh: () => dispatcher.refreshOrders(),
  });
  const nodes = createNodes({ store, clock, formatTime });
  const webhooks = createWebhooks({
    store,
    clock,
    formatTime,
    secrets: webhookCalls.secrets,
    callWebhook: webhookCalls.callWebhook,
    hurry: account => pusher.hurry(account),
  });
  return {
    operatorAccess,
    accounts,
    messages: createMessages({
      store,
      reports,
      formatTime,
      formatMoment: zonedTimeFormatter(config.timeZone, 'milliseconds'),
      pieces: deps.pieces,
    }),
    resending: createResending({ store, send, clock }),
    messageOrders: createMessageOrders({ store }),
    compose: createCompose({
      ...{ send, forms, store, completeFlow: registry.completeFlow },
      objections: deps.objections,
    }),
    queue: createQueue({ store, formatTime }),
    carriers,
    webhooks,
    chaos: createChaosControl(chaos => network.applyChaos(chaos)),
    audit: createAudit({ store, clock, formatTime }),
    operators: createOperators({ store, clock, random, formatTime }),
    nodes,
    inboundDesk: createInboundDesk({
      ...{ store, formatTime },
      simulate: async message => network.simulator()?.say(message),
      onAssigned: messages => pusher.noticed(messages),
    }),
    privacy: createPrivacy({
      ...{ store, clock, random, formatTime },
      removeFile: fileKey => files.remove(fileKey),
    }),
    templates: createTemplates({ store, clock, formatTime }),
    readiness,
    // Reading the whole store would stop everything else.
    doctor: createDoctor({
      nodes,
      store,
      clock,
      formatTime,
      carriers,
      webhooks,
      forms,
      objections: deps.objections,
      surroundings: deps.surroundings,
      health: readiness.health,
      depth: 'quick',
    }),
    healthWatch: backgroundTask(deps, 'tell health', readiness.refresh),
    retention: createRetention({
      store,
      files,
      clock,
      events,
      deadlines,
      reportRetentionMs,
      inquiryWindowMs,
      textRetentionMs,
    }),
    prepareSandbox: () =>
      prepareSandbox({ store, accounts, operatorAccess, random, formatTime, demoAccount, adminToken }),
  };
}
