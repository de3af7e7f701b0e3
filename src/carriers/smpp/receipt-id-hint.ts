/**
 * Finds out whether receipts that match nothing as `receiptIds` is set would match in another form. Look-ups are few: a
 * sample of what was parked, now and then.
 */
import type { Clock } from '../../platform/clock.ts';
import type { CarrierHost } from '../carrier.ts';
import type { IdForm, MessageIds } from './message-ids.ts';
import type { FinalReceipt } from './receipt.ts';
import { matchesOf, refsByForm } from './receipt-id-forms.ts';

const LOOK_EVERY_MS = 5000;
const SAMPLE = 20;
const MATCHES_TO_TELL = 3;
/** Receipts in a row that match as configured, after which the hint is withdrawn. */
const MATCHED_UNTIL_SILENT = 20;

export class ReceiptIdHint {
  readonly #host: CarrierHost;
  readonly #clock: Clock;
  readonly #messageIds: MessageIds;
  readonly #configured: IdForm;
  readonly #matches = new Map<IdForm, number>();
  #lookedAt = Number.NEGATIVE_INFINITY;
  #matched = 0;
  #form: IdForm | undefined;

  constructor(host: CarrierHost, clock: Clock, messageIds: MessageIds, configured: IdForm) {
    this.#host = host;
    this.#clock = clock;
    this.#messageIds = messageIds;
    this.#configured = configured;
  }

  /** For people; undefined while nothing seems wrong. */
  get text(): string | undefined {
    return this.#form && `receipts would match with receiptIds: ${this.#form}`;
  }

  /** Receipts matched as configured. */
  matched(count: number): void {
    this.#matched += count;
    if (this.#matched < MATCHED_UNTIL_SILENT) return;
    this.#form = undefined;
    this.#matches.clear();
  }

  /** Receipts were parked as configured. Never rejects. */
  async parked(receipts: readonly FinalReceipt[]): Promise<void> {
    this.#matched = 0;
    const now = this.#clock.monotonic();
    if (this.#form !== undefined || now - this.#lookedAt < LOOK_EVERY_MS) return;
    this.#lookedAt = now;
    const sample = receipts.slice(0, SAMPLE).map(receipt => {
      return { refs: refsByForm(receipt.messageId, this.#messageIds), receipt };
    });
    try {
      const known = await this.#host.knownRefs(sample.flatMap(({ refs }) => [...refs.keys()]));
      for (const { refs, receipt } of sample) {
        const [ref, another] = matchesOf(refs.keys(), receipt, known);
        const forms = ref === undefined || another !== undefined ? [] : (refs.get(ref) ?? []);
        this.#count(forms);
      }
    } catch {
      // The store is away; what was parked stays parked, and the next one is looked up.
    }
  }

  #count(forms: readonly IdForm[]): void {
    const [form] = forms;
    if (form === undefined || forms.includes(this.#configured)) return;
    const matches = (this.#matches.get(form) ?? 0) + 1;
    this.#matches.set(form, matches);
    if (matches < MATCHES_TO_TELL || this.#form !== undefined) return;
    this.#form = form;
    this.#host.noticed('receiptIdsMismatch', { receiptIds: this.#configured, wouldMatch: form });
    this.#host.statusChanged();
  }
}
