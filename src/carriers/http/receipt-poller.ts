/**
 * Fetches receipts from a provider that keeps them for us. A batch is acknowledged only after it is settled; one that
 * is not acknowledged comes again, which does no harm.
 *
 * One node at a time does it. It leaves that to another when a fetch fails: what it cannot reach, another may. Two that
 * fetch at once, after one was frozen, do no harm either.
 */
import type { Clock } from '../../platform/clock.ts';
import type { OutboundAnswer } from '../../platform/outbound.ts';
import type { CarrierHost } from '../carrier.ts';
import type { Pointer } from './pointer.ts';
import { parseJson } from './provider-answer.ts';
import { deliverReceipts, type ReceiptReader } from './receipts.ts';
import type { RenderedRequest, RequestTemplate } from './request-template.ts';
import type { TemplateValues } from './template.ts';

export interface PollingRules {
  readonly fetch: RequestTemplate;
  readonly acknowledge: RequestTemplate | undefined;
  readonly list: Pointer;
  readonly batch: Pointer | undefined;
  readonly read: ReceiptReader;
  /** Between two fetches while there is something to fetch, and while there is nothing. */
  readonly intervalMs: number;
  readonly idleIntervalMs: number;
}

/** A fetch that failed is put off longer each time. */
const LONGEST_PAUSE_MS = 300_000;
/** How often a node that does not fetch looks whether it should, at most. */
const LOOK_AGAIN_MS = 2_000;

export class ReceiptPoller {
  readonly #rules: PollingRules;
  readonly #call: (request: RenderedRequest) => Promise<OutboundAnswer>;
  readonly #times: () => TemplateValues;
  readonly #host: CarrierHost;
  readonly #clock: Clock;
  #cancel = () => {};
  #underWay: Promise<void> | undefined;
  #failuresInARow = 0;
  #isStopped = false;
  #mayBeOurs = false;

  constructor(deps: {
    readonly rules: PollingRules;
    readonly call: (request: RenderedRequest) => Promise<OutboundAnswer>;
    readonly times: () => TemplateValues;
    readonly host: CarrierHost;
    readonly clock: Clock;
  }) {
    this.#rules = deps.rules;
    this.#call = deps.call;
    this.#times = deps.times;
    this.#host = deps.host;
    this.#clock = deps.clock;
  }

  start(): void {
    this.#next(0);
  }

  /** Lets a fetch under way come to its end. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#underWay;
    await this.#leave();
  }

  #next(delayMs: number): void {
    if (this.#isStopped) return;
    this.#cancel = this.#clock.schedule(delayMs, () => {
      this.#underWay = this.#poll().then(pauseMs => this.#next(pauseMs));
    });
  }

  /** One fetch; resolves to the pause after it. */
  async #poll(): Promise<number> {
    const { intervalMs, idleIntervalMs } = this.#rules;
    try {
      if (!(await this.#isOurs())) return Math.min(LOOK_AGAIN_MS, idleIntervalMs);
      const isMore = await this.#fetchBatch();
      this.#failuresInARow = 0;
      return isMore ? intervalMs : idleIntervalMs;
    } catch (error) {
      const reason = error instanceof PollProblem ? error.message : 'an error of our own';
      this.#host.noticed('pollFailed', { reason });
      await this.#leave();
      return Math.min(LONGEST_PAUSE_MS, idleIntervalMs * 2 ** this.#failuresInARow++);
    }
  }

  async #isOurs(): Promise<boolean> {
    try {
      this.#mayBeOurs = true;
      this.#mayBeOurs = await this.#host.mayPoll();
      return this.#mayBeOurs;
    } catch {
      throw new PollProblem('it is not known which node fetches receipts');
    }
  }

  /** Where that fails, the store takes it from a node that is gone; this one asks again before it fetches. */
  async #leave(): Promise<void> {
    if (!this.#mayBeOurs) return;
    this.#mayBeOurs = false;
    await this.#host.leavePolling().catch(() => {});
  }

  async #fetchBatch(): Promise<boolean> {
    const { fetch, list, batch, read } = this.#rules;
    const json = await this.#ask(fetch(this.#times()));
    const entries = list.find(json);
    // An empty list may be left out; anything that is no list is not understood.
    if (entries !== undefined && entries !== null && !Array.isArray(entries)) {
      throw new PollProblem('the answer has no list');
    }
    if (!entries || entries.length === 0) return false;
    const result = read(entries);
    await this.#settle(() => deliverReceipts(result, this.#host));
    await this.#acknowledge({ batch: batch?.text(json), ids: result.names });
    return true;
  }

  async #acknowledge(values: TemplateValues): Promise<void> {
    const { acknowledge } = this.#rules;
    if (acknowledge) await this.#ask(acknowledge({ ...this.#times(), ...values }));
  }

  async #settle(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch {
      throw new PollProblem('the receipts cannot be settled now');
    }
  }

  async #ask(request: RenderedRequest): Promise<unknown> {
    const answer = await this.#call(request);
    if (answer.kind === 'failed') throw new PollProblem(answer.reason);
    if (answer.status < 200 || answer.status > 299) throw new PollProblem(`status ${answer.status}`);
    return parseJson(answer.body);
  }
}

/** What goes wrong in a fetch, in words that hold no secret. */
class PollProblem extends Error {
  override name = 'PollProblem';
}
