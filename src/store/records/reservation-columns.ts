/** Reservations and the lists of their recipients. */
import type { AccountId, ResvKey } from '../../domain/ids.ts';
import type { RecipientList, Reservation } from '../../domain/reservation/reservation.ts';
import {
  bigint,
  type ColumnsOf,
  columnNames,
  flag,
  integer,
  json,
  optional,
  sealed,
  text,
} from './columns.ts';

/** Of the table `reservation`. */
export const RESERVATION_COLUMNS: ColumnsOf<Reservation> = {
  resvKey: text('resv_key'),
  account: text('account'),
  status: text('status'),
  sendAt: bigint('send_at'),
  keysAt: bigint('keys_at'),
  name: optional(sealed(text('name'), 'reservation.name', ['account', 'resv_key'])),
  ref: optional(text('ref')),
  paymentCode: optional(text('payment')),
  groupKey: optional(text('group_key')),
  traceparent: optional(text('traceparent')),
  source: optional(sealed(json('source'), 'reservation.source', ['account', 'resv_key'])),
  channels: json('channels'),
  isAdvertisement: flag('is_ad'),
  expected: integer('expected'),
  sent: integer('sent'),
  delivered: integer('delivered'),
  failed: integer('failed'),
  bytes: bigint('bytes'),
  createdAt: bigint('created_at'),
  updatedAt: bigint('updated_at'),
  endedAt: optional(bigint('ended_at')),
};

/** Of the table `reservation` without what is sent, which may be long. */
export const RESERVATION_HEAD = columnNames(RESERVATION_COLUMNS).replace('source', 'NULL AS source');

export interface StoredList extends RecipientList {
  readonly resvKey: ResvKey;
  readonly account: AccountId;
  /** With how many recipients it was made. */
  readonly size: number;
  readonly total: number;
  readonly delivered: number;
  readonly failed: number;
}

/** Of the table `reservation_list`, as it is stored. */
export const LIST_COLUMNS: ColumnsOf<StoredList> = {
  requestId: text('request_id'),
  resvKey: text('resv_key'),
  account: text('account'),
  recipients: sealed(
    json('recipients'),
    'reservation_list.recipients',
    ['account', 'resv_key', 'request_id'],
    '[]',
  ),
  size: integer('size'),
  total: integer('total'),
  delivered: integer('delivered'),
  failed: integer('failed'),
};
