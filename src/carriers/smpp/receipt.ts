/**
 * Delivery receipts, as deliver_sm or data_sm.
 *
 * Optional parameters win over the text, which every vendor writes a little differently: fields may be missing, in any
 * case, and in any order. A message is a receipt when the SMSC marks it as one: by `esm_class`, or by the optional parameters
 * of receipts. A text alone can come from any handset; it counts only where the carrier is set so (`receipts: text`), and
 * only from a handset's number, since a receipt settles no message to another number than it names (store/event-target.ts).
 */
import { DELIVERED, type ReportCode } from '../../domain/reports/report-codes.ts';
import { cleanText } from '../clean-text.ts';
import { isHandset, isHidden, numberOf } from './addresses.ts';
import type { DataPdu, MessagePdu } from './pdu.ts';
import { numberTlv, TAGS, textTlv, tlvOf } from './tlv.ts';

/** `marked`: only what the SMSC marks is a receipt. `text`: also what reads like one. */
export type ReceiptsBy = 'marked' | 'text';

export type Receipt =
  /** Not a receipt: a message that somebody sent us. */
  | { readonly kind: 'inbound'; readonly looksLikeReceipt: boolean }
  /** Still on its way. */
  | { readonly kind: 'intermediate'; readonly state: string }
  /** A receipt that lacks the message id or the outcome. */
  | { readonly kind: 'unreadable'; readonly missing: 'id' | 'state' }
  | FinalReceipt;

export interface FinalReceipt {
  readonly kind: 'final';
  readonly messageId: string;
  readonly reportCode: ReportCode;
  /** The recipient. */
  readonly to: string;
  /** The sender. */
  readonly from: string;
}

type State =
  | 'enroute'
  | 'delivered'
  | 'expired'
  | 'deleted'
  | 'undeliverable'
  | 'accepted'
  | 'unknown'
  | 'rejected';

/** message_state of the standard, from 1. */
const STATE_OF_NUMBER: readonly (State | undefined)[] = [
  // 5.0: scheduled, and skipped below.
  'enroute',
  'enroute',
  'delivered',
  'expired',
  'deleted',
  'undeliverable',
  'accepted',
  'unknown',
  'rejected',
  'rejected',
];

/** By the head of the word, in lower case: `DELIVRD`, `Delivered`, `UNDELIV`, `Undeliverable` … */
const STATE_OF_WORD: readonly (readonly [head: string, state: State])[] = [
  ['deliv', 'delivered'],
  ['expir', 'expired'],
  ['delet', 'deleted'],
  ['undel', 'undeliverable'],
  ['accep', 'accepted'],
  ['unkno', 'unknown'],
  ['rejec', 'rejected'],
  ['enrou', 'enroute'],
  ['sched', 'enroute'],
  ['buffe', 'enroute'],
  ['skipp', 'rejected'],
  ['faile', 'undeliverable'],
];

const REPORT_OF_STATE: Readonly<Record<State, ReportCode | undefined>> = {
  enroute: undefined,
  accepted: undefined,
  delivered: DELIVERED,
  expired: '22000',
  deleted: '22006',
  undeliverable: '23000',
  unknown: '99999',
  rejected: '23013',
};

const RECEIPT_BITS = 0x3c;
const INTERMEDIATE_BITS = 0x20;
const UCS2 = 8;
/** Longer texts are not receipts; none is searched further. */
const LONGEST_RECEIPT = 1024;

const ID = /(?:^|\s)id\s*:\s*([^\s]{1,255})/i;
const STATE = /(?:^|\s)stat(?:us)?\s*:\s*([a-z]{5,20})/i;
/** After it comes the beginning of the message, which may look like anything. */
const MESSAGE_TEXT = /\stext\s*:/i;

export function readReceipt(pdu: MessagePdu | DataPdu, receipts: ReceiptsBy): Receipt {
  const text = receiptText(pdu);
  const fields = { id: ID.exec(text)?.[1], state: stateOfWord(STATE.exec(text)?.[1]) };
  const given = {
    id: idOf(textTlv(pdu.tlvs, TAGS.receiptedMessageId)),
    state: stateOfNumber(numberTlv(pdu.tlvs, TAGS.messageState, 1)),
  };
  const messageId = given.id ?? idOf(fields.id);
  const state = given.state ?? fields.state;
  const hasParameters = given.id !== undefined && given.state !== undefined;
  const isMarked = (pdu.esmClass & RECEIPT_BITS) !== 0 || hasParameters;
  if (!isMarked) {
    const looksLikeReceipt = messageId !== undefined && state !== undefined;
    const isTaken = receipts === 'text' && isHandset(pdu.source);
    if (!looksLikeReceipt || !isTaken) return { kind: 'inbound', looksLikeReceipt };
  }
  if (state === undefined) {
    return (pdu.esmClass & RECEIPT_BITS) === INTERMEDIATE_BITS
      ? { kind: 'intermediate', state: 'unknown' }
      : { kind: 'unreadable', missing: 'state' };
  }
  const reportCode = REPORT_OF_STATE[state];
  if (reportCode === undefined) return { kind: 'intermediate', state };
  if (messageId === undefined) return { kind: 'unreadable', missing: 'id' };
  return { kind: 'final', messageId, reportCode, ...partiesOf(pdu) };
}

/** The id without control characters; undefined when nothing is left. */
function idOf(text: string | undefined): string | undefined {
  return cleanText(text ?? '') || undefined;
}

/**
 * A receipt comes from the recipient; where only the other address can be a handset's, the peer swapped them. A source that is
 * empty or hidden is a recipient that the peer does not tell.
 */
function partiesOf({ source, destination }: MessagePdu | DataPdu) {
  const isSwapped = !isHandset(source) && !isHidden(source) && isHandset(destination);
  const [to, from] = isSwapped ? [destination, source] : [source, destination];
  return { to: cleanText(numberOf(to)), from: cleanText(numberOf(from)) };
}

function receiptText(pdu: MessagePdu | DataPdu): string {
  const short = pdu.command === 'dataSm' ? undefined : pdu.shortMessage;
  const octets = short && short.length > 0 ? short : tlvOf(pdu.tlvs, TAGS.messagePayload);
  if (!octets || octets.length > LONGEST_RECEIPT) return '';
  const bytes = Buffer.from(octets);
  const text =
    pdu.dataCoding === UCS2 && bytes.length % 2 === 0
      ? bytes.swap16().toString('utf16le')
      : bytes.toString('latin1');
  const end = text.search(MESSAGE_TEXT);
  return end === -1 ? text : text.slice(0, end);
}

function stateOfWord(word: string | undefined): State | undefined {
  const lower = word?.toLowerCase();
  return STATE_OF_WORD.find(([head]) => lower?.startsWith(head))?.[1];
}

function stateOfNumber(number: number | undefined): State | undefined {
  return number === undefined ? undefined : STATE_OF_NUMBER[number];
}
