/** Carriers' references, and the receipts that are parked because their reference is not known. */
import { parseAttemptId } from '../../domain/ids.ts';
import { significantTail } from '../../domain/request/phone-number.ts';
import type { ParkedReceipt } from '../port/queue-store.ts';
import type { CarrierRef, Parking, RefTarget } from '../settle-batch.ts';
import {
  type AnyRow,
  bigint,
  type ColumnsOf,
  hashed,
  integer,
  json,
  optional,
  readerOf,
  sealed,
  smallint,
  text,
} from './columns.ts';

/** Of the table `carrier_ref`: what a reference belongs to. */
export const REF_TARGET_COLUMNS: ColumnsOf<RefTarget> = {
  msgKey: text('msg_key'),
  step: integer('step'),
  attempt: integer('attempt'),
  part: smallint('part'),
  to: sealed(text('recipient'), 'carrier_ref.recipient', ['carrier', 'ref', 'msg_key', 'part'], ''),
};

/** Of the table `carrier_ref`. */
export const CARRIER_REF_COLUMNS: ColumnsOf<CarrierRef> = {
  carrier: text('carrier'),
  ref: text('ref'),
  ...REF_TARGET_COLUMNS,
  createdAt: bigint('created_at'),
};

interface ParkedFields extends Pick<ParkedReceipt, 'carrier' | 'ref' | 'receivedAt' | 'event'> {
  readonly lookAt: number;
  readonly to: string | undefined;
  readonly from: string | undefined;
  readonly tail: string | undefined;
}

export const RECIPIENT_TAIL = 'parked_receipt.recipient_tail';

/** Its id is not known before it is stored. Of one time, reference and recipient, two receipts say the same. */
const PARKED_BOUND_TO = ['carrier', 'ref', 'received_at', 'recipient_tail'];

/** Of the table `parked_receipt`. */
export const PARKED_COLUMNS: ColumnsOf<ParkedFields> = {
  carrier: text('carrier'),
  ref: text('ref'),
  receivedAt: bigint('received_at'),
  lookAt: bigint('look_at'),
  event: sealed(json('event'), 'parked_receipt.event', PARKED_BOUND_TO),
  to: optional(sealed(text('recipient'), 'parked_receipt.recipient', PARKED_BOUND_TO)),
  from: optional(sealed(text('sender'), 'parked_receipt.sender', PARKED_BOUND_TO)),
  tail: optional(hashed(text('recipient_tail'), RECIPIENT_TAIL)),
};

/** A receipt as it is parked: found by its recipient however that is written. */
export function parkedFieldsOf({ carrier, ref, receivedAt, lookAt, event, to, from }: Parking): ParkedFields {
  const tail = to === undefined ? undefined : significantTail(to);
  return { carrier, ref, receivedAt, lookAt, event, to, from, tail };
}

export function parkedReceiptReader(columns: typeof PARKED_COLUMNS): (row: AnyRow) => ParkedReceipt {
  const fieldsIn = readerOf(columns);
  return row => {
    const { carrier, ref, receivedAt, event, to, from } = fieldsIn(row);
    // Parked because its message could not be read.
    const about = parseAttemptId(ref);
    return {
      kind: 'receipt',
      ...{ carrier, ref, event, receivedAt },
      parkedId: Number(row.id),
      ...(to !== undefined && { to }),
      ...(from !== undefined && { from }),
      ...(about && { about }),
    };
  };
}
