/**
 * An SMSC for tests and measurements, built on our own codec. What it does with a bind, a submit and a receipt is the
 * test's to say; by default it takes everything and delivers it.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { BindPdu, MessagePdu } from '../../../src/carriers/smpp/pdu.ts';
import { Reassembly } from './received-text.ts';
import { SmscSession } from './smsc-session.ts';

/** What becomes of one submit. */
export type Reply =
  | {
      readonly kind: 'accept';
      /** Id in the answer; without it, the next number. */
      readonly id?: string;
      readonly receipt?: Receipt | undefined;
      /** The receipt goes out before the answer. */
      readonly isReceiptFirst?: boolean;
    }
  | { readonly kind: 'refuse'; readonly status: number }
  | { readonly kind: 'nack'; readonly status: number }
  | { readonly kind: 'silent' }
  /** The connection is cut without an answer. */
  | { readonly kind: 'drop' }
  /** Octets that are no SMPP. */
  | { readonly kind: 'garbage' };

export interface Receipt {
  /** Id in the receipt; without it, the one of the answer. */
  readonly id?: string;
  readonly state: string;
  /** The text of the receipt, in place of the usual one. */
  readonly text?: string;
  readonly esmClass?: number;
  /** Optional parameters instead of a text. */
  readonly withTlvs?: boolean;
  readonly asDataSm?: boolean;
  readonly isReversed?: boolean;
  /** Not again, even if it is refused. */
  readonly isSentOnce?: boolean;
}

export interface Behaviour {
  /** The status of a bind; 0 lets it in. */
  readonly bind?: (pdu: BindPdu) => number;
  readonly submit?: (pdu: MessagePdu, index: number) => Reply;
  readonly isEnquiryAnswered?: () => boolean;
}

export const DELIVERED_REPLY: Reply = { kind: 'accept', receipt: { state: 'DELIVRD' } };

export class Smsc {
  readonly #server: Server;
  readonly #sessions = new Set<SmscSession>();
  readonly #reassembly = new Reassembly();
  behaviour: Behaviour = {};
  /** Every bind and submit so far, in their order. */
  readonly binds: BindPdu[] = [];
  readonly submits: MessagePdu[] = [];
  /** Whole texts, long ones joined. */
  readonly texts: string[] = [];
  /** Statuses that receipts were acknowledged with. */
  readonly acknowledged: number[] = [];
  enquiries = 0;
  /** Sequence number of the last enquire_link. */
  lastEnquiry: number | undefined;
  unbinds = 0;
  #nextId = 1;

  constructor() {
    this.#server = createServer(socket => {
      const session = new SmscSession(socket, this);
      this.#sessions.add(session);
      socket.once('close', () => this.#sessions.delete(session));
    });
  }

  static async listen(behaviour: Behaviour = {}): Promise<Smsc> {
    const smsc = new Smsc();
    smsc.behaviour = behaviour;
    await smsc.listen();
    return smsc;
  }

  async listen(port = 0): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get sessions(): readonly SmscSession[] {
    return [...this.#sessions];
  }

  /** The session that receipts go to. */
  get receiver(): SmscSession | undefined {
    return this.sessions.find(({ bound }) => bound === 'bindReceiver' || bound === 'bindTransceiver');
  }

  /** Notes a submit and says what becomes of it. */
  decide(pdu: MessagePdu): Reply {
    this.submits.push(pdu);
    const text = this.#reassembly.add(pdu);
    if (text !== undefined) this.texts.push(text);
    return this.behaviour.submit?.(pdu, this.submits.length - 1) ?? DELIVERED_REPLY;
  }

  nextId(): string {
    return String(this.#nextId++);
  }

  /** Cuts every connection, without a word. */
  drop(): void {
    for (const session of this.#sessions) session.drop();
  }

  async close(): Promise<void> {
    this.drop();
    if (!this.#server.listening) return;
    const isClosed = once(this.#server, 'close');
    this.#server.close();
    await isClosed;
  }
}
