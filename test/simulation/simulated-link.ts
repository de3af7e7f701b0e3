/** A node's link to a simulated carrier: it loses connections and answers, and it never says more than it knows. */
import type {
  Carrier,
  CarrierCapabilities,
  CarrierHost,
  CarrierInbound,
  CarrierReceipt,
  CarrierState,
  CarrierStatus,
  CarrierTest,
  InboundName,
  ReceiptResult,
  Submission,
  SubmitAnswer,
} from '../../src/carriers/carrier.ts';
import { CHANNELS } from '../../src/domain/channels/channel.ts';
import type { Step } from '../../src/domain/delivery/flow.ts';
import type { ManualClock } from '../../src/platform/clock.ts';
import type { Ledger, Submit } from './ledger.ts';
import type { Life } from './life.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { SimulatedPeer } from './simulated-peer.ts';
import type { Trace } from './trace.ts';

const RESPONSE_TIMEOUT_MS = 10_000;
const CLOSE_PATIENCE_MS = 3_000;
const NOT_CONNECTED: SubmitAnswer = { kind: 'temporary', reportCode: '22007', isCarriersFault: true };

const UNANSWERED: SubmitAnswer = { kind: 'unknown', isUnanswered: true };

interface Pending {
  readonly submit: Submit;
  readonly resolve: (answer: SubmitAnswer) => void;
}

export interface LinkParts {
  readonly clock: ManualClock;
  readonly life: Life;
  readonly random: SeededRandom;
  readonly ledger: Ledger;
  readonly trace: Trace;
  readonly node: string;
}

export class SimulatedLink implements Carrier {
  readonly kind = 'simulator';
  readonly name: string;
  readonly capabilities: CarrierCapabilities;
  readonly #peer: SimulatedPeer;
  readonly #parts: LinkParts;
  readonly #pending = new Map<Submit, Pending>();
  #host: CarrierHost | undefined;
  #state: CarrierState = 'connecting';
  #isClosed = false;

  constructor(peer: SimulatedPeer, parts: LinkParts) {
    this.name = peer.name;
    this.#peer = peer;
    this.#parts = parts;
    const { window, rate, repeatableForMs } = peer.manners;
    this.capabilities = {
      channels: CHANNELS,
      window,
      rate,
      batchSize: 10,
      media: true,
      repeatableForMs,
      isForgetful: false,
    };
  }

  get isUp(): boolean {
    return this.#state === 'up' && !this.#parts.life.isDead;
  }

  async start(host: CarrierHost): Promise<void> {
    this.#host = host;
    this.#state = 'up';
    this.#peer.attach(this);
  }

  status(): CarrierStatus {
    return { state: this.#state, detail: 'simulated', since: 0 };
  }

  /** It cuts what is long. */
  partsOf({ channel }: Step): number {
    return channel === 'mms' ? this.#peer.manners.parts : 1;
  }

  submit(batch: readonly Submission[]): Promise<SubmitAnswer>[] {
    return batch.map(submission => new Promise(resolve => this.#submitOne(submission, resolve)));
  }

  #submitOne(submission: Submission, resolve: (answer: SubmitAnswer) => void): void {
    const { clock, life, random, ledger, trace, node } = this.#parts;
    const { attemptId } = submission;
    if (life.isDead) return;
    if (this.#state !== 'up') {
      resolve(NOT_CONNECTED);
      return;
    }
    trace.note(node, `submits ${attemptId} to ${this.name}`);
    const { repeatableForMs } = this.capabilities;
    const parts = this.partsOf(submission.message);
    const order = {
      carrier: this.name,
      node,
      attemptId,
      life,
      at: clock.monotonic(),
      parts,
      repeatableForMs,
    };
    const submit = ledger.submitted(order);
    this.#pending.set(submit, { submit, resolve });
    // What was written to the wire arrives, whatever becomes of the node.
    clock.schedule(10 * random.between(0, 2), () =>
      this.#peer.arrive(submission, submit, answer => this.#answered(submit, answer)),
    );
    clock.schedule(RESPONSE_TIMEOUT_MS, () => life.pass(() => this.#tell(submit, UNANSWERED)));
  }

  #answered(submit: Submit, answer: SubmitAnswer): void {
    const { life, clock, trace, node } = this.#parts;
    life.pass(() => {
      if (this.#isClosed || this.#state !== 'up') return;
      if (answer.kind === 'accepted') submit.refsToldAt = clock.monotonic();
      if (this.#tell(submit, answer)) return;
      trace.note(node, `is told late: ${submit.attemptId} ${answer.kind}`);
      this.#host?.answeredLate(submit.attemptId, answer);
    });
  }

  /** False where something was told already. */
  #tell(submit: Submit, answer: SubmitAnswer): boolean {
    const pending = this.#pending.get(submit);
    if (!pending) return false;
    this.#pending.delete(submit);
    submit.told = answer.kind;
    this.#parts.trace.note(this.#parts.node, `is told ${submit.attemptId} ${answer.kind}`);
    pending.resolve(answer);
    return true;
  }

  /** The connection breaks; it is back after a while. */
  drop(downMs: number): void {
    const { life, clock } = this.#parts;
    if (this.#state !== 'up') return;
    this.#state = 'down';
    life.pass(() => {
      for (const submit of [...this.#pending.keys()]) this.#tell(submit, UNANSWERED);
      this.#host?.statusChanged();
    });
    clock.schedule(downMs, () => this.restore());
  }

  restore(): void {
    if (this.#isClosed || this.#state === 'up' || this.#parts.life.isDead) return;
    this.#state = 'up';
    this.#parts.life.pass(() => this.#host?.statusChanged());
  }

  /** A receipt comes in; a dead node never answers. */
  receive(receipts: readonly CarrierReceipt[]): Promise<readonly ReceiptResult[]> {
    return this.#ask(host => host.receive(receipts));
  }

  receiveInbound(messages: readonly CarrierInbound[]): Promise<readonly InboundName[]> {
    return this.#ask(host => host.receiveInbound(messages));
  }

  confirmInbound(names: readonly InboundName[]): void {
    // What is not confirmed is known by its words for longer.
    this.#ask(host => host.confirmInbound(names)).catch(() => {});
  }

  #ask<T>(question: (host: CarrierHost) => Promise<T>): Promise<T> {
    const { life } = this.#parts;
    return new Promise((resolve, reject) => {
      life.pass(() => {
        const host = this.#host;
        if (!host || this.#isClosed) return reject(new Error('closed'));
        question(host).then(
          answer => life.pass(() => resolve(answer)),
          error => life.pass(() => reject(error)),
        );
      });
    });
  }

  reconnect(): void {}

  async test(): Promise<CarrierTest> {
    return { isOk: this.isUp, detail: 'simulated' };
  }

  async close(): Promise<void> {
    const { clock, life } = this.#parts;
    if (this.#pending.size > 0) {
      await new Promise<void>(resolve => {
        clock.schedule(CLOSE_PATIENCE_MS, () => life.pass(resolve));
      });
    }
    this.#isClosed = true;
    this.#state = 'down';
    this.#peer.detach(this);
    for (const submit of [...this.#pending.keys()]) this.#tell(submit, UNANSWERED);
  }

  /** The node is gone, and its connection with it. */
  abandon(): void {
    this.#isClosed = true;
    this.#peer.detach(this);
  }
}
