/**
 * An SMSC that follows the script of a test and remembers what came. Without a script it accepts and delivers everything.
 * A receipt that is refused is sent again on the same connection.
 */
import type { TlsOptions } from 'node:tls';
import type { BindPdu, MessagePdu, MessageRespPdu } from '../../../src/carriers/smpp/pdu.ts';
import { STATUS } from '../../../src/carriers/smpp/statuses.ts';
import type { PendingReceipt, Receipt } from './receipt-pdu.ts';
import { Reassembly } from './received-text.ts';
import { SmscServer } from './smsc-server.ts';
import type { SmscSession } from './smsc-session.ts';

/** What becomes of one submit. */
export type Reply =
  | {
      readonly kind: 'accept';
      /** Id in the answer; without it, the next number. */
      readonly id?: string;
      readonly receipt?: Receipt | undefined;
      /** The receipt is sent before the answer. */
      readonly isReceiptFirst?: boolean;
    }
  | { readonly kind: 'refuse'; readonly status: number }
  | { readonly kind: 'nack'; readonly status: number }
  | { readonly kind: 'silent' }
  /** The connection is cut without an answer. */
  | { readonly kind: 'drop' }
  /** Octets that are not SMPP. */
  | { readonly kind: 'garbage' };

export interface Behaviour {
  /** As `bindStatus` of the server. */
  readonly bind?: (pdu: BindPdu, session: SmscSession) => number | undefined;
  readonly submit?: (pdu: MessagePdu, index: number) => Reply;
  readonly isEnquiryAnswered?: () => boolean;
}

export const DELIVERED_REPLY: Reply = { kind: 'accept', receipt: { state: 'DELIVRD' } };
const GARBAGE = Buffer.from('GET / HTTP/1.1\r\n\r\n');

export class Smsc extends SmscServer {
  readonly #reassembly = new Reassembly();
  behaviour: Behaviour = {};
  /** Every bind and submit so far, in order. */
  readonly binds: BindPdu[] = [];
  readonly submits: MessagePdu[] = [];
  /** Whole texts: long ones are joined. */
  readonly texts: string[] = [];
  /** Statuses that our messages and receipts were answered with. */
  readonly acknowledged: number[] = [];
  /** The session of the last submit. */
  submitter: SmscSession | undefined;
  enquiries = 0;
  /** Sequence number of the last enquire_link. */
  lastEnquiry: number | undefined;
  unbinds = 0;
  #nextId = 1;

  static async listen(behaviour: Behaviour = {}, tls?: TlsOptions): Promise<Smsc> {
    const smsc = new Smsc(tls);
    smsc.behaviour = behaviour;
    await smsc.listen();
    return smsc;
  }

  /** The session that receipts are sent on. */
  get receiver(): SmscSession | undefined {
    return this.receivers[0];
  }

  /** Answers the submit with this index, counted from 0, on the first session that may submit. */
  answer(index: number, messageId: string, status: number = STATUS.ok): void {
    const session = this.sessions.find(({ bound }) => bound !== 'bindReceiver');
    session?.answerSubmit(this.submits[index]?.sequence ?? 0, status, messageId);
  }

  override bindStatus(bind: BindPdu, session: SmscSession): number | undefined {
    this.binds.push(bind);
    return this.behaviour.bind ? this.behaviour.bind(bind, session) : STATUS.ok;
  }

  override enquired(sequence: number): boolean {
    this.enquiries++;
    this.lastEnquiry = sequence;
    return this.behaviour.isEnquiryAnswered?.() ?? true;
  }

  override unbound(): void {
    this.unbinds++;
  }

  override receiptAnswered(
    { status }: MessageRespPdu,
    refused: PendingReceipt | undefined,
    session: SmscSession,
  ): void {
    this.acknowledged.push(status);
    if (!refused || status === STATUS.ok || refused.receipt.isSentOnce) return;
    session.sendReceipt(refused.submit, refused.messageId, refused.receipt);
  }

  override submitted(submit: MessagePdu, session: SmscSession): void {
    this.submitter = session;
    this.submits.push(submit);
    const text = this.#reassembly.add(submit);
    if (text !== undefined) this.texts.push(text);
    const reply = this.behaviour.submit?.(submit, this.submits.length - 1) ?? DELIVERED_REPLY;
    const { sequence } = submit;
    switch (reply.kind) {
      case 'accept': {
        const messageId = reply.id ?? String(this.#nextId++);
        const receipt = submit.registeredDelivery & 1 ? reply.receipt : undefined;
        const receiver = session.bound === 'bindTransceiver' ? session : this.receiver;
        if (receipt && reply.isReceiptFirst) receiver?.sendReceipt(submit, messageId, receipt);
        session.answerSubmit(sequence, STATUS.ok, messageId);
        if (receipt && !reply.isReceiptFirst) receiver?.sendReceipt(submit, messageId, receipt);
        break;
      }
      case 'refuse':
        session.answerSubmit(sequence, reply.status);
        break;
      case 'nack':
        session.send({ command: 'genericNack', status: reply.status, sequence });
        break;
      case 'silent':
        break;
      case 'drop':
        // Answers to earlier submits still arrive.
        session.end(() => session.drop());
        break;
      case 'garbage':
        session.sendOctets(GARBAGE);
        break;
    }
  }
}
