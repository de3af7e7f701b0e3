/** One connection of an ESME to an SMSC of the tests. It answers what every SMSC answers alike; the SMSC decides the rest. */
import type { Socket } from 'node:net';
import { type DecodeFault, decodePdu } from '../../../src/carriers/smpp/decode.ts';
import { encodePdu } from '../../../src/carriers/smpp/encode.ts';
import { FrameReader } from '../../../src/carriers/smpp/frame-reader.ts';
import type { BindPdu, MessagePdu, Pdu } from '../../../src/carriers/smpp/pdu.ts';
import { PduWriter } from '../../../src/carriers/smpp/pdu-writer.ts';
import { STATUS } from '../../../src/carriers/smpp/statuses.ts';
import { byteTlv, TAGS } from '../../../src/carriers/smpp/tlv.ts';
import { type PendingReceipt, type Receipt, receiptPdu } from './receipt-pdu.ts';
import type { SmscServer } from './smsc-server.ts';

export class SmscSession {
  readonly #socket: Socket;
  readonly #smsc: SmscServer;
  readonly #writer = new PduWriter();
  readonly #receipts = new Map<number, PendingReceipt>();
  #sequence = 0;
  /** While PDUs of one chunk are handled, the answers wait, so that they leave in one write. */
  #isReading = false;
  /** The command it is bound with. */
  bound: BindPdu['command'] | undefined;

  constructor(socket: Socket, smsc: SmscServer) {
    this.#socket = socket;
    this.#smsc = smsc;
    const frames = new FrameReader();
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('data', chunk => {
      this.#isReading = true;
      // A copy, because submits are kept and the octets belong to the chunk.
      const isSound = frames.push(chunk, frame => this.#handle(decodePdu(Buffer.from(frame))));
      this.#isReading = false;
      if (isSound) this.#flush();
      else this.drop();
    });
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  /** Receipts that were sent and not answered. */
  get unanswered(): PendingReceipt[] {
    return [...this.#receipts.values()];
  }

  /** Closes the connection without an unbind. */
  drop(): void {
    this.bound = undefined;
    this.#socket.destroy();
  }

  /** Closes it with a TCP reset: octets on the wire are lost in both directions. */
  reset(): void {
    this.bound = undefined;
    this.#socket.resetAndDestroy();
  }

  /** Ends our direction after everything that was sent. */
  end(done?: () => void): void {
    this.#flush();
    this.#socket.end(done);
  }

  /** Reads nothing until `resume`. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Sends any PDU, whether or not an SMSC may send it. */
  send(pdu: Pdu): void {
    encodePdu(this.#writer, pdu);
    if (!this.#isReading) this.#flush();
  }

  /** Sends octets that need not be SMPP. */
  sendOctets(octets: Buffer): void {
    this.#flush();
    if (this.isOpen) this.#socket.write(octets);
  }

  answerSubmit(sequence: number, status: number, messageId = ''): void {
    this.send({ command: 'submitSmResp', status, sequence, messageId, tlvs: [] });
  }

  /** Sends a message of a person: a deliver_sm with these fields, the others as usual. */
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
    const pending = { submit, messageId, receipt };
    this.#receipts.set(++this.#sequence, pending);
    this.send(receiptPdu(pending, this.#sequence));
  }

  #flush(): void {
    if (this.#writer.length === 0) return;
    const octets = this.#writer.take();
    if (this.isOpen) this.#socket.write(octets);
  }

  #handle(pdu: Pdu | DecodeFault): void {
    const { sequence } = pdu;
    switch (pdu.command) {
      case 'bindTransmitter':
      case 'bindReceiver':
      case 'bindTransceiver':
        this.#bind(pdu);
        break;
      case 'submitSm':
        this.#smsc.submitted(pdu, this);
        break;
      case 'enquireLink':
        if (this.#smsc.enquired(sequence)) this.send({ command: 'enquireLinkResp', status: 0, sequence });
        break;
      case 'unbind':
        this.bound = undefined;
        this.#smsc.unbound();
        this.send({ command: 'unbindResp', status: 0, sequence });
        break;
      case 'deliverSmResp':
      case 'dataSmResp': {
        const receipt = this.#receipts.get(sequence);
        this.#receipts.delete(sequence);
        this.#smsc.receiptAnswered(pdu, receipt, this);
        break;
      }
      case 'fault':
        this.send({ command: 'genericNack', status: pdu.status, sequence });
        this.#smsc.heard(pdu, this);
        break;
      default:
        this.#smsc.heard(pdu, this);
    }
  }

  #bind(bind: BindPdu): void {
    const status = this.#smsc.bindStatus(bind, this);
    if (status === undefined) return;
    this.send({
      command: `${bind.command}Resp`,
      status,
      sequence: bind.sequence,
      systemId: 'smsc',
      tlvs: [byteTlv(TAGS.scInterfaceVersion, 0x34)],
    });
    if (status !== STATUS.ok) return;
    this.bound = bind.command;
    this.#smsc.bound(this);
  }
}
