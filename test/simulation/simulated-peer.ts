/**
 * The other side of a carrier: one for all nodes, outside of them, so it outlives them. It takes, refuses, throttles and
 * forgets to answer, and tells how messages ended until somebody acknowledges it.
 */
import type { CarrierReceipt, Submission, SubmitAnswer } from '../../src/carriers/carrier.ts';
import type { ManualClock } from '../../src/platform/clock.ts';
import type { Delivery, Ledger, Submit } from './ledger.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { SimulatedLink } from './simulated-link.ts';
import type { Trace } from './trace.ts';

/** What a carrier is like; of a thousand submits, how many meet which fate. */
export interface PeerManners {
  readonly repeatableForMs: number;
  readonly receiptsBy: 'reference' | 'attempt';
  /** How many it makes of a long message; each has its receipt. */
  readonly parts: number;
  /** Some parts are refused, or some references are lost with their answer. */
  readonly partly: number;
  /** Receipts name sender and recipient. */
  readonly namesNumbers: boolean;
  readonly window: number;
  readonly rate: number;
  readonly temporary: number;
  readonly permanent: number;
  readonly throttled: number;
  /** Lost on the way there, or on the way back. */
  readonly vanishing: number;
  readonly unanswered: number;
  /** Answered after seconds, perhaps after the time-out. */
  readonly late: number;
  readonly silent: number;
  readonly undelivered: number;
  readonly repeatedReceipts: number;
  readonly earlyReceipts: number;
}

const RECEIPT_AGAIN_MS = 2000;
const RECEIPT_TIMEOUT_MS = 12_000;

export class SimulatedPeer {
  readonly name: string;
  readonly manners: PeerManners;
  readonly #clock: ManualClock;
  readonly #random: SeededRandom;
  readonly #ledger: Ledger;
  readonly #trace: Trace;
  readonly #links = new Set<SimulatedLink>();
  /** What it has taken, by attempt: a repeatable carrier answers the same again. */
  readonly #taken = new Map<string, { readonly refs: readonly string[]; readonly at: number }>();
  #refs = 0;
  #unacknowledged = 0;
  #isCalm = false;

  constructor(
    name: string,
    manners: PeerManners,
    parts: {
      readonly clock: ManualClock;
      readonly random: SeededRandom;
      readonly ledger: Ledger;
      readonly trace: Trace;
    },
  ) {
    this.name = name;
    this.manners = manners;
    this.#clock = parts.clock;
    this.#random = parts.random;
    this.#ledger = parts.ledger;
    this.#trace = parts.trace;
  }

  /** Receipts that nobody has acknowledged yet. */
  get unacknowledged(): number {
    return this.#unacknowledged;
  }

  get links(): readonly SimulatedLink[] {
    return [...this.#links];
  }

  attach(link: SimulatedLink): void {
    this.#links.add(link);
  }

  detach(link: SimulatedLink): void {
    this.#links.delete(link);
  }

  /** From now on it behaves. */
  calm(): void {
    this.#isCalm = true;
  }

  #happens(perMille: number): boolean {
    return !this.#isCalm && this.#random.below(1000) < perMille;
  }

  /** A submit arrives, or not; `reply` may be called now, later, or never. */
  arrive(submission: Submission, submit: Submit, reply: (answer: SubmitAnswer) => void): void {
    const { manners } = this;
    const random = this.#random;
    const answerMs = this.#happens(manners.late) ? random.between(2000, 45_000) : 10 * random.between(1, 12);
    const say = (answer: SubmitAnswer) => {
      if (this.#happens(manners.unanswered)) return;
      this.#clock.schedule(answerMs, () => reply(answer));
    };
    const earlier = this.#taken.get(submission.attemptId);
    if (earlier && this.#clock.monotonic() - earlier.at <= manners.repeatableForMs) {
      submit.fate = 'taken';
      say({ kind: 'accepted', refs: earlier.refs });
      return;
    }
    if (this.#happens(manners.vanishing)) return;
    const refusal = this.#refusal();
    if (refusal) {
      submit.fate = 'notTaken';
      this.#trace.note(this.name, `refuses ${submission.attemptId}: ${refusal.kind}`);
      say(refusal);
      return;
    }
    submit.fate = 'taken';
    const refs = Array.from({ length: submit.parts }, () => `${this.name}-${++this.#refs}`);
    this.#taken.set(submission.attemptId, { refs, at: this.#clock.monotonic() });
    this.#trace.note(this.name, `takes ${submission.attemptId} as ${refs.join()}`);
    const isPartly = submit.parts > 1 && this.#happens(manners.partly);
    const lost = isPartly ? random.below(submit.parts) : undefined;
    const isRefused = isPartly && random.chance(0.5);
    const known = refs.map((ref, part) => (part === lost ? undefined : ref));
    if (!isPartly) say({ kind: 'accepted', refs });
    else if (isRefused) say({ kind: 'permanent', reportCode: '22001', refs: known });
    else say({ kind: 'unknown', refs: known });
    const isEarly = this.#happens(manners.earlyReceipts);
    for (const [part, ref] of (manners.receiptsBy === 'reference' ? refs : refs.slice(0, 1)).entries()) {
      if ((isRefused && part === lost) || this.#happens(manners.silent)) continue;
      const receiptMs = isEarly ? random.between(0, answerMs) : answerMs + 10 * random.between(1, 400);
      this.#report(submission, submit, { part, ref }, receiptMs);
    }
  }

  #refusal(): SubmitAnswer | undefined {
    const { manners } = this;
    if (this.#happens(manners.permanent)) return { kind: 'permanent', reportCode: '22001' };
    if (this.#happens(manners.temporary)) return { kind: 'temporary', reportCode: '22007' };
    if (this.#happens(manners.throttled)) {
      return { kind: 'temporary', reportCode: '22007', isCarriersFault: true, isThrottled: true };
    }
    return undefined;
  }

  #report(
    submission: Submission,
    submit: Submit,
    { part, ref }: { readonly part: number; readonly ref: string },
    afterMs: number,
  ): void {
    const { receiptsBy, namesNumbers, undelivered, repeatedReceipts } = this.manners;
    const isDelivered = !this.#happens(undelivered);
    const from = 'from' in submission.message ? submission.message.from : undefined;
    const receipt: CarrierReceipt = {
      reportCode: isDelivered ? '10000' : '22003',
      ...(namesNumbers && { to: submission.to, ...(from !== undefined && { from }) }),
      ...(receiptsBy === 'reference' ? { ref } : { attemptId: submission.attemptId }),
    };
    const delivery = this.#ledger.delivery(
      submit,
      receiptsBy === 'reference' ? part : undefined,
      isDelivered,
    );
    this.#unacknowledged++;
    const times = this.#happens(repeatedReceipts) ? 2 : 1;
    this.#clock.schedule(afterMs, () => this.#send(receipt, delivery, times));
  }

  /** Sends a receipt by any link, again and again until it is acknowledged `times` times. */
  #send(receipt: CarrierReceipt, delivery: Delivery, times: number): void {
    const again = (left: number) =>
      this.#clock.schedule(this.#random.between(100, RECEIPT_AGAIN_MS), () =>
        this.#send(receipt, delivery, left),
      );
    const links = this.links.filter(link => link.isUp);
    if (links.length === 0) {
      again(times);
      return;
    }
    const link = this.#random.pick(links);
    const id = delivery.submit.attemptId;
    let isOver = false;
    const giveUp = this.#clock.schedule(RECEIPT_TIMEOUT_MS, () => {
      if (isOver) return;
      isOver = true;
      again(times);
    });
    link.receive([receipt]).then(
      fates => {
        if (isOver) return;
        isOver = true;
        giveUp();
        this.#trace.note(this.name, `receipt ${id} ${receipt.reportCode}: ${fates.join()}`);
        if (delivery.acknowledgedAt === undefined) {
          delivery.acknowledgedAt = this.#clock.monotonic();
          this.#unacknowledged--;
        }
        if (times > 1) again(times - 1);
      },
      () => {
        if (isOver) return;
        isOver = true;
        giveUp();
        again(times);
      },
    );
  }
}
