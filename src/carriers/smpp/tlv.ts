/** Optional parameters (SMPP 3.4, 5.3): tags the gateway uses, and how their values are read and made. */
import type { Tlv } from './pdu.ts';

export const TAGS = {
  receiptedMessageId: 0x001e,
  sarMsgRefNum: 0x020c,
  sarTotalSegments: 0x020e,
  sarSegmentSeqnum: 0x020f,
  scInterfaceVersion: 0x0210,
  networkErrorCode: 0x0423,
  messagePayload: 0x0424,
  messageState: 0x0427,
} as const;

export function tlvOf(tlvs: readonly Tlv[], tag: number): Uint8Array | undefined {
  for (const tlv of tlvs) if (tlv.tag === tag) return tlv.value;
  return undefined;
}

/** The unsigned number a TLV holds; undefined where it is not there or has another size. */
export function numberTlv(tlvs: readonly Tlv[], tag: number, bytes: 1 | 2): number | undefined {
  const value = tlvOf(tlvs, tag);
  if (value?.length !== bytes) return undefined;
  return bytes === 1 ? value[0] : (value[0] ?? 0) * 256 + (value[1] ?? 0);
}

/** The text a TLV holds; its closing NUL is no part of it, and some peers leave it out. */
export function textTlv(tlvs: readonly Tlv[], tag: number): string | undefined {
  const value = tlvOf(tlvs, tag);
  if (!value) return undefined;
  const end = value.indexOf(0);
  return Buffer.from(value.buffer, value.byteOffset, end === -1 ? value.length : end).toString('latin1');
}

export function byteTlv(tag: number, value: number): Tlv {
  return { tag, value: Uint8Array.of(value) };
}

export function shortTlv(tag: number, value: number): Tlv {
  return { tag, value: Uint8Array.of(value >> 8, value & 0xff) };
}

export function cStringTlv(tag: number, value: string): Tlv {
  return { tag, value: Buffer.from(`${value}\0`, 'latin1') };
}
