/** The receipt of a submit as an SMSC sends it: a deliver_sm or data_sm, with the state in its text or in its TLVs. */
import type { DataPdu, MessagePdu } from '../../../src/carriers/smpp/pdu.ts';
import { STATUS } from '../../../src/carriers/smpp/statuses.ts';
import { byteTlv, cStringTlv, TAGS } from '../../../src/carriers/smpp/tlv.ts';

export interface Receipt {
  /** Id in the receipt; without it, the id of the answer. */
  readonly id?: string;
  readonly state: string;
  /** Text instead of the usual one. */
  readonly text?: string;
  readonly esmClass?: number;
  /** The state is in optional parameters, and there is no text. */
  readonly withTlvs?: boolean;
  readonly asDataSm?: boolean;
  /** Source and destination are those of the submit. */
  readonly isReversed?: boolean;
  /** It is not sent again if it is refused. */
  readonly isSentOnce?: boolean;
}

/** A receipt and the submit that it belongs to. */
export interface PendingReceipt {
  readonly submit: MessagePdu;
  /** Id in the answer to the submit. */
  readonly messageId: string;
  readonly receipt: Receipt;
}

const STATES = ['', 'ENROUTE', 'DELIVRD', 'EXPIRED', 'DELETED', 'UNDELIV', 'ACCEPTD', 'UNKNOWN', 'REJECTD'];
const RECEIPT_ESM_CLASS = 4;

export function receiptPdu(
  { submit, messageId, receipt }: PendingReceipt,
  sequence: number,
): MessagePdu | DataPdu {
  const { id = messageId, state, withTlvs = false, esmClass = RECEIPT_ESM_CLASS } = receipt;
  const tlvs = withTlvs
    ? [cStringTlv(TAGS.receiptedMessageId, id), byteTlv(TAGS.messageState, STATES.indexOf(state))]
    : [];
  const text = withTlvs ? '' : (receipt.text ?? receiptText(id, state));
  const shared = {
    ...{ status: STATUS.ok, sequence, serviceType: '', esmClass },
    source: receipt.isReversed ? submit.source : submit.destination,
    destination: receipt.isReversed ? submit.destination : submit.source,
    ...{ registeredDelivery: 0, dataCoding: 0, tlvs },
  };
  if (receipt.asDataSm) return { command: 'dataSm', ...shared };
  return {
    command: 'deliverSm',
    ...shared,
    ...{ protocolId: 0, priority: 0, scheduleTime: '', validity: '', replaceIfPresent: 0 },
    defaultMessageId: 0,
    shortMessage: Buffer.from(text, 'latin1'),
  };
}

function receiptText(id: string, state: string): string {
  const delivered = state === 'DELIVRD' ? '001' : '000';
  return `id:${id} sub:001 dlvrd:${delivered} submit date:2601050300 done date:2601050301 stat:${state} err:000 text:`;
}
