/**
 * Receipts on their way to the gateway. Those that arrive in one turn of the event loop go together, and each is
 * acknowledged only when the gateway has settled it: until then the other side must keep it, and send it again.
 *
 * With `receiptIds: auto`, and while the form of ids is not learned (receipt-id-forms.ts), receipts are looked up first. One
 * that matches no message, or two, may only be too early: it is looked up again twice before it is handed over to be parked.
 */
import type { Clock } from '../../platform/clock.ts';
import type { CarrierHost, CarrierReceipt } from '../carrier.ts';
import { type MessageIds, type ReceiptIds, receiptRef } from './message-ids.ts';
import type { FinalReceipt } from './receipt.ts';
import { type KnownRefs, matchesOf, ReceiptIdForms, refsByForm } from './receipt-id-forms.ts';
import { ReceiptIdHint } from './receipt-id-hint.ts';
import { STATUS } from './statuses.ts';

const LOOK_AGAIN_MS = [500, 2000];

interface Arrived {
  readonly receipt: FinalReceipt;
  readonly acknowledge: (status: number) => void;
  /** How often it was looked up. */
  readonly looks: number;
}

interface Referred extends Arrived {
  readonly ref: string;
}

export class ReceiptInbox {
  readonly #host: CarrierHost;
  readonly #clock: Clock;
  readonly #messageIds: MessageIds;
  readonly #receiptIds: ReceiptIds;
  readonly #forms = new ReceiptIdForms();
  readonly #hint: ReceiptIdHint | undefined;
  readonly #held = new Map<readonly Arrived[], () => void>();
  #arrived: Arrived[] = [];
  #isClosing = false;

  constructor(
    host: CarrierHost,
    clock: Clock,
    options: { readonly messageIds: MessageIds; readonly receiptIds: ReceiptIds },
  ) {
    this.#host = host;
    this.#clock = clock;
    this.#messageIds = options.messageIds;
    this.#receiptIds = options.receiptIds;
    if (options.receiptIds !== 'auto') {
      this.#hint = new ReceiptIdHint(host, clock, options.messageIds, options.receiptIds);
    }
  }

  /** For people: a better value for the setting. */
  get hint(): string | undefined {
    return this.#hint?.text;
  }

  take(receipt: FinalReceipt, acknowledge: (status: number) => void): void {
    this.#arrived.push({ receipt, acknowledge, looks: 0 });
    if (this.#arrived.length > 1) return;
    setImmediate(() => {
      const arrived = this.#arrived;
      this.#arrived = [];
      void this.#handOver(arrived);
    });
  }

  /** What is held to be looked up again is handed over now. */
  close(): void {
    this.#isClosing = true;
    for (const [arrived, cancel] of this.#held) {
      cancel();
      void this.#handOver(arrived);
    }
    this.#held.clear();
  }

  async #handOver(arrived: readonly Arrived[]): Promise<void> {
    const form = this.#receiptIds === 'auto' ? this.#forms.learned : this.#receiptIds;
    if (form === undefined) {
      await this.#look(arrived);
      return;
    }
    const refOf = (id: string) => receiptRef(id, this.#messageIds, form);
    await this.#settle(arrived.map(entry => ({ ...entry, ref: refOf(entry.receipt.messageId) })));
  }

  async #look(arrived: readonly Arrived[]): Promise<void> {
    const refs = arrived.map(({ receipt }) => [...refsByForm(receipt.messageId, this.#messageIds).keys()]);
    const known = await this.#host.knownRefs(refs.flat()).catch(() => undefined);
    if (!known) {
      this.#refuse(arrived);
      return;
    }
    const found: Referred[] = [];
    const early: Arrived[] = [];
    for (const entry of arrived) {
      const ref = this.#refOf(entry, known);
      if (ref === undefined) early.push({ ...entry, looks: entry.looks + 1 });
      else found.push({ ...entry, ref });
    }
    this.#hold(early);
    if (found.length > 0) await this.#settle(found);
  }

  /** Undefined where it should be looked up again. */
  #refOf({ receipt, looks }: Arrived, known: KnownRefs): string | undefined {
    const { messageId } = receipt;
    const refs = refsByForm(messageId, this.#messageIds);
    const [match, another] = matchesOf(refs.keys(), receipt, known);
    if (match !== undefined && another === undefined) {
      this.#forms.vote(refs.get(match) ?? []);
      return match;
    }
    if (looks < LOOK_AGAIN_MS.length && !this.#isClosing) return undefined;
    // Under a name that no message has, so that it is parked: either of two matches would be a guess.
    if (match !== undefined) return `ambiguous ${messageId}`;
    return receiptRef(messageId, this.#messageIds, this.#forms.form);
  }

  #hold(early: readonly Arrived[]): void {
    for (const [looks, afterMs] of LOOK_AGAIN_MS.entries()) {
      const held = early.filter(entry => entry.looks === looks + 1);
      if (held.length === 0) continue;
      const cancel = this.#clock.schedule(afterMs, () => {
        this.#held.delete(held);
        void this.#handOver(held);
      });
      this.#held.set(held, cancel);
    }
  }

  async #settle(referred: readonly Referred[]): Promise<void> {
    const receipts = referred.map(({ ref, receipt: { reportCode, to, from } }): CarrierReceipt => {
      return { ref, reportCode, to, from };
    });
    const results = await this.#host.receive(receipts).catch(() => undefined);
    if (!results) {
      this.#refuse(referred);
      return;
    }
    for (const { acknowledge } of referred) acknowledge(STATUS.ok);
    const parked = referred.filter((_, index) => results[index] === 'parked').map(({ receipt }) => receipt);
    if (this.#hint) {
      this.#hint.matched(referred.length - parked.length);
      if (parked.length > 0) await this.#hint.parked(parked);
    } else {
      for (const result of results) {
        if (result === 'parked') this.#forms.unmatched();
        else this.#forms.matched();
      }
    }
  }

  /** The gateway has logged why; the other side is asked to send them again. */
  #refuse(arrived: readonly Arrived[]): void {
    this.#host.noticed('receiptRefused', { receipts: arrived.length });
    for (const { acknowledge } of arrived) acknowledge(STATUS.temporaryAppError);
  }
}
