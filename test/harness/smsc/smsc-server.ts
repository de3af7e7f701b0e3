/**
 * The SMSC of all tests and measurements. A subclass decides what becomes of a submit: `Smsc` follows the script of a test,
 * others record on which fate a part had, send octets of a fuzzer, or measure.
 *
 * It reads and writes with the codec of src/carriers/smpp. A mistake that encoder and decoder share goes unnoticed here; for
 * that there are the SMSCs of others and tshark (test/carriers/smpp).
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import type { DecodeFault } from '../../../src/carriers/smpp/decode.ts';
import type { BindPdu, MessagePdu, MessageRespPdu, Pdu } from '../../../src/carriers/smpp/pdu.ts';
import { STATUS } from '../../../src/carriers/smpp/statuses.ts';
import type { PendingReceipt } from './receipt-pdu.ts';
import { SmscSession } from './smsc-session.ts';

export abstract class SmscServer {
  readonly #server: Server;
  readonly #sessions = new Set<SmscSession>();
  #isPaused = false;

  constructor(tls?: TlsOptions) {
    const serve = (socket: Socket) => {
      const session = new SmscSession(socket, this);
      this.#sessions.add(session);
      if (this.#isPaused) session.pause();
      socket.once('close', () => {
        this.#sessions.delete(session);
        this.ended(session);
      });
    };
    this.#server = tls ? createTlsServer(tls, serve) : createServer(serve);
    this.#server.on('tlsClientError', () => {});
  }

  /** Resolves to its port. */
  async listen(port = 0): Promise<number> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    return this.port;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get sessions(): readonly SmscSession[] {
    return [...this.#sessions];
  }

  /** Sessions that take receipts. */
  get receivers(): readonly SmscSession[] {
    return this.sessions.filter(({ bound }) => bound === 'bindReceiver' || bound === 'bindTransceiver');
  }

  /** No session reads until `resume`, also none that connects meanwhile. */
  pause(): void {
    this.#isPaused = true;
    for (const session of this.#sessions) session.pause();
  }

  resume(): void {
    this.#isPaused = false;
    for (const session of this.#sessions) session.resume();
  }

  drop(): void {
    for (const session of this.#sessions) session.drop();
  }

  reset(): void {
    for (const session of this.#sessions) session.reset();
  }

  async close(): Promise<void> {
    this.drop();
    if (!this.#server.listening) return;
    const isClosed = once(this.#server, 'close');
    this.#server.close();
    await isClosed;
  }

  abstract submitted(submit: MessagePdu, session: SmscSession): void;

  /** The status of a bind; 0 accepts it. Undefined: the session sends no answer. */
  bindStatus(_bind: BindPdu, _session: SmscSession): number | undefined {
    return STATUS.ok;
  }

  bound(_session: SmscSession): void {}

  /** Whether this enquire_link is answered. */
  enquired(_sequence: number): boolean {
    return true;
  }

  unbound(): void {}

  /** The answer to a receipt or to another message of ours; then `receipt` is undefined. */
  receiptAnswered(
    _answer: MessageRespPdu,
    _receipt: PendingReceipt | undefined,
    _session: SmscSession,
  ): void {}

  /** Any other PDU. */
  heard(_pdu: Pdu | DecodeFault, _session: SmscSession): void {}

  /** The connection of this session is closed. */
  ended(_session: SmscSession): void {}
}
