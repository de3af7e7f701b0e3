/**
 * The records of one store: how their columns are written and read with its data keys, or without. The texts of statements
 * need the names of columns only, and take those from the descriptions.
 */
import type { RegistryEntry } from '../../domain/registry/registry.ts';
import type { TemplateEntry } from '../../domain/registry/template.ts';
import type { WebhookAttempt } from '../../domain/reports/webhook.ts';
import type { Vault } from '../../platform/vault.ts';
import { UNREADABLE, UnreadableRows } from '../unreadable.ts';
import { AUDIT_COLUMNS } from './audit-columns.ts';
import { type AnyRow, json, keptIn, lenientReaderOf, readerOf, sealed, text } from './columns.ts';
import { FORM_COLUMNS } from './form-columns.ts';
import {
  INBOUND_COLUMNS,
  INBOUND_PART_COLUMNS,
  inboundPartReader,
  SAID,
  SENDER_TERM,
  storedInboundReader,
} from './inbound-columns.ts';
import { LIVE_STEP_COLUMNS } from './job-columns.ts';
import {
  CONTENT_COLUMNS,
  IDEMPOTENCY_COLUMNS,
  MESSAGE_COLUMNS,
  REQUEST_COLUMNS,
  VIEW_COLUMNS,
} from './message-columns.ts';
import { OPT_OUT_COLUMNS, OPT_OUT_NUMBER, optOutReader } from './opt-out-columns.ts';
import {
  CARRIER_REF_COLUMNS,
  PARKED_COLUMNS,
  parkedReceiptReader,
  RECIPIENT_TAIL,
  REF_TARGET_COLUMNS,
} from './receipt-columns.ts';
import { LIST_COLUMNS, RESERVATION_COLUMNS } from './reservation-columns.ts';

/** Of tables whose rows are not described as a whole: what of them is encrypted. */
export const SINGLE_COLUMNS = {
  registryEntry: sealed(json<RegistryEntry>('entry'), 'registry.entry', ['account', 'kind', 'key']),
  templateCopy: sealed(json<TemplateEntry>('entry'), 'template_history.entry', [
    'account',
    'kind',
    'key',
    'at',
  ]),
  webhookAttempts: sealed(
    json<readonly WebhookAttempt[]>('recent'),
    'webhook_delivery.recent',
    ['msg_key', 'step'],
    '[]',
  ),
  setAsideReason: sealed(text('reason'), 'set_aside.reason', ['id']),
  setAsideEvent: sealed(text('event'), 'set_aside.event', ['id']),
  erasureNumber: sealed(text('number'), 'erasure.number', ['id']),
};

/** What a recipient is hashed for in the search index. */
const RECIPIENT_TERM = 'message_index.term';

export type Records = ReturnType<typeof recordsIn>;

export function recordsIn(vault: Vault | undefined, unreadable = new UnreadableRows()) {
  const parked = keptIn(vault, PARKED_COLUMNS);
  const idempotency = keptIn(vault, IDEMPOTENCY_COLUMNS);
  const form = keptIn(vault, FORM_COLUMNS);
  const optOut = keptIn(vault, OPT_OUT_COLUMNS);
  const reservation = keptIn(vault, RESERVATION_COLUMNS);
  const inbound = keptIn(vault, INBOUND_COLUMNS);
  const inboundPart = keptIn(vault, INBOUND_PART_COLUMNS);
  const told = (table: string) => (row: AnyRow, error: unknown) => unreadable.report(table, row, error);
  return {
    /** Takes the rows that cannot be read. */
    unreadable,
    request: keptIn(vault, REQUEST_COLUMNS),
    idempotency,
    message: keptIn(vault, MESSAGE_COLUMNS),
    content: keptIn(vault, CONTENT_COLUMNS),
    carrierRef: keptIn(vault, CARRIER_REF_COLUMNS),
    parked,
    optOut,
    reservation,
    reservationOf: lenientReaderOf(reservation, { name: undefined, source: undefined }, told('reservation')),
    form,
    formOf: readerOf(form),
    auditEntryOf: lenientReaderOf(AUDIT_COLUMNS, { details: {} }, told('audit')),
    reservationList: keptIn(vault, LIST_COLUMNS),
    ...keptIn(vault, SINGLE_COLUMNS),
    liveStepOf: readerOf(keptIn(vault, LIVE_STEP_COLUMNS)),
    messageViewOf: readerOf(keptIn(vault, VIEW_COLUMNS)),
    refTargetOf: lenientReaderOf(keptIn(vault, REF_TARGET_COLUMNS), { to: '' }, told('carrier_ref')),
    parkedReceiptOf: parkedReceiptReader(parked),
    // Whatever cannot be read of it: who opted out gets nothing.
    optOutOf: optOutReader(lenientReaderOf(optOut, { recipient: UNREADABLE }, told('opt_out'))),
    /** Every way in which this number may be stored as that of a recipient who opted out. */
    optOutNumbers: (number: string): readonly string[] =>
      vault ? vault.hashes(number, OPT_OUT_NUMBER) : [number],
    inbound,
    inboundPart,
    inboundOf: storedInboundReader(inbound),
    inboundPartOf: inboundPartReader(inboundPart),
    /** Every way in which these senders, and what somebody said, may be stored. */
    senderTerms: (from: readonly string[]): readonly string[] =>
      vault ? from.flatMap(one => vault.hashes(one, SENDER_TERM)) : from,
    saidTerms: (words: string): readonly string[] => (vault ? vault.hashes(words, SAID) : [words]),
    /** Every way in which these tails may be stored. */
    tails: (tails: readonly string[]): readonly string[] =>
      vault ? tails.flatMap(tail => vault.hashes(tail, RECIPIENT_TAIL)) : tails,
    /** What a recipient is indexed under. */
    recipientTerm: (to: string): string => (vault ? vault.hash(to, RECIPIENT_TERM) : to),
    /** Every term that it may be indexed under; the first is the one of today. */
    recipientTerms: (to: string): readonly string[] => (vault ? vault.hashes(to, RECIPIENT_TERM) : [to]),
    /** Every name under which a send may have been noted; the first is the one of today. */
    sendHashes: (fingerprint: string): readonly string[] =>
      vault ? vault.hashes(fingerprint, 'recent_send.hash') : [fingerprint],
    /** Statements cannot compare recipients then. */
    hidesRecipients: vault !== undefined,
  };
}
