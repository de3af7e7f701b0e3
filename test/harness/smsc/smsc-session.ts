/** One ESME that is connected to the SMSC of the tests. */
import type { Socket } from 'node:net';
import { decodePdu } from '../../../src/carriers/smpp/decode.ts';
import { encodePdu } from '../../../src/carriers/smpp/encode.ts';
import { FrameReader } from '../../../src/carriers/smpp/frame-reader.ts';
import type { Address, BindPdu, DataPdu, MessagePdu, Pdu } from '../../../src/carriers/smpp/pdu.ts';
import { PduWriter } from '../../../src/carriers/smpp/pdu-writer.ts';
import { STATUS } from '../../../src/carriers/smpp/statuses.ts';
import { byteTlv, cStringTlv, TAGS } from '../../../src/carriers/smpp/tlv.ts';
import type { Receipt, Smsc } from './smsc.ts';

const GARBAGE = Buffer.from('GET / HTTP/1.1\r\n\r\n');
const STATES = ['', 'ENROUTE', 'DELIVRD', 'EXPIRED', 'DELETED', 'UNDELIV', 'ACCEPTD', 'UNKNOWN', 'REJECTD'];
const RECEIPT_ESM_CLASS = 4;

export class SmscSession {
  readonly #socket: Socket;
  readonly #smsc: Smsc;
  readonly #frames = new FrameReader();
  readonly #writer = new PduWriter();
  /** Receipts that wait for their acknowledgement; one that is refused is sent again. */
  readonly #receipts = new Map<number, Pdu>();
  #sequence = 0;
  bound: BindPdu['command'] | undefined;

  constructor(socket: Socket, smsc: Smsc) {
    this.#socket = socket;
    this.#smsc = smsc;
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('data', chunk => {
      const isSound = this.#frames.push(chunk, frame => this.#handle(decodePdu(Buffer.from(frame))));
      if (!isSound) return this.drop();
      this.#flush();
    });
  }

  drop(): void {
    this.#socket.destroy();
  }

  /** A slow reader: nothing is read until `resume`. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Sends anything, as it is. */
  send(pdu: Pdu): void {
    encodePdu(this.#writer, pdu);
    this.#flush();
  }

  sendOctets(octets: Buffer): void {
    this.#socket.write(octets);
  }

  /** A message of a person: these fields of a deliver_sm, the others as usual. */
  deliver(fields: Partial<MessagePdu>): void {
    this.send({
      ...{ command: 'deliverSm', status: STATUS.ok, sequence: ++this.#sequence, serviceType: '' },
      source: { ton: 1, npi: 1, digits: '821012345678' },
      destination: { ton: 0, npi: 1, digits: '15881234' },
      ...{ esmClass: 0, protocolId: 0, priority: 0, scheduleTime: '', validity: '', registeredDelivery: 0 },
      ...{ replaceIfPresent: 0, dataCoding: 0, defaultMessageId: 0, shortMessage: Buffer.alloc(0), tlvs: [] },
      ...fields,
    });
  }

  sendReceipt(submit: MessagePdu, messageId: string, receipt: Receipt): void {
    const pdu = receiptPdu(submit, receipt.id ?? messageId, receipt, ++this.#sequence);
    if (!receipt.isSentOnce) this.#receipts.set(pdu.sequence, pdu);
    this.send(pdu);
  }

  #flush(): void {
    if (this.#writer.length > 0 && !this.#socket.destroyed) this.#socket.write(this.#writer.take());
  }

  #handle(pdu: ReturnType<typeof decodePdu>): void {
    const { sequence } = pdu;
    switch (pdu.command) {
      case 'bindTransmitter':
      case 'bindReceiver':
      case 'bindTransceiver': {
        this.#smsc.binds.push(pdu);
        const status = this.#smsc.behaviour.bind?.(pdu) ?? STATUS.ok;
        if (status === STATUS.ok) this.bound = pdu.command;
        this.#answer({
          command: `${pdu.command}Resp`,
          status,
          sequence,
          systemId: 'smsc',
          tlvs: [byteTlv(TAGS.scInterfaceVersion, 0x34)],
        });
        break;
      }
      case 'submitSm':
        this.#submitted(pdu);
        break;
      case 'enquireLink':
        this.#smsc.enquiries++;
        this.#smsc.lastEnquiry = sequence;
        if (this.#smsc.behaviour.isEnquiryAnswered?.() === false) return;
        this.#answer({ command: 'enquireLinkResp', status: STATUS.ok, sequence });
        break;
      case 'unbind':
        this.#smsc.unbinds++;
        this.#answer({ command: 'unbindResp', status: STATUS.ok, sequence });
        break;
      case 'deliverSmResp':
      case 'dataSmResp': {
        this.#smsc.acknowledged.push(pdu.status);
        const receipt = this.#receipts.get(sequence);
        if (receipt && pdu.status !== STATUS.ok) {
          this.#answer(receipt);
          return;
        }
        this.#receipts.delete(sequence);
        return;
      }
      case 'fault':
        this.#answer({ command: 'genericNack', status: pdu.status, sequence });
        break;
      default:
        return;
    }
  }

  #submitted(pdu: MessagePdu): void {
    const reply = this.#smsc.decide(pdu);
    const { sequence } = pdu;
    switch (reply.kind) {
      case 'accept': {
        const messageId = reply.id ?? this.#smsc.nextId();
        const receipt = pdu.registeredDelivery & 1 ? reply.receipt : undefined;
        const receiver = this.bound === 'bindTransceiver' ? this : this.#smsc.receiver;
        if (receipt && reply.isReceiptFirst) receiver?.sendReceipt(pdu, messageId, receipt);
        this.#answer({ command: 'submitSmResp', status: STATUS.ok, sequence, messageId, tlvs: [] });
        if (receipt && !reply.isReceiptFirst) receiver?.sendReceipt(pdu, messageId, receipt);
        return;
      }
      case 'refuse':
        this.#answer({
          command: 'submitSmResp',
          status: reply.status,
          sequence,
          messageId: '',
          tlvs: [],
        });
        break;
      case 'nack':
        this.#answer({ command: 'genericNack', status: reply.status, sequence });
        break;
      case 'silent':
        return;
      case 'drop':
        // What was answered before still arrives.
        this.#flush();
        this.#socket.end(() => this.#socket.destroy());
        return;
      case 'garbage':
        this.#flush();
        this.#socket.write(GARBAGE);
        return;
    }
  }

  #answer(pdu: Pdu): void {
    encodePdu(this.#writer, pdu);
  }
}

function receiptPdu(
  submit: MessagePdu,
  messageId: string,
  receipt: Receipt,
  sequence: number,
): MessagePdu | DataPdu {
  const { source, destination } = submit;
  const [from, to]: [Address, Address] = receipt.isReversed ? [source, destination] : [destination, source];
  const tlvs = receipt.withTlvs
    ? [
        cStringTlv(TAGS.receiptedMessageId, messageId),
        byteTlv(TAGS.messageState, STATES.indexOf(receipt.state)),
      ]
    : [];
  const text = receipt.text ?? receiptText(messageId, receipt.state);
  const esmClass = receipt.esmClass ?? RECEIPT_ESM_CLASS;
  const shared = { status: STATUS.ok, sequence, serviceType: '', source: from, destination: to, esmClass };
  if (receipt.asDataSm) {
    return { command: 'dataSm', ...shared, registeredDelivery: 0, dataCoding: 0, tlvs };
  }
  return {
    command: 'deliverSm',
    ...shared,
    protocolId: 0,
    priority: 0,
    scheduleTime: '',
    validity: '',
    registeredDelivery: 0,
    replaceIfPresent: 0,
    dataCoding: 0,
    defaultMessageId: 0,
    shortMessage: Buffer.from(receipt.withTlvs ? '' : text, 'latin1'),
    tlvs,
  };
}

function receiptText(messageId: string, state: string): string {
  const isDelivered = state === 'DELIVRD';
  return `id:${messageId} sub:001 dlvrd:${isDelivered ? '001' : '000'} submit date:2601050300 done date:2601050301 stat:${state} err:000 text:`;
}
