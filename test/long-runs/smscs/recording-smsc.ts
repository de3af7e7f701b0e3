/**
 * An SMSC that outlives the gateway's nodes and records every part that it accepted.
 *
 * As real SMSCs do, it keeps a receipt until it is acknowledged: one that is refused, or whose connection ends, is sent
 * again on any connection. Parts that it throttles or puts off are not accepted.
 */
import type { MessagePdu, MessageRespPdu } from '../../../src/carriers/smpp/pdu.ts';
import { STATUS } from '../../../src/carriers/smpp/statuses.ts';
import { LIMITS, type Limit } from '../../harness/carrier-limits.ts';
import type { PendingReceipt } from '../../harness/smsc/receipt-pdu.ts';
import { placeOf } from '../../harness/smsc/received-text.ts';
import { SmscServer } from '../../harness/smsc/smsc-server.ts';
import type { SmscSession } from '../../harness/smsc/smsc-session.ts';
import { CARRIERS, type CarrierName, fateOf } from './carrier-fates.ts';

export interface TakenPart {
  times: number;
  readonly total: number;
  readonly state: 'DELIVRD' | 'UNDELIV';
}

const REDELIVER_MS = 300;

export class RecordingSmsc extends SmscServer {
  readonly name: CarrierName;
  readonly #seed: number;
  readonly #limit: Limit | undefined;
  /** By recipient, then by number of the part. */
  readonly taken = new Map<string, Map<number, TakenPart>>();
  readonly #putOff = new Set<string>();
  #receipts: PendingReceipt[] = [];
  #nextId = 1;
  #turn = 0;
  throttled = 0;

  constructor(name: CarrierName, seed: number) {
    super();
    this.name = name;
    this.#seed = seed;
    const { limit } = CARRIERS[name];
    this.#limit = limit === undefined ? undefined : LIMITS.tokenBucket(() => limit);
  }

  override bound(): void {
    this.#deliver();
  }

  override receiptAnswered({ status }: MessageRespPdu, receipt: PendingReceipt | undefined): void {
    if (receipt && status !== STATUS.ok) this.#keep(receipt, REDELIVER_MS);
  }

  override ended({ unanswered }: SmscSession): void {
    for (const receipt of unanswered) this.#keep(receipt, REDELIVER_MS);
  }

  override submitted(submit: MessagePdu, session: SmscSession): void {
    const { total, index } = placeOf(submit) ?? { total: 1, index: 1 };
    const recipient = submit.destination.digits;
    const part = `${recipient}#${index}`;
    if (this.#limit && !this.#limit(performance.now())) {
      this.throttled++;
      session.answerSubmit(submit.sequence, STATUS.throttled);
      return;
    }
    const fate = fateOf(this.#seed, this.name, part);
    if (fate.isPutOff && !this.#putOff.has(part)) {
      this.#putOff.add(part);
      session.answerSubmit(submit.sequence, STATUS.systemError);
      return;
    }
    const parts = this.taken.get(recipient) ?? new Map<number, TakenPart>();
    const known = parts.get(index);
    if (known) known.times++;
    else parts.set(index, { times: 1, total, state: fate.state });
    this.taken.set(recipient, parts);
    const messageId = String(this.#nextId++);
    setTimeout(() => session.answerSubmit(submit.sequence, STATUS.ok, messageId), fate.answerMs);
    const receipt = { submit, messageId, receipt: { state: fate.state } };
    for (let count = 0; count < fate.receipts; count++) this.#keep(receipt, fate.receiptMs);
  }

  #keep(receipt: PendingReceipt, ms: number): void {
    setTimeout(() => {
      this.#receipts.push(receipt);
      this.#deliver();
    }, ms);
  }

  #deliver(): void {
    const { receivers } = this;
    if (receivers.length === 0) return;
    const receipts = this.#receipts;
    this.#receipts = [];
    for (const { submit, messageId, receipt } of receipts) {
      receivers[this.#turn++ % receivers.length]?.sendReceipt(submit, messageId, receipt);
    }
  }
}
