/**
 * Where sealed values and keyed hashes are, for those who count them and seal them anew: for each table its key, in whose
 * order it is walked, and the columns. A column that is sealed anywhere must be here; a test compares.
 */
import { ERASED_RECIPIENT, significantTail } from '../domain/request/phone-number.ts';
import { BEGINNINGS, beginningsOf, PLAIN, type Vault } from '../platform/vault.ts';
import type { SealedCount } from './port/data-key-store.ts';
import { type AnyRow, bigint, type Column, integer, keptIn, text } from './records/columns.ts';
import { INBOUND_COLUMNS, INBOUND_PART_COLUMNS, wordsOf } from './records/inbound-columns.ts';
import { IDEMPOTENCY_COLUMNS, MESSAGE_COLUMNS, REQUEST_COLUMNS } from './records/message-columns.ts';
import { OPT_OUT_COLUMNS } from './records/opt-out-columns.ts';
import { CARRIER_REF_COLUMNS, PARKED_COLUMNS } from './records/receipt-columns.ts';
import { SINGLE_COLUMNS } from './records/records.ts';
import { LIST_COLUMNS, RESERVATION_COLUMNS } from './records/reservation-columns.ts';

export type KeyColumn = Pick<Column<never>, 'name' | 'type'>;

interface SealedColumn {
  readonly name: string;
  readonly kind: 'sealed' | 'hashed';
  /** Its value under the key of today. */
  readonly anew: (row: AnyRow) => string;
}

export interface SealedTable {
  readonly table: string;
  readonly key: readonly KeyColumn[];
  readonly columns: readonly SealedColumn[];
  /** Rows that can have something to seal. */
  readonly where?: string;
}

/** `refKey`: the key of carrier_ref, which the engines have in common no more than its rows. */
export function sealedTablesOf(vault: Vault | undefined, refKey: readonly KeyColumn[]): SealedTable[] {
  const single = keptIn(vault, SINGLE_COLUMNS);
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
    { table: 'carrier_ref', key: refKey, columns: [sealedIn(to)], where: "recipient <> ''" },
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
    { table: 'form', key: [account, text('form_id')], columns: [sealedIn(single.formEntries)] },
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
      where: "recent <> '[]'",
    },
    {
      table: 'set_aside',
      key: id,
      columns: [sealedIn(single.setAsideReason), sealedIn(single.setAsideEvent)],
    },
    {
      table: 'inbound',
      key: [inbound.msgKey],
      // Hashes first: they are made of what is sealed.
      columns: [
        { name: inbound.said.name, kind: 'hashed', anew: row => saidOf(row, inbound) },
        { name: inbound.term.name, kind: 'hashed', anew: row => termOf(row, inbound) },
        sealedIn(inbound.from),
        sealedIn(inbound.text),
      ],
      where: `sender <> '${ERASED_RECIPIENT}'`,
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

function sealedIn<Value>({ name, read, write }: Column<Value>): SealedColumn {
  return { name, kind: 'sealed', anew: row => String(write(read(row[name]))) };
}

function saidOf(row: AnyRow, { to, from, text: content, occurrence, said }: typeof INBOUND_COLUMNS): string {
  const words = wordsOf({
    to: to.read(row.recipient),
    from: from.read(row.sender),
    text: row.content === null ? undefined : content.read(row.content),
    occurrence: row.occurrence === null ? undefined : occurrence.read(row.occurrence),
  });
  return String(said.write(words));
}

function termOf(
  { sender }: AnyRow,
  { from, term }: Pick<typeof INBOUND_PART_COLUMNS, 'from' | 'term'>,
): string {
  return String(term.write(from.read(sender)));
}

/** A hash tells nothing: it is made again of what it was made of. */
function tailOf({ recipient }: AnyRow, { to, tail }: typeof PARKED_COLUMNS): string {
  return String(tail.write(significantTail(to.read(recipient) ?? '')));
}

function optOutNumberOf(
  { recipient: stored }: AnyRow,
  { recipient, number }: typeof OPT_OUT_COLUMNS,
): string {
  return String(number.write(recipient.read(stored)));
}

/** Terms of recipients, of all in the search index. */
export const RECIPIENT_TERMS = { from: 't', to: 'u' };

/** In SQL of both engines: what is not stored as it would be stored today. `expression` is the value. */
export function isOutdated(expression: string, kind: SealedColumn['kind'], sealing: string): string {
  const begins = sealing === PLAIN ? BEGINNINGS[kind] : beginningsOf(sealing)[kind];
  return `substr(${expression}, 1, ${begins.length}) ${sealing === PLAIN ? '=' : '<>'} '${begins}'`;
}

/** In SQL of both engines: how many values there are of each beginning, by which `keyOfBeginning` knows their key. */
export function countSql(table: string, expression: string, where: string): string {
  return `SELECT substr(${expression}, 1, ${BEGINNING_LENGTH}) AS begins, count(*) AS there FROM ${table}
    WHERE ${expression} IS NOT NULL AND ${where} GROUP BY 1`;
}

export function sealedCountOf(table: string, row: AnyRow, ids: readonly string[]): SealedCount {
  return { table, key: keyOfBeginning(String(row.begins), ids), values: Number(row.there) };
}

const BEGINNING_LENGTH = 6;

/** The key of these that a value with this beginning has; its first characters where it has another. */
function keyOfBeginning(beginning: string, ids: readonly string[]): string {
  const kinds = Object.values(BEGINNINGS);
  if (!kinds.some(mark => beginning.startsWith(mark))) return PLAIN;
  const isOf = (id: string) => Object.values(beginningsOf(id)).some(text => beginning.startsWith(text));
  return ids.find(isOf) ?? '?';
}
