import type { AccountId, MsgKey } from '../../domain/ids.ts';
import { INBOUND_STEP } from '../../domain/inbound/inbound.ts';
import type { WebhookAttempt } from '../../domain/reports/webhook.ts';
import type {
  ClaimedDelivery,
  DeliveryView,
  OpenCircuit,
  WebhookOff,
  WebhookSecretRow,
} from '../port/webhook-store.ts';
import { type AnyRow, bigint, type ColumnsOf, integer, optional, readerOf, text } from './columns.ts';
import type { Records } from './records.ts';
import { reportOf } from './report-columns.ts';

/** `row` is a delivery, `report` its record in the ledger, or its inbound message. */
export function claimedDeliveryOf(
  row: AnyRow,
  report: AnyRow | undefined,
  records: Records,
): ClaimedDelivery {
  const step = Number(row.step);
  const [record] = records.unreadable.each('inbound', report ? [report] : [], found =>
    step === INBOUND_STEP ? records.inboundOf(found) : reportOf(found),
  );
  return {
    msgKey: row.msg_key as MsgKey,
    step,
    record,
    attempts: Number(row.attempts),
    recent: attemptsIn(row, records),
    giveUpAt: Number(row.give_up_at),
    isReplay: Number(row.is_replay) === 1,
  };
}

export function deliveryViewOf(row: AnyRow, records: Records): DeliveryView {
  const state = row.state as DeliveryView['state'];
  return {
    msgKey: row.msg_key as MsgKey,
    step: Number(row.step),
    account: row.account as AccountId,
    state,
    attempts: Number(row.attempts),
    recent: attemptsIn(row, records),
    nextAt: state === 'delivered' || state === 'failed' ? undefined : Number(row.next_at),
    giveUpAt: Number(row.give_up_at),
    reportedAt: Number(row.reported_at),
    isHeld: row.owner !== null,
  };
}

/** The last attempts only inform: without them it is tried again all the same. */
function attemptsIn(row: AnyRow, { webhookAttempts, unreadable }: Records): readonly WebhookAttempt[] {
  return unreadable.value('webhook_delivery', row, () => webhookAttempts.read(row.recent, row), []);
}

/** Of the table `webhook_circuit`. */
const CIRCUIT_COLUMNS: ColumnsOf<OpenCircuit> = {
  openedAt: bigint('opened_at'),
  at: bigint('at'),
  probeAt: bigint('probe_at'),
  failures: integer('failures'),
  error: text('error'),
};
export const openCircuitOf = readerOf(CIRCUIT_COLUMNS);

/** Of the table `webhook_off`. */
const OFF_COLUMNS: ColumnsOf<WebhookOff> = { url: text('url'), reason: text('reason'), at: bigint('at') };
export const webhookOffOf = readerOf(OFF_COLUMNS);

/** Of the table `webhook_secret`. */
const SECRET_COLUMNS: ColumnsOf<WebhookSecretRow> = {
  id: text('id'),
  sealed: text('sealed'),
  createdAt: bigint('created_at'),
  expiresAt: optional(bigint('expires_at')),
};
export const webhookSecretOf = readerOf(SECRET_COLUMNS);
