/** Reads the rows of both engines, whose tables have the same columns. Records that are written too: see records/. */
import { type Account, completeSettings } from '../domain/account/account.ts';
import { fateOf } from '../domain/delivery/fate.ts';
import type { StepState } from '../domain/delivery/lifecycle.ts';
import type { AccountId, FormId, MsgKey } from '../domain/ids.ts';
import { INBOUND_STEP } from '../domain/inbound/inbound.ts';
import { type RegistryEntry, registryKey } from '../domain/registry/registry.ts';
import type { TemplateEntry } from '../domain/registry/template.ts';
import type { ReportCode } from '../domain/reports/report-codes.ts';
import type { WebhookAttempt } from '../domain/reports/webhook.ts';
import { carrierIn, parseHistory } from './history.ts';
import type { AccountUsage } from './port/account-store.ts';
import type { StoredForm } from './port/form-store.ts';
import type { LiveNode, NodeProfile } from './port/node-store.ts';
import type { FoundMessage, Resend, StoredAuditEntry } from './port/operator-store.ts';
import type { SetAside } from './port/queue-store.ts';
import type { StoredTemplate, TemplateChange } from './port/registry-store.ts';
import type { HandedOver } from './port/report-store.ts';
import type {
  ClaimedDelivery,
  DeliveryView,
  OpenCircuit,
  WebhookOff,
  WebhookSecretRow,
} from './port/webhook-store.ts';
import type { AnyRow } from './records/columns.ts';
import { channelsIn } from './records/message-columns.ts';
import type { Records } from './records/records.ts';
import { reportOf } from './records/report-columns.ts';
import { type EndedStep, endingOf } from './settle-batch.ts';
import { UNREADABLE } from './unreadable.ts';

export function accountOf(row: AnyRow): Account {
  return {
    id: row.id as AccountId,
    passwordHash: String(row.password_hash),
    // SQLite has no booleans.
    blocked: row.blocked === true || row.blocked === 1,
    tokenEpoch: Number(row.token_epoch),
    createdAt: Number(row.created_at),
    settings: completeSettings(JSON.parse(String(row.settings))),
  };
}

/** The key of an entry in the tables `registry` and `template_history`. */
export function placeOf(account: AccountId, entry: RegistryEntry) {
  return { account, kind: entry.kind, key: registryKey(entry) };
}

/** Of a row with the key of its entry. */
export function templateOf(row: AnyRow, records: Records): StoredTemplate {
  const { revision, changed_at, entry } = row;
  return {
    entry: records.registryEntry.read(entry, row) as TemplateEntry,
    revision: Number(revision),
    changedAt: changed_at === null ? undefined : Number(changed_at),
  };
}

/** The same. */
export function templateChangeOf(row: AnyRow, records: Records): TemplateChange {
  const { at, by, revision, entry } = row;
  return {
    at: Number(at),
    by: String(by),
    revision: Number(revision),
    entry: records.templateCopy.read(entry, row),
  };
}

/** An account that never had anything has no row of its own. */
export function usageOf(row: AnyRow): AccountUsage {
  return {
    forms: Number(row.forms ?? 0),
    reservations: Number(row.reservations ?? 0),
    reservationRecipients: Number(row.recipients ?? 0),
    reservationBytes: Number(row.bytes ?? 0),
    files: Number(row.files ?? 0),
    fileBytes: Number(row.file_bytes ?? 0),
    tokens: Number(row.tokens ?? 0),
  };
}

/** A row of the ledger with the history of its message, and whether a late success gets a record. */
export function endedStepOf(row: AnyRow): EndedStep {
  const report = reportOf(row);
  const ending = endingOf(report, parseHistory(String(row.history)));
  return { report, ...ending, reportsLateDelivery: row.tells_late === 1 };
}

export function formOf(row: AnyRow, { formEntries }: Records): StoredForm {
  return {
    account: row.account as AccountId,
    formId: row.form_id as FormId,
    entries: formEntries.read(row.entries, row),
    savedAt: Number(row.saved_at),
  };
}

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

export function openCircuitOf(row: AnyRow): OpenCircuit {
  return {
    openedAt: Number(row.opened_at),
    at: Number(row.at),
    probeAt: Number(row.probe_at),
    failures: Number(row.failures),
    error: String(row.error),
  };
}

export function webhookOffOf(row: AnyRow): WebhookOff {
  return { url: String(row.url), reason: String(row.reason), at: Number(row.at) };
}

export function webhookSecretOf(row: AnyRow): WebhookSecretRow {
  return {
    id: String(row.id),
    sealed: String(row.sealed),
    createdAt: Number(row.created_at),
    expiresAt: row.expires_at === null ? undefined : Number(row.expires_at),
  };
}

export function liveNodeOf(row: AnyRow): LiveNode {
  const since = row.draining_since;
  return {
    node: String(row.id),
    profile: JSON.parse(String(row.profile)) as NodeProfile,
    drainingSince: since === null || since === undefined ? undefined : Number(since),
  };
}

export function setAsideOf(row: AnyRow, { setAsideReason, setAsideEvent, unreadable }: Records): SetAside {
  const shown = (read: () => string) => unreadable.value('set_aside', row, read, UNREADABLE);
  return {
    at: Number(row.at),
    reason: shown(() => setAsideReason.read(row.reason, row)),
    event: shown(() => setAsideEvent.read(row.event, row)),
  };
}

export function handedOverOf(row: AnyRow): HandedOver {
  return { step: Number(row.step), event: row.event as HandedOver['event'], at: Number(row.at) };
}

/** The carrier of the current or last attempt of a message. */
export function carrierOf(row: AnyRow): string | undefined {
  return textOrNone(row.carrier) ?? carrierIn(parseHistory(String(row.history)));
}

/** Shown in lists: what cannot be read of it does not hide the rest. */
export function foundMessageOf(row: AnyRow, { content, unreadable }: Records): FoundMessage {
  const shown = <T>(read: () => T, otherwise: T) => unreadable.value('message', row, read, otherwise);
  return {
    msgKey: row.msg_key as MsgKey,
    account: row.account as AccountId,
    to: shown(() => content.to.read(row.recipient, row), UNREADABLE),
    ref: textOrNone(row.ref),
    groupKey: textOrNone(row.group_key),
    channels: shown(() => channelsIn(String(row.flow)), []),
    step: Number(row.step),
    state: row.state as StepState,
    code: textOrNone(row.report_code) as ReportCode | undefined,
    carrier: shown(() => carrierOf(row), undefined),
    acceptedAt: Number(row.accepted_at),
    finishedAt: row.finished_at === null ? undefined : Number(row.finished_at),
    // Where it cannot be read, nobody knows.
    fate: shown(() => fateOf(row.state as StepState, parseHistory(String(row.history))), 'unsure'),
  };
}

export function resendOf(row: AnyRow): Resend {
  return { newKey: row.new_key as MsgKey, oldKey: row.old_key as MsgKey, at: Number(row.at) };
}

export function auditEntryOf(row: AnyRow, { unreadable }: Records): StoredAuditEntry {
  return {
    id: Number(row.id),
    at: Number(row.at),
    who: row.who as StoredAuditEntry['who'],
    name: textOrNone(row.name),
    operatorId: textOrNone(row.operator_id),
    action: String(row.action),
    target: String(row.target),
    details: unreadable.value('audit', row, () => JSON.parse(String(row.details)), {}),
  };
}

function textOrNone(value: unknown): string | undefined {
  return value === null ? undefined : String(value);
}
