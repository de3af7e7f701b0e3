/** The SMPP PDUs the gateway speaks, as values. Encoding and decoding them is pure; the session knows what they mean. */

/** Bit 31 marks the answer to a command. */
export const RESPONSE_BIT = 0x80000000;

export const COMMAND_IDS = {
  genericNack: 0x80000000,
  bindReceiver: 0x00000001,
  bindReceiverResp: 0x80000001,
  bindTransmitter: 0x00000002,
  bindTransmitterResp: 0x80000002,
  submitSm: 0x00000004,
  submitSmResp: 0x80000004,
  deliverSm: 0x00000005,
  deliverSmResp: 0x80000005,
  unbind: 0x00000006,
  unbindResp: 0x80000006,
  bindTransceiver: 0x00000009,
  bindTransceiverResp: 0x80000009,
  outbind: 0x0000000b,
  enquireLink: 0x00000015,
  enquireLinkResp: 0x80000015,
  dataSm: 0x00000103,
  dataSmResp: 0x80000103,
} as const;

export type Command = keyof typeof COMMAND_IDS;

/** An optional parameter. Those we do not know are kept as they are. */
export interface Tlv {
  readonly tag: number;
  readonly value: Uint8Array;
}

/** A telephone address with its type of number and numbering plan. */
export interface Address {
  readonly ton: number;
  readonly npi: number;
  readonly digits: string;
}

interface Header {
  /** `command_status`; 0 in requests. */
  readonly status: number;
  readonly sequence: number;
}

export interface BindPdu extends Header {
  readonly command: 'bindTransmitter' | 'bindReceiver' | 'bindTransceiver';
  readonly systemId: string;
  readonly password: string;
  readonly systemType: string;
  readonly interfaceVersion: number;
  readonly addressTon: number;
  readonly addressNpi: number;
  readonly addressRange: string;
}

export interface BindRespPdu extends Header {
  readonly command: 'bindTransmitterResp' | 'bindReceiverResp' | 'bindTransceiverResp';
  readonly systemId: string;
  readonly tlvs: readonly Tlv[];
}

export interface OutbindPdu extends Header {
  readonly command: 'outbind';
  readonly systemId: string;
  readonly password: string;
}

/** submit_sm and deliver_sm have the same body. */
export interface MessagePdu extends Header {
  readonly command: 'submitSm' | 'deliverSm';
  readonly serviceType: string;
  readonly source: Address;
  readonly destination: Address;
  readonly esmClass: number;
  readonly protocolId: number;
  readonly priority: number;
  readonly scheduleTime: string;
  readonly validity: string;
  readonly registeredDelivery: number;
  readonly replaceIfPresent: number;
  readonly dataCoding: number;
  readonly defaultMessageId: number;
  /** At most 255 octets. */
  readonly shortMessage: Uint8Array;
  readonly tlvs: readonly Tlv[];
}

export interface DataPdu extends Header {
  readonly command: 'dataSm';
  readonly serviceType: string;
  readonly source: Address;
  readonly destination: Address;
  readonly esmClass: number;
  readonly registeredDelivery: number;
  readonly dataCoding: number;
  readonly tlvs: readonly Tlv[];
}

export interface MessageRespPdu extends Header {
  readonly command: 'submitSmResp' | 'deliverSmResp' | 'dataSmResp';
  /** '' where the answer has no body, as a refusal may. */
  readonly messageId: string;
  readonly tlvs: readonly Tlv[];
}

export interface BarePdu extends Header {
  readonly command: 'enquireLink' | 'enquireLinkResp' | 'unbind' | 'unbindResp' | 'genericNack';
}

export type Pdu = BindPdu | BindRespPdu | OutbindPdu | MessagePdu | DataPdu | MessageRespPdu | BarePdu;

export const HEADER_BYTES = 16;

/** Enough for a message_payload of 64 KB beside every other field. */
export const MAX_PDU_BYTES = 70_000;
