/** What the API document says of each resource, in its order. Loaded when the document is asked for, and not at every start. */
import { audit } from '../../operations/audit.ts';
import { carriers } from '../../operations/carriers.ts';
import { failures } from '../../operations/failures.ts';
import { forms } from '../../operations/forms.ts';
import { health } from '../../operations/health.ts';
import { nodes } from '../../operations/nodes.ts';
import { operators } from '../../operations/operators.ts';
import { optOuts } from '../../operations/opt-outs.ts';
import { queue } from '../../operations/queue.ts';
import { registry } from '../../operations/registry.ts';
import { statistics } from '../../operations/statistics.ts';
import { templates } from '../../operations/templates.ts';
import { traffic } from '../../operations/traffic.ts';
import { webhooks } from '../../operations/webhooks.ts';
import { fileDocument } from '../contract/file.openapi.ts';
import { formDocument } from '../contract/form.openapi.ts';
import { messageDocument } from '../contract/message.openapi.ts';
import { moDocument } from '../contract/mo.openapi.ts';
import { optOutDocument } from '../contract/optout.openapi.ts';
import { reportDocument } from '../contract/report.openapi.ts';
import { reservationDocument } from '../contract/reservation.openapi.ts';
import { sendDocument } from '../contract/send.openapi.ts';
import { tokenDocument } from '../contract/token.openapi.ts';
import { operatorAccountsDocument } from '../operator/accounts.openapi.ts';
import { operatorChaosDocument } from '../operator/chaos.openapi.ts';
import { operatorComposeDocument } from '../operator/compose.openapi.ts';
import { operatorEventsDocument } from '../operator/events.openapi.ts';
import { operatorFilesDocument } from '../operator/files.openapi.ts';
import { operatorInboundDocument } from '../operator/inbound.openapi.ts';
import { operatorMaintenanceDocument } from '../operator/maintenance.openapi.ts';
import { operatorMessagesDocument } from '../operator/messages.openapi.ts';
import { operatorPrivacyDocument } from '../operator/privacy.openapi.ts';
import { operatorReservationsDocument } from '../operator/reservations.openapi.ts';
import { operatorSessionDocument } from '../operator/session.openapi.ts';
import type { ResourceName } from '../resources.ts';
import { carrierCallbackDocument } from '../service/carrier-callback.openapi.ts';
import { healthDocument } from '../service/health.openapi.ts';
import { optOutCallbackDocument } from '../service/opt-out-callback.openapi.ts';
import { documentOf } from './declared.ts';
import type { ResourceDocument } from './operation.ts';

const BY_NAME: Readonly<Record<ResourceName, ResourceDocument>> = {
  token: tokenDocument,
  send: sendDocument,
  reservation: reservationDocument,
  form: formDocument,
  file: fileDocument,
  report: reportDocument,
  mo: moDocument,
  message: messageDocument,
  optOut: optOutDocument,
  operatorSession: operatorSessionDocument,
  operatorMessages: operatorMessagesDocument,
  operatorInbound: operatorInboundDocument,
  operatorAccounts: operatorAccountsDocument,
  operatorOperators: documentOf(operators),
  operatorCompose: operatorComposeDocument,
  operatorRegistry: documentOf(registry),
  operatorOptOuts: documentOf(optOuts),
  operatorTemplates: documentOf(templates),
  operatorFiles: operatorFilesDocument,
  operatorForms: documentOf(forms),
  operatorReservations: operatorReservationsDocument,
  operatorPrivacy: operatorPrivacyDocument,
  operatorCarriers: documentOf(carriers),
  operatorWebhooks: documentOf(webhooks),
  operatorQueue: documentOf(queue),
  operatorNodes: documentOf(nodes),
  operatorMaintenance: operatorMaintenanceDocument,
  operatorHealth: documentOf(health),
  operatorChaos: operatorChaosDocument,
  operatorFailures: documentOf(failures),
  operatorStatistics: documentOf(statistics),
  operatorTraffic: documentOf(traffic),
  operatorEvents: operatorEventsDocument,
  operatorAudit: documentOf(audit),
  carrierCallback: carrierCallbackDocument,
  optOutCallback: optOutCallbackDocument,
  health: healthDocument,
};

export const RESOURCE_DOCUMENTS: readonly ResourceDocument[] = Object.values(BY_NAME);
