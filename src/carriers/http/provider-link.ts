/** What carriers over HTTP have in common: connections, the gate before them, whom changes are told, an orderly end. */
import type { Clock } from '../../platform/clock.ts';
import { createOutbound, type Outbound } from '../../platform/outbound.ts';
import type { CarrierHost, CarrierStatus, Submission, SubmitAnswer } from '../carrier.ts';
import { ProviderGate } from './provider-gate.ts';
import { troubleOf } from './trouble.ts';

export interface LinkOptions {
  /** Calls at the same time. */
  readonly window: number;
  readonly allowPrivate: boolean;
  readonly ca: string | undefined;
  readonly breaker: { readonly failures: number; readonly pause: number; readonly longestPause: number };
}

export class ProviderLink {
  readonly outbound: Outbound;
  readonly gate: ProviderGate;
  readonly #startedAt: number;
  readonly #underWay = new Set<Promise<SubmitAnswer>>();
  #host: CarrierHost | undefined;
  #lastState: CarrierStatus['state'] = 'up';
  #isClosed = false;

  /** `origin`: where messages go, for people. */
  constructor(origin: string, options: LinkOptions, clock: Clock) {
    const { window, allowPrivate, ca, breaker } = options;
    this.#startedAt = clock.now();
    this.outbound = createOutbound({
      clock,
      allowPrivate,
      connections: window,
      ...(ca !== undefined && { ca }),
    });
    const { failures, pause: pauseMs, longestPause: longestPauseMs } = breaker;
    const settings = { failures, pauseMs, longestPauseMs };
    this.gate = new ProviderGate(settings, clock, origin, status => this.#changed(status));
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
    return this.#host ? this.gate.status() : { state: 'connecting', detail: 'not started', since };
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
    this.gate.close();
    await this.outbound.close();
  }

  #changed({ state, detail }: CarrierStatus): void {
    if (state !== this.#lastState) this.#host?.noticed(state, { detail });
    this.#lastState = state;
    this.#host?.statusChanged();
  }
}
