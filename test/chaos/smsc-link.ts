/** One connection of a node to the recording SMSC. */
import type { Socket } from 'node:net';
import { decodePdu } from '../../src/carriers/smpp/decode.ts';
import { encodePdu } from '../../src/carriers/smpp/encode.ts';
import { FrameReader } from '../../src/carriers/smpp/frame-reader.ts';
import type { MessagePdu, Pdu } from '../../src/carriers/smpp/pdu.ts';
import { PduWriter } from '../../src/carriers/smpp/pdu-writer.ts';
import { STATUS } from '../../src/carriers/smpp/statuses.ts';
import type { PendingReceipt } from './recording-smsc.ts';

const RECEIPT_ESM_CLASS = 4;

interface LinkHandlers {
  submitted(submit: MessagePdu): void;
  bound(): void;
  /** The node could not store it: it is to be sent again. */
  refused(receipt: PendingReceipt): void;
}

export class SmscLink {
  readonly #socket: Socket;
  readonly #handlers: LinkHandlers;
  readonly #frames = new FrameReader();
  readonly #writer = new PduWriter();
  readonly #unacknowledged = new Map<number, PendingReceipt>();
  #sequence = 0;
  #isBound = false;

  constructor(socket: Socket, handlers: LinkHandlers) {
    this.#socket = socket;
    this.#handlers = handlers;
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#isBound = false;
    });
    socket.on('data', chunk => {
      this.#frames.push(chunk, frame => this.#handle(decodePdu(Buffer.from(frame))));
    });
  }

  get isBound(): boolean {
    return this.#isBound;
  }

  get unacknowledged(): PendingReceipt[] {
    return [...this.#unacknowledged.values()];
  }

  drop(): void {
    this.#isBound = false;
    this.#socket.resetAndDestroy();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  answer(sequence: number, status: number, messageId: string): void {
    this.#send({ command: 'submitSmResp', status, sequence, messageId, tlvs: [] });
  }

  sendReceipt(receipt: PendingReceipt): void {
    const sequence = ++this.#sequence;
    this.#unacknowledged.set(sequence, receipt);
    this.#send(receiptPdu(receipt, sequence));
  }

  #handle(pdu: ReturnType<typeof decodePdu>): void {
    const { sequence } = pdu;
    switch (pdu.command) {
      case 'bindTransceiver':
        this.#isBound = true;
        this.#send({ command: 'bindTransceiverResp', status: 0, sequence, systemId: 'chaos', tlvs: [] });
        this.#handlers.bound();
        break;
      case 'submitSm':
        this.#handlers.submitted(pdu);
        break;
      case 'deliverSmResp': {
        const receipt = this.#unacknowledged.get(sequence);
        this.#unacknowledged.delete(sequence);
        if (receipt && pdu.status !== STATUS.ok) this.#handlers.refused(receipt);
        break;
      }
      case 'unbind':
        this.#isBound = false;
        this.#send({ command: 'unbindResp', status: 0, sequence });
        break;
      case 'enquireLink':
        this.#send({ command: 'enquireLinkResp', status: 0, sequence });
        break;
    }
  }

  #send(pdu: Pdu): void {
    if (this.#socket.destroyed) return;
    encodePdu(this.#writer, pdu);
    this.#socket.write(this.#writer.take());
  }
}

function receiptPdu({ submit, messageId, state }: PendingReceipt, sequence: number): MessagePdu {
  const arrived = state === 'DELIVRD' ? '001' : '000';
  const told = `id:${messageId} sub:001 dlvrd:${arrived} submit date:2611151200 done date:2611151200 stat:${state} err:000 text:`;
  return {
    ...submit,
    command: 'deliverSm',
    sequence,
    source: submit.destination,
    destination: submit.source,
    esmClass: RECEIPT_ESM_CLASS,
    registeredDelivery: 0,
    validity: '',
    dataCoding: 0,
    shortMessage: Buffer.from(told, 'latin1'),
    tlvs: [],
  };
}
