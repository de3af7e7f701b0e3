/** PDUs as octets. Values are not checked: the caller keeps to the sizes of the fields. */
import { type Address, COMMAND_IDS, type MessagePdu, type Pdu, type Tlv } from './pdu.ts';
import type { PduWriter } from './pdu-writer.ts';

export function encodePdu(writer: PduWriter, pdu: Pdu): void {
  writer.begin(COMMAND_IDS[pdu.command], pdu.status, pdu.sequence);
  switch (pdu.command) {
    case 'submitSm':
    case 'deliverSm':
      writeMessage(writer, pdu);
      break;
    case 'submitSmResp':
    case 'deliverSmResp':
    case 'dataSmResp':
      writer.cString(pdu.messageId);
      writeTlvs(writer, pdu.tlvs);
      break;
    case 'bindTransmitter':
    case 'bindReceiver':
    case 'bindTransceiver':
      writer.cString(pdu.systemId);
      writer.cString(pdu.password);
      writer.cString(pdu.systemType);
      writer.uint8(pdu.interfaceVersion);
      writer.uint8(pdu.addressTon);
      writer.uint8(pdu.addressNpi);
      writer.cString(pdu.addressRange);
      break;
    case 'bindTransmitterResp':
    case 'bindReceiverResp':
    case 'bindTransceiverResp':
      writer.cString(pdu.systemId);
      writeTlvs(writer, pdu.tlvs);
      break;
    case 'outbind':
      writer.cString(pdu.systemId);
      writer.cString(pdu.password);
      break;
    case 'dataSm':
      writer.cString(pdu.serviceType);
      writeAddress(writer, pdu.source);
      writeAddress(writer, pdu.destination);
      writer.uint8(pdu.esmClass);
      writer.uint8(pdu.registeredDelivery);
      writer.uint8(pdu.dataCoding);
      writeTlvs(writer, pdu.tlvs);
      break;
    case 'enquireLink':
    case 'enquireLinkResp':
    case 'unbind':
    case 'unbindResp':
    case 'genericNack':
      break;
  }
  writer.finish();
}

/** A submit whose sequence number is known only now; the one PDU that is written by the thousand. */
export function encodeSubmit(
  writer: PduWriter,
  fields: Omit<MessagePdu, 'sequence'>,
  sequence: number,
): void {
  writer.begin(COMMAND_IDS[fields.command], fields.status, sequence);
  writeMessage(writer, fields);
  writer.finish();
}

function writeMessage(writer: PduWriter, pdu: Omit<MessagePdu, 'sequence'>): void {
  writer.cString(pdu.serviceType);
  writeAddress(writer, pdu.source);
  writeAddress(writer, pdu.destination);
  writer.uint8(pdu.esmClass);
  writer.uint8(pdu.protocolId);
  writer.uint8(pdu.priority);
  writer.cString(pdu.scheduleTime);
  writer.cString(pdu.validity);
  writer.uint8(pdu.registeredDelivery);
  writer.uint8(pdu.replaceIfPresent);
  writer.uint8(pdu.dataCoding);
  writer.uint8(pdu.defaultMessageId);
  writer.uint8(pdu.shortMessage.length);
  writer.octets(pdu.shortMessage);
  writeTlvs(writer, pdu.tlvs);
}

function writeAddress(writer: PduWriter, { ton, npi, digits }: Address): void {
  writer.uint8(ton);
  writer.uint8(npi);
  writer.cString(digits);
}

function writeTlvs(writer: PduWriter, tlvs: readonly Tlv[]): void {
  for (const { tag, value } of tlvs) {
    writer.uint16(tag);
    writer.uint16(value.length);
    writer.octets(value);
  }
}
