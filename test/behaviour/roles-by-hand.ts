/**
 * Which role is enough for which operation, by hand: routes and document are made from one declaration, so comparing these two would
 * show nothing.
 */
import type { Role } from '../../src/domain/operator/role.ts';

export const OPERATIONS_BY_ROLE: Readonly<Record<Role, readonly string[]>> = {
  viewer: [
    ...['readSession', 'signOut', 'createConsoleLink', 'listSessions'],
    ...['endSession', 'findMessages', 'exportMessages', 'readMessage'],
    ...['findInbound', 'listAccounts', 'readAccount', 'listRegistry'],
    ...['readAppearance', 'listOptOutsOf', 'exportOptOutsOf', 'listTemplates'],
    ...['readTemplate', 'listFiles', 'readFileContent', 'listForms'],
    ...['listAllReservations', 'readAccountReservation', 'listAccountReservedRecipients', 'listCarriers'],
    ...['listRoutes', 'explainRoute', 'listWebhookDeliveries', 'readWebhookDelivery'],
    ...['readWebhook', 'readQueue', 'listQueue', 'listSetAside'],
    ...['listNodes', 'readHealth', 'examine', 'readChaos'],
    ...['readFailures', 'readStatistics', 'readTraffic', 'readCarrierTraffic'],
    ...['watchEvents', 'readAudit', 'exportAudit'],
  ],
  operator: [
    ...['resendMessages', 'cancelMessages', 'settleMessages', 'revealMessage'],
    ...['revealInbound', 'assignInbound', 'simulateInbound', 'sendForAccount'],
    ...['checkForAccount', 'pollForAccount', 'acknowledgeForAccount', 'putRegistry'],
    ...['putRegistryEntry', 'deleteRegistryEntry', 'addOptOutsOf', 'endOptOut'],
    ...['importOptOutsOf', 'saveTemplate', 'decideTemplate', 'importTemplates'],
    ...['deleteFile', 'uploadAccountFile', 'uploadAccountFileForType', 'uploadAccountFileForPlace'],
    ...['replaceAccountForm', 'deleteAccountForm', 'changeAccountReservation', 'cancelAccountReservation'],
    ...['stopAccountReservation', 'resumeAccountReservation', 'releaseAccountReservation', 'pauseCarrier'],
    ...['resumeCarrier', 'reconnectCarrier', 'testCarrier', 'retryWebhookDelivery'],
    ...['testWebhook', 'replayWebhook', 'retryWebhook', 'resumeWebhook'],
    ...['drainNode', 'resumeNode', 'forgetNode', 'setChaos'],
    ...['resetChaos'],
  ],
  admin: [
    ...['createAccount', 'changeAccount', 'deleteAccount', 'renewPassword'],
    ...['revokeTokens', 'listOperators', 'addOperator', 'inviteOperator'],
    ...['changeOperator', 'revokeOperator', 'countHoldings', 'exportRecipient'],
    ...['eraseRecipient', 'listErasures', 'rotateWebhookSecret', 'countDataKeys'],
    ...['resealValues', 'moveFiles', 'makeBackup'],
  ],
};
