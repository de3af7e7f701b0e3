/**
 * A deliver_sm or data_sm that is no receipt: who wrote to whom, and the text, or one part of it. Octets that are not in the
 * alphabet of their `data_coding` are not read: the message is refused, and the operator is told.
 */
import type { CarrierInbound, InboundPart } from '../carrier.ts';
import { cleanText } from '../clean-text.ts';
import { numberOf } from './addresses.ts';
import { type DataCodings, inboundAlphabetOf, isReadable, readOctets } from './inbound-text.ts';
import type { DataPdu, MessagePdu } from './pdu.ts';
import { numberTlv, TAGS, tlvOf } from './tlv.ts';

const UDH_INDICATOR = 0x40;
/** Elements of a user data header (3GPP 23.040): parts with a reference of one octet, and of two. */
const CONCATENATED = 0x00;
const CONCATENATED_16 = 0x08;

type Place = Pick<InboundPart, 'reference' | 'part' | 'total'>;

/** Undefined if the octets are not in their alphabet. */
export function readInbound(pdu: MessagePdu | DataPdu, codings: DataCodings): CarrierInbound | undefined {
  const short = pdu.command === 'dataSm' ? undefined : pdu.shortMessage;
  const octets = short && short.length > 0 ? short : (tlvOf(pdu.tlvs, TAGS.messagePayload) ?? EMPTY);
  const { place: headed, body } =
    (pdu.esmClass & UDH_INDICATOR) !== 0 ? withoutHeader(octets) : { body: octets };
  const place = headed ?? sarPlace(pdu);
  const alphabet = inboundAlphabetOf(pdu.dataCoding, codings);
  const isPart = place !== undefined && place.total > 1;
  if (!isReadable(alphabet, body, isPart)) return undefined;
  const parties = { from: cleanText(numberOf(pdu.source)), to: cleanText(numberOf(pdu.destination)) };
  if (isPart) {
    return { ...parties, content: { kind: 'part', ...place, alphabet, octets: Buffer.from(body) } };
  }
  return { ...parties, content: { kind: 'text', text: readOctets(alphabet, body) } };
}

const EMPTY = new Uint8Array(0);

/** A header that does not fit is no header: then everything is text. */
function withoutHeader(octets: Uint8Array): { readonly place?: Place; readonly body: Uint8Array } {
  const end = 1 + (octets[0] ?? 0);
  if (octets.length === 0 || end > octets.length) return { body: octets };
  const body = octets.subarray(end);
  for (let at = 1; at + 2 <= end; ) {
    const [element = 0, length = 0] = octets.subarray(at, at + 2);
    const place = placeOf(element, octets.subarray(at + 2, Math.min(end, at + 2 + length)));
    if (place) return { place, body };
    at += 2 + length;
  }
  return { body };
}

function placeOf(element: number, value: Uint8Array): Place | undefined {
  const [a = 0, b = 0, c = 0, d = 0] = value;
  if (element === CONCATENATED && value.length === 3) return checked(`udh ${a}`, b, c);
  if (element === CONCATENATED_16 && value.length === 4) return checked(`udh16 ${a * 256 + b}`, c, d);
  return undefined;
}

function sarPlace({ tlvs }: MessagePdu | DataPdu): Place | undefined {
  const reference = numberTlv(tlvs, TAGS.sarMsgRefNum, 2);
  const total = numberTlv(tlvs, TAGS.sarTotalSegments, 1);
  const part = numberTlv(tlvs, TAGS.sarSegmentSeqnum, 1);
  if (reference === undefined || total === undefined || part === undefined) return undefined;
  return checked(`sar ${reference}`, total, part);
}

function checked(reference: string, total: number, part: number): Place | undefined {
  return part >= 1 && part <= total ? { reference, part, total } : undefined;
}
