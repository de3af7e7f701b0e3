/**
 * Octets as PDUs. A request whose body is cut off, runs over its fields or has more octets than its length says is a fault,
 * and is never read as if it were right: the other side gets the `command_status` of the fault. Of a response the status
 * decides, whatever its body is like: what of the body cannot be read is left out.
 */
import { type BindPdu, COMMAND_IDS, type Command, HEADER_BYTES, type Pdu, RESPONSE_BIT } from './pdu.ts';
import { PduReader } from './pdu-reader.ts';
import { STATUS } from './statuses.ts';

export interface DecodeFault {
  readonly command: 'fault';
  readonly commandId: number;
  readonly sequence: number;
  /** The `command_status` to answer with. */
  readonly status: number;
}

/** Sizes of the standard with their NUL; where peers are known to write more, room for it. */
const MOST = {
  systemId: 64,
  password: 65,
  systemType: 33,
  addressRange: 65,
  serviceType: 17,
  address: 65,
  time: 18,
  messageId: 256,
} as const;

const COMMAND_OF_ID: ReadonlyMap<number, Command> = new Map(
  Object.entries(COMMAND_IDS).map(([command, id]) => [id, command as Command]),
);

/** `frame` is one whole PDU, as the frame reader gives it. */
export function decodePdu(frame: Buffer): Pdu | DecodeFault {
  const commandId = frame.readUInt32BE(4);
  const status = frame.readUInt32BE(8);
  const sequence = frame.readUInt32BE(12);
  const command = COMMAND_OF_ID.get(commandId);
  if (command === undefined)
    return { command: 'fault', commandId, sequence, status: STATUS.invalidCommandId };
  const reader = new PduReader(frame, HEADER_BYTES);
  const pdu = readBody(reader, command, { status, sequence });
  if (reader.fault !== undefined && commandId < RESPONSE_BIT)
    return { command: 'fault', commandId, sequence, status: reader.fault };
  return pdu;
}

/** The answer to a PDU that cannot be read: a request is refused, an answer gets none. */
export function refusalOf({ commandId, sequence, status }: DecodeFault): Pdu | undefined {
  switch (commandId) {
    case COMMAND_IDS.deliverSm:
      return { command: 'deliverSmResp', status, sequence, messageId: '', tlvs: [] };
    case COMMAND_IDS.dataSm:
      return { command: 'dataSmResp', status, sequence, messageId: '', tlvs: [] };
    default:
      return commandId < RESPONSE_BIT ? { command: 'genericNack', status, sequence } : undefined;
  }
}

function readBody(reader: PduReader, command: Command, header: { status: number; sequence: number }): Pdu {
  const { status, sequence } = header;
  switch (command) {
    case 'submitSmResp':
    case 'deliverSmResp':
    case 'dataSmResp': {
      // A refusal has no body by the standard, and many peers leave it out of other answers too.
      const messageId = reader.lastCString(MOST.messageId);
      return { command, status, sequence, messageId, tlvs: reader.tlvs() };
    }
    case 'submitSm':
    case 'deliverSm':
      return {
        command,
        status,
        sequence,
        serviceType: reader.cString(MOST.serviceType),
        source: reader.address(MOST.address),
        destination: reader.address(MOST.address),
        esmClass: reader.uint8(),
        protocolId: reader.uint8(),
        priority: reader.uint8(),
        scheduleTime: reader.cString(MOST.time),
        validity: reader.cString(MOST.time),
        registeredDelivery: reader.uint8(),
        replaceIfPresent: reader.uint8(),
        dataCoding: reader.uint8(),
        defaultMessageId: reader.uint8(),
        shortMessage: reader.octets(reader.uint8()),
        tlvs: reader.tlvs(),
      };
    case 'dataSm':
      return {
        command,
        status,
        sequence,
        serviceType: reader.cString(MOST.serviceType),
        source: reader.address(MOST.address),
        destination: reader.address(MOST.address),
        esmClass: reader.uint8(),
        registeredDelivery: reader.uint8(),
        dataCoding: reader.uint8(),
        tlvs: reader.tlvs(),
      };
    case 'bindTransmitter':
    case 'bindReceiver':
    case 'bindTransceiver':
      return readBind(reader, command, header);
    case 'bindTransmitterResp':
    case 'bindReceiverResp':
    case 'bindTransceiverResp': {
      const systemId = reader.lastCString(MOST.systemId);
      return { command, status, sequence, systemId, tlvs: reader.tlvs() };
    }
    case 'outbind':
      return {
        command,
        status,
        sequence,
        systemId: reader.cString(MOST.systemId),
        password: reader.cString(MOST.password),
      };
    case 'enquireLink':
    case 'enquireLinkResp':
    case 'unbind':
    case 'unbindResp':
    case 'genericNack':
      return { command, status, sequence };
  }
}

function readBind(
  reader: PduReader,
  command: BindPdu['command'],
  { status, sequence }: { status: number; sequence: number },
): BindPdu {
  return {
    command,
    status,
    sequence,
    systemId: reader.cString(MOST.systemId),
    password: reader.cString(MOST.password),
    systemType: reader.cString(MOST.systemType),
    interfaceVersion: reader.uint8(),
    addressTon: reader.uint8(),
    addressNpi: reader.uint8(),
    addressRange: reader.cString(MOST.addressRange),
  };
}
