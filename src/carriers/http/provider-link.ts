/** What carriers over HTTP have in common: connections, and an orderly end. How the provider does, the gate of the lane learns. */
import type { Clock } from '../../platform/clock.ts';
import { createOutbound, type Outbound } from '../../platform/outbound.ts';
import type { CarrierHost, CarrierStatus, Submission, SubmitAnswer } from '../carrier.ts';
import { troubleOf } from './trouble.ts';

export interface LinkOptions {
  /** Calls at the same time. */
  readonly window: number;
  readonly allowPrivate: boolean;
  readonly ca: string | undefined;
}

export class ProviderLink {
  readonly outbound: Outbound;
  readonly #origin: string;
  readonly #startedAt: number;
  readonly #underWay = new Set<Promise<SubmitAnswer>>();
  #host: CarrierHost | undefined;
  #isClosed = false;

  /** `origin`: where messages go, for people. */
  constructor(origin: string, options: LinkOptions, clock: Clock) {
    const { window, allowPrivate, ca } = options;
    this.#origin = origin;
    this.#startedAt = clock.now();
    this.outbound = createOutbound({
      clock,
      allowPrivate,
      connections: window,
      ...(ca !== undefined && { ca }),
    });
  }

  /** undefined before the start. */
  get host(): CarrierHost | undefined {
    return this.#host;
  }

  get isOpen(): boolean {
    return this.#host !== undefined && !this.#isClosed;
  }

  start(host: CarrierHost): void {
    this.#host = host;
  }

  status(): CarrierStatus {
    const since = this.#startedAt;
    if (this.#isClosed) return { state: 'down', detail: 'closed', since };
    if (!this.#host) return { state: 'connecting', detail: 'not started', since };
    return { state: 'up', detail: this.#origin, since };
  }

  /** Answers of `send`, one for each submission; those under way are waited for at the end. */
  submit(
    batch: readonly Submission[],
    send: (batch: readonly Submission[]) => readonly Promise<SubmitAnswer>[],
  ): Promise<SubmitAnswer>[] {
    if (!this.isOpen) return batch.map(async ({ message }) => troubleOf(message.channel));
    return send(batch).map(answering => {
      const over = () => this.#underWay.delete(answering);
      this.#underWay.add(answering);
      answering.then(over, over);
      return answering;
    });
  }

  /** Nothing is submitted any more. */
  shut(): void {
    this.#isClosed = true;
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    await this.outbound.close();
  }
}
