/** Texts as the SMSC received them: decoded, and long ones joined from their parts. */
import { decodeGsm } from '../../../src/carriers/smpp/gsm-alphabet.ts';
import type { MessagePdu } from '../../../src/carriers/smpp/pdu.ts';
import { numberTlv, TAGS, tlvOf } from '../../../src/carriers/smpp/tlv.ts';

const UDH_INDICATOR = 0x40;

interface Place {
  readonly reference: number;
  readonly total: number;
  readonly index: number;
}

/** Which part of a long message a submit is; undefined if it is a whole message. */
export function placeOf({ esmClass, shortMessage, tlvs }: MessagePdu): Place | undefined {
  if (esmClass & UDH_INDICATOR) {
    const [, element, , reference = 0, total = 0, index = 0] = shortMessage;
    return element === 0 ? { reference, total, index } : undefined;
  }
  const reference = numberTlv(tlvs, TAGS.sarMsgRefNum, 2);
  const total = numberTlv(tlvs, TAGS.sarTotalSegments, 1);
  const index = numberTlv(tlvs, TAGS.sarSegmentSeqnum, 1);
  if (reference === undefined || total === undefined || index === undefined) return undefined;
  return { reference, total, index };
}

function textOf({ esmClass, shortMessage, tlvs, dataCoding }: MessagePdu): string {
  const octets = Buffer.from(tlvOf(tlvs, TAGS.messagePayload) ?? shortMessage);
  const body = esmClass & UDH_INDICATOR ? octets.subarray(1 + (octets[0] ?? 0)) : octets;
  switch (dataCoding) {
    case 0:
      return decodeGsm(body);
    case 8:
      return Buffer.from(body).swap16().toString('utf16le');
    default:
      return body.toString('latin1');
  }
}

/** Joins parts as a handset does. */
export class Reassembly {
  readonly #parts = new Map<string, Map<number, string>>();

  /** The whole text with its last part; undefined before. */
  add(pdu: MessagePdu): string | undefined {
    const place = placeOf(pdu);
    if (!place) return textOf(pdu);
    const key = `${pdu.source.digits} ${pdu.destination.digits} ${place.reference} ${place.total}`;
    const parts = this.#parts.get(key) ?? new Map<number, string>();
    this.#parts.set(key, parts.set(place.index, textOf(pdu)));
    if (parts.size < place.total) return undefined;
    this.#parts.delete(key);
    return [...parts]
      .sort(([a], [b]) => a - b)
      .map(([, text]) => text)
      .join('');
  }
}
