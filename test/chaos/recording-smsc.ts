/**
 * An SMSC that outlives the gateway's nodes and remembers every part that it took.
 *
 * As real ones do, it keeps a receipt until somebody bound to it acknowledges it: one that is refused, or whose link ends,
 * goes out again on any link. What it throttles or puts off is not taken.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { MessagePdu } from '../../src/carriers/smpp/pdu.ts';
import { STATUS } from '../../src/carriers/smpp/statuses.ts';
import { type Limit, tokenBucket } from '../harness/carrier-limits.ts';
import { placeOf } from '../harness/smsc/received-text.ts';
import { CARRIERS, type CarrierName, fateOf } from './carrier-fates.ts';
import { SmscLink } from './smsc-link.ts';

export interface PendingReceipt {
  readonly submit: MessagePdu;
  readonly messageId: string;
  readonly state: string;
}

export interface TakenPart {
  times: number;
  readonly total: number;
  readonly state: 'DELIVRD' | 'UNDELIV';
}

const REDELIVER_MS = 300;

export class RecordingSmsc {
  readonly name: CarrierName;
  readonly #seed: number;
  readonly #server: Server;
  readonly #links = new Set<SmscLink>();
  readonly #limit: Limit | undefined;
  /** By recipient, then by number of the part. */
  readonly taken = new Map<string, Map<number, TakenPart>>();
  readonly #putOff = new Set<string>();
  #receipts: PendingReceipt[] = [];
  #nextId = 1;
  #turn = 0;
  #isHung = false;
  throttled = 0;

  constructor(name: CarrierName, seed: number) {
    this.name = name;
    this.#seed = seed;
    const { limit } = CARRIERS[name];
    this.#limit = limit === undefined ? undefined : tokenBucket(() => limit);
    this.#server = createServer(socket => {
      const link = new SmscLink(socket, {
        submitted: submit => this.#submitted(link, submit),
        bound: () => this.#deliver(),
        refused: receipt => this.#keep(receipt, REDELIVER_MS),
      });
      this.#links.add(link);
      if (this.#isHung) link.pause();
      socket.once('close', () => {
        this.#links.delete(link);
        for (const receipt of link.unacknowledged) this.#keep(receipt, REDELIVER_MS);
      });
    });
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** Every link is reset; what was on the wire is lost, in both directions. */
  dropLinks(): void {
    for (const link of this.#links) link.drop();
  }

  /** Reads nothing until `wake`. */
  hang(): void {
    this.#isHung = true;
    for (const link of this.#links) link.pause();
  }

  wake(): void {
    this.#isHung = false;
    for (const link of this.#links) link.resume();
  }

  async close(): Promise<void> {
    this.dropLinks();
    this.#server.close();
  }

  #submitted(link: SmscLink, submit: MessagePdu): void {
    const { total, index } = placeOf(submit) ?? { total: 1, index: 1 };
    const recipient = submit.destination.digits;
    const part = `${recipient}#${index}`;
    if (this.#limit && !this.#limit(performance.now())) {
      this.throttled++;
      link.answer(submit.sequence, STATUS.throttled, '');
      return;
    }
    const fate = fateOf(this.#seed, this.name, part);
    if (fate.isPutOff && !this.#putOff.has(part)) {
      this.#putOff.add(part);
      link.answer(submit.sequence, STATUS.systemError, '');
      return;
    }
    const parts = this.taken.get(recipient) ?? new Map<number, TakenPart>();
    const known = parts.get(index);
    if (known) known.times++;
    else parts.set(index, { times: 1, total, state: fate.state });
    this.taken.set(recipient, parts);
    const messageId = String(this.#nextId++);
    setTimeout(() => link.answer(submit.sequence, STATUS.ok, messageId), fate.answerMs);
    const receipt = { submit, messageId, state: fate.state };
    for (let count = 0; count < fate.receipts; count++) this.#keep(receipt, fate.receiptMs);
  }

  #keep(receipt: PendingReceipt, ms: number): void {
    setTimeout(() => {
      this.#receipts.push(receipt);
      this.#deliver();
    }, ms);
  }

  #deliver(): void {
    const bound = [...this.#links].filter(({ isBound }) => isBound);
    if (bound.length === 0) return;
    const receipts = this.#receipts;
    this.#receipts = [];
    for (const receipt of receipts) bound[this.#turn++ % bound.length]?.sendReceipt(receipt);
  }
}
