/**
 * Where encrypted values and keyed hashes are, to count them and to encrypt them again: for each table its key, in whose order it
 * is walked, and the columns. A column that is encrypted anywhere must be here; a test compares.
 */
import { ERASED_RECIPIENT, significantTail } from '../domain/request/phone-number.ts';
import { BEGINNINGS, FORMS, idText, PLAIN, type Vault } from '../platform/vault.ts';
import type { SealedCount } from './port/data-key-store.ts';
import { type AnyRow, bigint, type Column, integer, keptIn, text } from './records/columns.ts';
import { FORM_COLUMNS } from './records/form-columns.ts';
import { INBOUND_COLUMNS, INBOUND_PART_COLUMNS, wordsOf } from './records/inbound-columns.ts';
import { IDEMPOTENCY_COLUMNS, MESSAGE_COLUMNS, REQUEST_COLUMNS } from './records/message-columns.ts';
import { OPT_OUT_COLUMNS } from './records/opt-out-columns.ts';
import { CARRIER_REF_COLUMNS, PARKED_COLUMNS } from './records/receipt-columns.ts';
import { SINGLE_COLUMNS } from './records/records.ts';
import { LIST_COLUMNS, RESERVATION_COLUMNS } from './records/reservation-columns.ts';

export type KeyColumn = Pick<Column<never>, 'name' | 'type'>;

interface SealedColumn extends Pick<Column<never>, 'name' | 'boundTo' | 'empty'> {
  readonly kind: 'sealed' | 'hashed';
  /** Its value under the key of today. `now` is the row with the columns before it as they will be. */
  readonly anew: (row: AnyRow, now: AnyRow) => string;
}

export interface SealedTable {
  readonly table: string;
  readonly key: readonly KeyColumn[];
  /** Hashes first: they are made of encrypted values, which may be bound to them. */
  readonly columns: readonly SealedColumn[];
  /** Rows that can have something to encrypt. */
  readonly where?: string;
  /** Other columns that hashes are made of. */
  readonly beside?: readonly string[];
}

/** The columns that are read to encrypt a row again. */
export function readColumnsOf({ key, columns, beside = [] }: SealedTable): readonly string[] {
  const names = columns.flatMap(({ name, boundTo = [] }) => [name, ...boundTo]);
  return [...new Set([...key.map(({ name }) => name), ...names, ...beside])];
}

/** `refKey`: the key of carrier_ref, which the engines have in common no more than its rows. */
export function sealedTablesOf(vault: Vault | undefined, refKey: readonly KeyColumn[]): SealedTable[] {
  const single = keptIn(vault, SINGLE_COLUMNS);
  const form = keptIn(vault, FORM_COLUMNS);
  const request = keptIn(vault, REQUEST_COLUMNS);
  const message = keptIn(vault, MESSAGE_COLUMNS);
  const parked = keptIn(vault, PARKED_COLUMNS);
  const optOut = keptIn(vault, OPT_OUT_COLUMNS);
  const idempotency = keptIn(vault, IDEMPOTENCY_COLUMNS);
  const inbound = keptIn(vault, INBOUND_COLUMNS);
  const inboundPart = keptIn(vault, INBOUND_PART_COLUMNS);
  const { to } = keptIn(vault, CARRIER_REF_COLUMNS);
  const reservation = keptIn(vault, RESERVATION_COLUMNS);
  const list = keptIn(vault, LIST_COLUMNS);
  const id = [bigint('id')];
  const account = text('account');
  return [
    {
      table: 'request',
      key: [request.requestId],
      columns: [sealedIn(request.flow)],
      where: 'text_removed_at IS NULL',
    },
    { table: 'message', key: [message.msgKey], columns: [sealedIn(message.to), sealedIn(message.words)] },
    { table: 'carrier_ref', key: refKey, columns: [sealedIn(to)] },
    {
      table: 'parked_receipt',
      key: id,
      columns: [
        { name: parked.tail.name, kind: 'hashed', anew: row => tailOf(row, parked) },
        sealedIn(parked.event),
        sealedIn(parked.to),
        sealedIn(parked.from),
      ],
    },
    {
      table: 'idempotency',
      key: [account, text('key')],
      columns: [sealedIn(idempotency.response), sealedIn(idempotency.bodyHash)],
    },
    {
      table: 'opt_out',
      key: id,
      columns: [
        { name: optOut.number.name, kind: 'hashed', anew: row => optOutNumberOf(row, optOut) },
        sealedIn(optOut.recipient),
      ],
    },
    {
      table: 'reservation',
      key: [reservation.resvKey],
      columns: [sealedIn(reservation.name), sealedIn(reservation.source)],
    },
    { table: 'reservation_list', key: [list.requestId], columns: [sealedIn(list.recipients)] },
    { table: 'form', key: [account, text('form_id')], columns: [sealedIn(form.entries)] },
    {
      table: 'registry',
      key: [account, text('kind'), text('key')],
      columns: [sealedIn(single.registryEntry)],
    },
    {
      table: 'template_history',
      key: [account, text('kind'), text('key'), integer('revision')],
      columns: [sealedIn(single.templateCopy)],
    },
    {
      table: 'webhook_delivery',
      key: [text('msg_key'), integer('step')],
      columns: [sealedIn(single.webhookAttempts)],
    },
    {
      table: 'set_aside',
      key: id,
      columns: [sealedIn(single.setAsideReason), sealedIn(single.setAsideEvent)],
    },
    {
      table: 'erasure',
      key: [text('id')],
      columns: [sealedIn(single.erasureNumber)],
    },
    {
      table: 'inbound',
      key: [inbound.msgKey],
      columns: [
        { name: inbound.said.name, kind: 'hashed', anew: row => saidOf(row, inbound) },
        { name: inbound.term.name, kind: 'hashed', anew: row => termOf(row, inbound) },
        sealedIn(inbound.from),
        sealedIn(inbound.text),
      ],
      where: `sender <> '${ERASED_RECIPIENT}'`,
      beside: [inbound.to.name, inbound.occurrence.name],
    },
    {
      table: 'inbound_part',
      key: id,
      columns: [
        { name: inboundPart.term.name, kind: 'hashed', anew: row => termOf(row, inboundPart) },
        sealedIn(inboundPart.from),
        sealedIn(inboundPart.octets),
      ],
    },
  ];
}

function sealedIn<Value>(column: Column<Value>): SealedColumn {
  const { name, read, write, boundTo = [], empty } = column;
  return {
    ...{ name, boundTo, kind: 'sealed' as const },
    ...(empty !== undefined && { empty }),
    anew: (row, now) => String(write(read(row[name], row), now)),
  };
}

function saidOf(row: AnyRow, { to, from, text: content, occurrence, said }: typeof INBOUND_COLUMNS): string {
  const words = wordsOf({
    to: to.read(row.recipient, row),
    from: from.read(row.sender, row),
    text: row.content === null ? undefined : content.read(row.content, row),
    occurrence: row.occurrence === null ? undefined : occurrence.read(row.occurrence, row),
  });
  return String(said.write(words, row));
}

function termOf(row: AnyRow, { from, term }: Pick<typeof INBOUND_PART_COLUMNS, 'from' | 'term'>): string {
  return String(term.write(from.read(row.sender, row), row));
}

/** A hash tells nothing: it is made again of what it was made of. */
function tailOf(row: AnyRow, { to, tail }: typeof PARKED_COLUMNS): string {
  return String(tail.write(significantTail(to.read(row.recipient, row) ?? ''), row));
}

function optOutNumberOf(row: AnyRow, { recipient, number }: typeof OPT_OUT_COLUMNS): string {
  return String(number.write(recipient.read(row.recipient, row), row));
}

/** Terms of recipients, of all in the search index. */
export const RECIPIENT_TERMS = { from: 't', to: 'u' };

/** In SQL of both engines: what is not stored as it would be stored today. */
export function isOutdated({ name, kind, empty }: SealedColumn, sealing: string): string {
  const marks = kind === 'hashed' ? [BEGINNINGS.hash] : [BEGINNINGS.gcm, BEGINNINGS.ctr];
  if (sealing === PLAIN) return `substr(${name}, 1, 2) IN (${marks.map(mark => `'${mark}'`).join(', ')})`;
  const begins = `${marks[0]}${idText(sealing)}`;
  return `substr(${name}, 1, ${begins.length}) <> '${begins}'${isNot(name, empty)}`;
}

/** In SQL of both engines: how many values there are of each beginning, which `sealedCountOf` reads. */
export function countSql(
  table: string,
  { name, empty }: Pick<SealedColumn, 'name' | 'empty'>,
  where: string,
): string {
  return `SELECT substr(${name}, 1, ${BEGINNING_LENGTH}) AS begins, count(*) AS there FROM ${table}
    WHERE ${name} IS NOT NULL${isNot(name, empty)} AND ${where} GROUP BY 1`;
}

function isNot(name: string, empty: string | undefined): string {
  return empty === undefined ? '' : ` AND ${name} <> '${empty}'`;
}

const BEGINNING_LENGTH = 6;

export function sealedCountOf(table: string, row: AnyRow, ids: readonly string[]): SealedCount {
  const begins = String(row.begins);
  const form = FORMS.find(each => each !== 'plain' && begins.startsWith(BEGINNINGS[each])) ?? 'plain';
  const key = ids.find(id => begins.slice(2) === idText(id)) ?? '?';
  return { table, key: form === 'plain' ? PLAIN : key, form, values: Number(row.there) };
}
