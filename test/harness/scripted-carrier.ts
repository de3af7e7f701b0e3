/** A carrier whose other side is the test: it sees every submit, answers it, and sends receipts when it likes. */
import type {
  Carrier,
  CarrierCapabilities,
  CarrierHost,
  CarrierReceipt,
  CarrierState,
  CarrierStatus,
  CarrierTest,
  PartAnswers,
  Submission,
  SubmitAnswer,
} from '../../src/carriers/carrier.ts';
import { CHANNELS } from '../../src/domain/channels/channel.ts';
import type { Step } from '../../src/domain/delivery/flow.ts';

interface Submitted {
  readonly submission: Submission;
  answer(answer: SubmitAnswer): void;
}

export class ScriptedCarrier implements Carrier {
  readonly kind = 'simulator';
  readonly name: string;
  readonly capabilities: CarrierCapabilities;
  /** What was submitted, in order. */
  readonly submitted: Submitted[] = [];
  /** Answers at once what is submitted; without it, the test does. */
  reply: ((submission: Submission) => SubmitAnswer) | undefined;
  parts = 1;
  reconnects = 0;
  isClosed = false;
  /** Its close waits for answers that never come, as a process that is killed does. */
  isHanging = false;
  #state: CarrierState = 'up';
  #host: CarrierHost | undefined;

  constructor(name: string, capabilities: Partial<CarrierCapabilities> = {}) {
    this.name = name;
    this.capabilities = {
      channels: CHANNELS,
      window: 100,
      rate: 0,
      batchSize: 100,
      media: false,
      repeatableForMs: 0,
      isForgetful: false,
      ...capabilities,
    };
  }

  async start(host: CarrierHost): Promise<void> {
    this.#host = host;
  }

  status(): CarrierStatus {
    return { state: this.#state, detail: 'scripted', since: 0 };
  }

  become(state: CarrierState): void {
    this.#state = state;
    this.#host?.statusChanged();
  }

  partsOf(_message: Step): number {
    return this.parts;
  }

  submit(batch: readonly Submission[]): Promise<SubmitAnswer>[] {
    return batch.map(submission => {
      const { promise, resolve } = Promise.withResolvers<SubmitAnswer>();
      this.submitted.push({ submission, answer: resolve });
      const reply = this.reply?.(submission);
      if (reply) resolve(reply);
      return promise;
    });
  }

  reconnect(): void {
    this.reconnects++;
  }

  async test(): Promise<CarrierTest> {
    return { isOk: this.#state === 'up', detail: `scripted, ${this.#state}` };
  }

  async close(): Promise<void> {
    this.isClosed = true;
    if (this.isHanging) await new Promise(() => {});
    for (const { answer } of this.submitted) answer({ kind: 'unknown' });
  }

  /** Of a submission some parts are taken, the others too fast. */
  takePartly({ submission }: Submitted, answers: Omit<PartAnswers, 'says'>): void {
    this.#host?.partlyTaken(submission.attemptId, { ...answers, says: { kind: 'accepted', refs: [] } });
  }

  /** These have to be submitted again: `submit` is called when there is room. */
  submitRest({ submission }: Submitted, parts: number, submit: () => void): void {
    this.#host?.submitRest(submission.attemptId, parts, submit);
  }

  async receive(...receipts: CarrierReceipt[]): Promise<void> {
    await this.#host?.receive(receipts);
  }
}

/** Takes every message under its attempt id. */
export const accept = ({ attemptId }: Submission): SubmitAnswer => ({ kind: 'accepted', refs: [attemptId] });

/** Turns every message away, for reasons of its own. */
export const turnAway = (): SubmitAnswer => ({
  kind: 'temporary',
  reportCode: '22007',
  isCarriersFault: true,
});
