/**
 * Receipts on their way to the gateway. Those that arrive in one turn of the event loop go together, and each is
 * acknowledged only when the gateway has settled it: until then the other side must keep it, and send it again.
 */
import type { CarrierHost, CarrierReceipt } from '../carrier.ts';
import { STATUS } from './statuses.ts';

interface Arrived {
  readonly receipt: CarrierReceipt;
  readonly acknowledge: (status: number) => void;
}

export class ReceiptInbox {
  readonly #host: CarrierHost;
  #arrived: Arrived[] = [];

  constructor(host: CarrierHost) {
    this.#host = host;
  }

  take(receipt: CarrierReceipt, acknowledge: (status: number) => void): void {
    this.#arrived.push({ receipt, acknowledge });
    if (this.#arrived.length === 1) setImmediate(() => void this.#handOver());
  }

  async #handOver(): Promise<void> {
    const arrived = this.#arrived;
    this.#arrived = [];
    let status: number = STATUS.ok;
    try {
      await this.#host.receive(arrived.map(({ receipt }) => receipt));
    } catch {
      // The gateway has logged why; the other side is told to come again.
      status = STATUS.temporaryAppError;
      this.#host.noticed('receiptRefused', { receipts: arrived.length });
    }
    for (const { acknowledge } of arrived) acknowledge(status);
  }
}
