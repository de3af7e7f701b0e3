/**
 * Every resource of the API and its routes. What the API document says of each is in a file of the same name, and in a table with
 * the same names (openapi/resource-documents.ts): a route without a document does not compile, and test/openapi fails when the
 * two differ. The pages that show the document and the console are not part of the API: see server.ts.
 */
import { auditHandlers } from '../operate/audit-log.ts';
import { formHandlers } from '../operate/forms.ts';
import { healthHandlers } from '../operate/health.ts';
import { optOutHandlers } from '../operate/opt-outs.ts';
import { registryHandlers } from '../operate/registry.ts';
import { statisticsHandlers } from '../operate/statistics.ts';
import { trafficHandlers } from '../operate/traffic.ts';
import { fileRoutes } from './contract/file.ts';
import { formRoutes } from './contract/form.ts';
import { messageRoutes } from './contract/message.ts';
import { moRoutes } from './contract/mo.ts';
import { optOutRoutes } from './contract/optout.ts';
import { reportRoutes } from './contract/report.ts';
import { reservationRoutes } from './contract/reservation.ts';
import { sendRoutes } from './contract/send.ts';
import { tokenRoutes } from './contract/token.ts';
import type { RouteDependencies } from './dependencies.ts';
import { operatorAccountsRoutes } from './operator/accounts.ts';
import { operatorChaosRoutes } from './operator/chaos.ts';
import { operatorComposeRoutes } from './operator/compose.ts';
import { operatorEventsRoutes } from './operator/events.ts';
import { operatorFilesRoutes } from './operator/files.ts';
import { operatorInboundRoutes } from './operator/inbound.ts';
import { operatorMaintenanceRoutes } from './operator/maintenance.ts';
import { operatorMessagesRoutes } from './operator/messages.ts';
import { operatorPrivacyRoutes } from './operator/privacy.ts';
import { operatorReservationsRoutes } from './operator/reservations.ts';
import { operatorSessionRoutes } from './operator/session.ts';
import { carrierCallbackRoutes } from './service/carrier-callback.ts';
import { healthRoutes } from './service/health.ts';
import { optOutCallbackRoutes } from './service/opt-out-callback.ts';

export type ResourceName = keyof typeof ROUTES;

/** Each declares the routes of a resource, and names what it uses of the dependencies. In the order of the document. */
export const ROUTES = {
  // The contract,
  token: tokenRoutes,
  send: sendRoutes,
  reservation: reservationRoutes,
  form: formRoutes,
  file: fileRoutes,
  report: reportRoutes,
  mo: moRoutes,
  message: messageRoutes,
  optOut: optOutRoutes,
  // the operator's API,
  operatorSession: operatorSessionRoutes,
  operatorMessages: operatorMessagesRoutes,
  operatorInbound: operatorInboundRoutes,
  operatorAccounts: operatorAccountsRoutes,
  operatorOperators: ({ operations, operators }) => operations(operators),
  operatorCompose: operatorComposeRoutes,
  operatorRegistry: ({ operations, ...deps }) => operations(registryHandlers(deps)),
  operatorOptOuts: ({ operations, ...deps }) => operations(optOutHandlers(deps)),
  operatorTemplates: ({ operations, templates }) => operations(templates),
  operatorFiles: operatorFilesRoutes,
  operatorForms: ({ operations, ...deps }) => operations(formHandlers(deps)),
  operatorReservations: operatorReservationsRoutes,
  operatorPrivacy: operatorPrivacyRoutes,
  operatorCarriers: ({ operations, carriers }) => operations(carriers),
  operatorWebhooks: ({ operations, webhooks }) => operations(webhooks),
  operatorQueue: ({ operations, queue }) => operations(queue),
  operatorNodes: ({ operations, nodes }) => operations(nodes),
  operatorMaintenance: operatorMaintenanceRoutes,
  operatorHealth: ({ operations, ...deps }) => operations(healthHandlers(deps)),
  operatorChaos: operatorChaosRoutes,
  operatorFailures: ({ operations, failures }) => operations(failures),
  operatorStatistics: ({ operations, ...deps }) => operations(statisticsHandlers(deps)),
  operatorTraffic: ({ operations, ...deps }) => operations(trafficHandlers(deps)),
  operatorEvents: operatorEventsRoutes,
  operatorAudit: ({ operations, audit }) => operations(auditHandlers(audit)),
  // and what others call.
  carrierCallback: carrierCallbackRoutes,
  optOutCallback: optOutCallbackRoutes,
  health: healthRoutes,
} satisfies Readonly<Record<string, (deps: RouteDependencies) => void>>;
