/** Erasing recipients, the same for every engine: what is left of the rows of some messages that have ended. */
import type { AccountId, FileKey, MsgKey, RequestId } from '../domain/ids.ts';
import { ERASED_RECIPIENT, withoutNumber } from '../domain/request/phone-number.ts';
import type {
  EndedSince,
  Erasure,
  ErasureRest,
  MessageTraces,
  ParkedPage,
  RestKind,
  TextFate,
} from './port/privacy-store.ts';
import type { AnyRow } from './records/columns.ts';
import { channelsIn } from './records/message-columns.ts';
import type { Records } from './records/records.ts';
import { groupTerm, recipientTerms, refTerm } from './search.ts';
import { UNREADABLE } from './unreadable.ts';

/** Until so long after its end an answer may have brought a reference of a message; clocks of nodes differ, too. */
export const REFERENCE_GRACE_MS = 3_600_000;

/** A message that has ended, with the request it belongs to, and how many others got the same. */
export interface ErasableMessage {
  readonly msgKey: MsgKey;
  readonly requestId: RequestId;
  readonly account: AccountId;
  readonly to: string;
  /** In every way in which it may be stored, where it could not be read. */
  readonly writings: readonly string[];
  /** What the client calls it: references of the recipient and of the request, and the group. */
  readonly names: readonly string[];
  /** As it is stored. */
  readonly flow: string;
  readonly acceptedAt: number;
  readonly finishedAt: number;
  readonly hasText: boolean;
}

/** Reads a row with the columns of message and request. A number that cannot be read is erased all the same. */
export function erasableOf(
  row: AnyRow,
  { content, unreadable }: Records,
  writings: readonly string[] = [],
): ErasableMessage {
  const to = unreadable.value('message', row, () => content.to.read(row.recipient, row), UNREADABLE);
  return {
    msgKey: row.msg_key as MsgKey,
    requestId: String(row.msg_key).slice(0, -3) as RequestId,
    account: row.account as AccountId,
    to: to === UNREADABLE ? (writings[0] ?? to) : to,
    writings: to === UNREADABLE ? writings : [to],
    names: [row.own_ref, row.ref, row.group_key].filter(name => name !== null).map(String),
    flow: String(row.flow),
    acceptedAt: Number(row.accepted_at),
    finishedAt: Number(row.finished_at),
    hasText: row.text_removed_at === null,
  };
}

/** Whether others than `message` got its text. `rows`: the messages of the request, with key and recipient. */
export function isShared(
  message: ErasableMessage,
  rows: readonly AnyRow[],
  { content, unreadable }: Records,
): boolean {
  const recipientIn = (row: AnyRow) =>
    unreadable.value('message', row, () => content.to.read(row.recipient, row), UNREADABLE);
  return rows.some(row => row.msg_key !== message.msgKey && recipientIn(row) !== ERASED_RECIPIENT);
}

/** What stays of a stored flow: its channels. */
export function channelsOnly({ requestId, flow }: ErasableMessage, { unreadable }: Records): string {
  const row = { request_id: requestId };
  const channels = unreadable.value('request', row, () => channelsIn(flow), []);
  return JSON.stringify(channels.map(channel => ({ channel })));
}

/** What the message is found by and must not be any more. */
export function telltaleTerms(message: ErasableMessage, records: Records): string[] {
  const named = telltaleNames(message).flatMap(name => [refTerm(name), groupTerm(name)]);
  return [...message.writings.flatMap(to => recipientTerms(to, records)), ...named];
}

/** Names by the client that have the number in them. */
export function telltaleNames({ to, names }: ErasableMessage): readonly string[] {
  return names.filter(name => namesNumber(name, to));
}

/** The last digits are enough: a text that has them was made from the number. */
const TELLING_DIGITS = 8;

function namesNumber(text: string, to: string): boolean {
  const digits = to.replace(/\D/g, '').slice(-TELLING_DIGITS);
  return digits.length === TELLING_DIGITS && text.replace(/\D/g, '').includes(digits);
}

/** An answer that is kept for the request of the message, without its number; undefined if it is another's. */
export function answerWithoutNumber(
  row: AnyRow,
  message: ErasableMessage,
  { idempotency, unreadable }: Records,
): string | undefined {
  const response = unreadable.value(
    'idempotency',
    row,
    () => idempotency.response.read(row.response, row),
    '',
  );
  if (!response.includes(message.requestId)) return undefined;
  const cleaned = withoutNumber(response, message.to);
  const names: readonly unknown[] = telltaleNames(message);
  if (names.length === 0) return cleaned;
  const value: unknown = JSON.parse(cleaned, (_key, member: unknown) =>
    names.includes(member) ? ERASED_RECIPIENT : member,
  );
  return JSON.stringify(value);
}

/** In the place of a message's key, while not all messages of an order have been looked at. */
export const UNDER_WAY = '';

/** Reads a row of `erasure_open` with its order. */
export function endedSinceOf(row: AnyRow): EndedSince {
  return {
    order: String(row.erasure),
    msgKey: String(row.msg_key) as MsgKey,
    withImages: Number(row.images) === 1,
  };
}

/** Of values that stay in files of the database until they are written over; not of what is told to anybody else. */
export const SCRUB = 'scrub';

/** Reads a row of `erasure_rest` with its order. */
export function restOf(row: AnyRow, { erasureNumber, unreadable }: Records): ErasureRest {
  const key = { id: row.erasure ?? null };
  const read = () => (row.number === null ? undefined : erasureNumber.read(row.number, { id: row.erasure }));
  return {
    order: String(row.erasure),
    kind: row.kind as RestKind,
    key: String(row.key),
    fileKey: row.file_key === '' ? undefined : (row.file_key as FileKey),
    withImages: Number(row.images) === 1,
    account: row.account === null ? undefined : (row.account as AccountId),
    number: unreadable.value('erasure', key, read, undefined),
  };
}

/** Reads a row with recipient and text_removed_at of a message that is there. */
export function textFateOf(row: AnyRow | undefined): TextFate {
  if (!row) return 'removed';
  if (row.recipient !== ERASED_RECIPIENT) return 'there';
  return row.text_removed_at === null ? 'shared' : 'removed';
}

/** Of rows of parked_receipt by id, as many as were asked for or fewer. */
export function parkedPageOf(rows: readonly AnyRow[], limit: number, records: Records): ParkedPage {
  const unreadable: number[] = [];
  const leave = ({ id }: AnyRow) => unreadable.push(Number(id));
  const receipts = records.unreadable.each('parked_receipt', rows, records.parkedReceiptOf, leave);
  return { receipts, unreadable, after: rows.length < limit ? undefined : Number(rows.at(-1)?.id) };
}

/** Of a row of `erasure` with the number of its open messages and of its rest, and whether it is under way. */
export function erasureOf(row: AnyRow): Erasure {
  const rest = Number(row.rest);
  return {
    id: String(row.id),
    orderedAt: Number(row.ordered_at),
    account: row.account === null ? undefined : (row.account as AccountId),
    recipient: String(row.recipient),
    messages: Number(row.messages),
    open: Number(row.open),
    rest,
    isUnderWay: Number(row.under_way) > 0,
    // A program from before the rest was stored ends an order without it.
    endedAt: row.ended_at === null || rest > 0 ? undefined : Number(row.ended_at),
  };
}

export function referenceOf(row: AnyRow): MessageTraces['references'][number] {
  return {
    carrier: String(row.carrier),
    ref: String(row.ref),
    step: Number(row.step),
    attempt: Number(row.attempt),
    part: Number(row.part),
    createdAt: Number(row.created_at),
  };
}
