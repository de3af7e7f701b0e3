/**
 * What the HTTP server needs from the gateway, and what it hands to its routes. Each route names the members that it
 * uses.
 */
import type { FastifyInstance } from 'fastify';
import type { Access } from '../accept/access.ts';
import type { Files } from '../accept/files.ts';
import type { Forms } from '../accept/forms.ts';
import type { OptOuts } from '../accept/opt-outs.ts';
import type { Registry } from '../accept/registry.ts';
import type { Reservations } from '../accept/reservations.ts';
import type { SendOperation } from '../accept/send.ts';
import type { Cancelling } from '../deliver/cancel.ts';
import type { SettleByHand } from '../deliver/settle-by-hand.ts';
import type { Events } from '../observe/events.ts';
import type { LiveFeed } from '../observe/live-feed.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Statistics } from '../observe/statistics.ts';
import type { Traffic } from '../observe/traffic.ts';
import type { OperatorAccess } from '../operate/access.ts';
import type { Accounts } from '../operate/accounts.ts';
import type { Audit } from '../operate/audit.ts';
import type { Carriers } from '../operate/carriers.ts';
import type { ChaosControl } from '../operate/chaos.ts';
import type { Compose } from '../operate/compose.ts';
import type { Doctor } from '../operate/doctor.ts';
import type { Failures } from '../operate/failures.ts';
import type { InboundDesk } from '../operate/inbound.ts';
import type { Maintenance } from '../operate/maintenance.ts';
import type { SightOf } from '../operate/masking.ts';
import type { MessageOrders } from '../operate/message-order.ts';
import type { Messages } from '../operate/messages.ts';
import type { Nodes } from '../operate/nodes.ts';
import type { Operators } from '../operate/operators.ts';
import type { Privacy } from '../operate/privacy.ts';
import type { Queue } from '../operate/queue.ts';
import type { Readiness } from '../operate/readiness.ts';
import type { Resending } from '../operate/resend.ts';
import type { OperatorReservations } from '../operate/reservations.ts';
import type { Templates } from '../operate/templates.ts';
import type { Webhooks } from '../operate/webhooks.ts';
import type { Clock } from '../platform/clock.ts';
import type { Limiter } from '../platform/limiter.ts';
import type { Randomness } from '../platform/randomness.ts';
import type { IsProxy } from '../platform/trusted-proxies.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { InboundMessages } from '../report/inbound-messages.ts';
import type { OwnMessages } from '../report/own-messages.ts';
import type { ReadOwnStatistics } from '../report/own-statistics.ts';
import type { Reports } from '../report/reports.ts';
import type { Callers } from './contract/caller.ts';
import type { Desk } from './contract/desk.ts';
import type { Measured } from './measured.ts';
import type { DeclaredRoutes } from './operator/declared-routes.ts';
import type { OperatorGuard } from './operator/guard.ts';
import type { OperatorRoute } from './operator/route.ts';
import type { FindCallbackReceiver } from './service/carrier-callback.ts';

export interface HttpDependencies {
  readonly access: Access;
  readonly send: SendOperation;
  readonly reports: Reports;
  readonly inboundMessages: InboundMessages;
  readonly forms: Forms;
  readonly reservations: Reservations;
  readonly files: Files;
  readonly registry: Registry;
  readonly optOuts: OptOuts;
  /** Of the service behind free opt-out numbers. */
  readonly optOutToken: string | undefined;
  readonly templates: Templates;
  readonly webhooks: Webhooks;
  readonly accounts: Accounts;
  readonly queue: Queue;
  readonly chaos: ChaosControl;
  readonly carriers: Carriers;
  readonly operatorAccess: OperatorAccess;
  readonly messages: Messages;
  readonly resending: Resending;
  readonly messageOrders: MessageOrders;
  readonly cancelling: Cancelling;
  readonly settleByHand: SettleByHand;
  readonly ownMessages: OwnMessages;
  readonly ownStatistics: ReadOwnStatistics;
  readonly failures: Failures;
  /** What operators of a role see of messages. */
  readonly sightOf: SightOf;
  readonly compose: Compose;
  readonly audit: Audit;
  readonly operators: Operators;
  readonly nodes: Nodes;
  readonly inboundDesk: InboundDesk;
  readonly operatorReservations: OperatorReservations;
  readonly privacy: Privacy;
  readonly maintenance: Maintenance;
  readonly statistics: Statistics;
  readonly traffic: Traffic;
  readonly liveFeed: LiveFeed;
  readonly random: Randomness;
  readonly mode: string;
  readonly timeZone: string;
  readonly limiter: Limiter;
  readonly events: Events;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly formatTime: FormatTime;
  readonly headerPrefixes: readonly string[];
  /** Whose word on the caller's address is taken. */
  readonly isProxy: IsProxy;
  readonly publicUrl: string | undefined;
  /** How many connections may be open at once. */
  readonly maxConnections: number;
  /** How long a request may take to arrive. */
  readonly requestTimeoutMs: number;
  /** How long requests may take to end when the server closes. */
  readonly shutdownTimeoutMs: number;
  readonly readiness: Readiness;
  readonly doctor: Doctor;
  readonly callbackReceiver: FindCallbackReceiver;
}

export interface RouteDependencies extends HttpDependencies {
  readonly app: FastifyInstance;
  readonly measured: Measured;
  readonly callers: Callers;
  readonly desk: Desk;
  readonly guard: OperatorGuard;
  /** Declares a route for the operator. */
  readonly route: OperatorRoute;
  /** Declares the routes of declared operations. */
  readonly operations: DeclaredRoutes;
}
