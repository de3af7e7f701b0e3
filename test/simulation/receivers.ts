/** The webhook receivers of the accounts: they take records, fail, hang, answer nonsense, or say that they are gone. */
import { WEBHOOK_TIMEOUT_MS } from '../../src/domain/reports/webhook.ts';
import type { ManualClock } from '../../src/platform/clock.ts';
import type { CallWebhook, WebhookResult } from '../../src/report/webhook/call.ts';
import type { Life } from './life.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Trace } from './trace.ts';

/** Of a thousand calls, how many end how. */
export interface ReceiverManners {
  readonly refuse: number;
  readonly hang: number;
  readonly wrong: number;
  readonly gone: number;
}

export class Receivers {
  /** Records that a receiver has taken and said so, or taken and failed to say so. */
  readonly taken = new Set<string>();
  readonly #manners: ReceiverManners;
  readonly #clock: ManualClock;
  readonly #random: SeededRandom;
  readonly #trace: Trace;
  #isCalm = false;

  constructor(
    manners: ReceiverManners,
    parts: { readonly clock: ManualClock; readonly random: SeededRandom; readonly trace: Trace },
  ) {
    this.#manners = manners;
    this.#clock = parts.clock;
    this.#random = parts.random;
    this.#trace = parts.trace;
  }

  calm(): void {
    this.#isCalm = true;
  }

  /** The way of one node to all receivers. */
  callFrom(node: string, life: Life): CallWebhook {
    return (_target, { webhookId }) =>
      new Promise(resolve => {
        if (life.isDead) return;
        const at = this.#clock.now();
        const { status, afterMs } = this.#answer();
        if (status === 200) this.taken.add(webhookId);
        this.#trace.note(node, `calls a webhook with ${webhookId}: ${status ?? 'no answer'}`);
        this.#clock.schedule(afterMs, () =>
          life.pass(() => resolve(resultOf(status, at, this.#clock.now() - at))),
        );
      });
  }

  #answer(): { status: number | undefined; afterMs: number } {
    const random = this.#random;
    const point = this.#isCalm ? 1000 : random.below(1000);
    const { refuse, hang, wrong, gone } = this.#manners;
    if (point < refuse) return { status: 500, afterMs: random.between(1, 500) };
    if (point < refuse + hang) return { status: undefined, afterMs: WEBHOOK_TIMEOUT_MS };
    if (point < refuse + hang + wrong) return { status: 202, afterMs: random.between(1, 50) };
    if (point < refuse + hang + wrong + gone) return { status: 410, afterMs: random.between(1, 50) };
    return { status: 200, afterMs: random.between(1, 300) };
  }
}

function resultOf(status: number | undefined, at: number, durationMs: number): WebhookResult {
  const attempt = { at, durationMs, status: status ?? null, error: status === 200 ? null : 'simulated' };
  const outcome =
    status === 200 ? 'delivered' : status === 410 ? 'gone' : status === undefined ? 'unanswered' : 'refused';
  return { outcome, attempt, askedMs: undefined };
}
