/**
 * Every resource of the API: its routes and what the API document says of them, two files of one name. The server and
 * the document are both made from this list, so a route without a document does not compile, and test/openapi fails
 * when the two differ. The pages that show the document and the console are not part of the API: see server.ts.
 */
import { fileDocument } from './contract/file.openapi.ts';
import { fileRoutes } from './contract/file.ts';
import { formDocument } from './contract/form.openapi.ts';
import { formRoutes } from './contract/form.ts';
import { messageDocument } from './contract/message.openapi.ts';
import { messageRoutes } from './contract/message.ts';
import { moDocument } from './contract/mo.openapi.ts';
import { moRoutes } from './contract/mo.ts';
import { optOutDocument } from './contract/optout.openapi.ts';
import { optOutRoutes } from './contract/optout.ts';
import { reportDocument } from './contract/report.openapi.ts';
import { reportRoutes } from './contract/report.ts';
import { reservationDocument } from './contract/reservation.openapi.ts';
import { reservationRoutes } from './contract/reservation.ts';
import { sendDocument } from './contract/send.openapi.ts';
import { sendRoutes } from './contract/send.ts';
import { tokenDocument } from './contract/token.openapi.ts';
import { tokenRoutes } from './contract/token.ts';
import type { RouteDependencies } from './dependencies.ts';
import type { ResourceDocument } from './openapi/operation.ts';
import { operatorAccountsDocument } from './operator/accounts.openapi.ts';
import { operatorAccountsRoutes } from './operator/accounts.ts';
import { operatorAuditDocument } from './operator/audit.openapi.ts';
import { operatorAuditRoutes } from './operator/audit.ts';
import { operatorCarriersDocument } from './operator/carriers.openapi.ts';
import { operatorCarriersRoutes } from './operator/carriers.ts';
import { operatorChaosDocument } from './operator/chaos.openapi.ts';
import { operatorChaosRoutes } from './operator/chaos.ts';
import { operatorComposeDocument } from './operator/compose.openapi.ts';
import { operatorComposeRoutes } from './operator/compose.ts';
import { operatorEventsDocument } from './operator/events.openapi.ts';
import { operatorEventsRoutes } from './operator/events.ts';
import { operatorFailuresDocument } from './operator/failures.openapi.ts';
import { operatorFailuresRoutes } from './operator/failures.ts';
import { operatorFilesDocument } from './operator/files.openapi.ts';
import { operatorFilesRoutes } from './operator/files.ts';
import { operatorFormsDocument } from './operator/forms.openapi.ts';
import { operatorFormsRoutes } from './operator/forms.ts';
import { operatorHealthDocument } from './operator/health.openapi.ts';
import { operatorHealthRoutes } from './operator/health.ts';
import { operatorInboundDocument } from './operator/inbound.openapi.ts';
import { operatorInboundRoutes } from './operator/inbound.ts';
import { operatorMaintenanceDocument } from './operator/maintenance.openapi.ts';
import { operatorMaintenanceRoutes } from './operator/maintenance.ts';
import { operatorMessagesDocument } from './operator/messages.openapi.ts';
import { operatorMessagesRoutes } from './operator/messages.ts';
import { operatorNodesDocument } from './operator/nodes.openapi.ts';
import { operatorNodesRoutes } from './operator/nodes.ts';
import { operatorOperatorsDocument } from './operator/operators.openapi.ts';
import { operatorOperatorsRoutes } from './operator/operators.ts';
import { operatorOptOutsDocument } from './operator/optouts.openapi.ts';
import { operatorOptOutsRoutes } from './operator/optouts.ts';
import { operatorPrivacyDocument } from './operator/privacy.openapi.ts';
import { operatorPrivacyRoutes } from './operator/privacy.ts';
import { operatorQueueDocument } from './operator/queue.openapi.ts';
import { operatorQueueRoutes } from './operator/queue.ts';
import { operatorRegistryDocument } from './operator/registry.openapi.ts';
import { operatorRegistryRoutes } from './operator/registry.ts';
import { operatorReservationsDocument } from './operator/reservations.openapi.ts';
import { operatorReservationsRoutes } from './operator/reservations.ts';
import { operatorSessionDocument } from './operator/session.openapi.ts';
import { operatorSessionRoutes } from './operator/session.ts';
import { operatorStatisticsDocument } from './operator/statistics.openapi.ts';
import { operatorStatisticsRoutes } from './operator/statistics.ts';
import { operatorTemplatesDocument } from './operator/templates.openapi.ts';
import { operatorTemplatesRoutes } from './operator/templates.ts';
import { operatorTrafficDocument } from './operator/traffic.openapi.ts';
import { operatorTrafficRoutes } from './operator/traffic.ts';
import { operatorWebhooksDocument } from './operator/webhooks.openapi.ts';
import { operatorWebhooksRoutes } from './operator/webhooks.ts';
import { carrierCallbackDocument } from './service/carrier-callback.openapi.ts';
import { carrierCallbackRoutes } from './service/carrier-callback.ts';
import { healthDocument } from './service/health.openapi.ts';
import { healthRoutes } from './service/health.ts';
import { optOutCallbackDocument } from './service/opt-out-callback.openapi.ts';
import { optOutCallbackRoutes } from './service/opt-out-callback.ts';

interface Resource {
  /** Declares the routes; each resource names what it uses of the dependencies. */
  readonly routes: (deps: RouteDependencies) => void;
  readonly document: ResourceDocument;
}

/** In the order of the document: the contract, the operator's API, then what others call. */
export const RESOURCES: readonly Resource[] = [
  { routes: tokenRoutes, document: tokenDocument },
  { routes: sendRoutes, document: sendDocument },
  { routes: reservationRoutes, document: reservationDocument },
  { routes: formRoutes, document: formDocument },
  { routes: fileRoutes, document: fileDocument },
  { routes: reportRoutes, document: reportDocument },
  { routes: moRoutes, document: moDocument },
  { routes: messageRoutes, document: messageDocument },
  { routes: optOutRoutes, document: optOutDocument },
  { routes: operatorSessionRoutes, document: operatorSessionDocument },
  { routes: operatorMessagesRoutes, document: operatorMessagesDocument },
  { routes: operatorInboundRoutes, document: operatorInboundDocument },
  { routes: operatorAccountsRoutes, document: operatorAccountsDocument },
  { routes: operatorOperatorsRoutes, document: operatorOperatorsDocument },
  { routes: operatorComposeRoutes, document: operatorComposeDocument },
  { routes: operatorRegistryRoutes, document: operatorRegistryDocument },
  { routes: operatorOptOutsRoutes, document: operatorOptOutsDocument },
  { routes: operatorTemplatesRoutes, document: operatorTemplatesDocument },
  { routes: operatorFilesRoutes, document: operatorFilesDocument },
  { routes: operatorFormsRoutes, document: operatorFormsDocument },
  { routes: operatorReservationsRoutes, document: operatorReservationsDocument },
  { routes: operatorPrivacyRoutes, document: operatorPrivacyDocument },
  { routes: operatorCarriersRoutes, document: operatorCarriersDocument },
  { routes: operatorWebhooksRoutes, document: operatorWebhooksDocument },
  { routes: operatorQueueRoutes, document: operatorQueueDocument },
  { routes: operatorNodesRoutes, document: operatorNodesDocument },
  { routes: operatorMaintenanceRoutes, document: operatorMaintenanceDocument },
  { routes: operatorHealthRoutes, document: operatorHealthDocument },
  { routes: operatorChaosRoutes, document: operatorChaosDocument },
  { routes: operatorFailuresRoutes, document: operatorFailuresDocument },
  { routes: operatorStatisticsRoutes, document: operatorStatisticsDocument },
  { routes: operatorTrafficRoutes, document: operatorTrafficDocument },
  { routes: operatorEventsRoutes, document: operatorEventsDocument },
  { routes: operatorAuditRoutes, document: operatorAuditDocument },
  { routes: carrierCallbackRoutes, document: carrierCallbackDocument },
  { routes: optOutCallbackRoutes, document: optOutCallbackDocument },
  { routes: healthRoutes, document: healthDocument },
];
