/** Receipts that are fetched, and acknowledged, with requests that bongsu.yaml describes. */
import type { OutboundAnswer } from '../../platform/outbound.ts';
import type { CarrierHost } from '../carrier.ts';
import type { Pointer } from './pointer.ts';
import { parseJson } from './provider-answer.ts';
import { type PolledBatch, PollProblem, type ReceiptSource } from './receipt-poller.ts';
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

export class PolledReceipts implements ReceiptSource {
  readonly #rules: PollingRules;
  readonly #call: (request: RenderedRequest) => Promise<OutboundAnswer>;
  readonly #times: () => TemplateValues;
  readonly #host: CarrierHost;

  constructor(deps: {
    readonly rules: PollingRules;
    readonly call: (request: RenderedRequest) => Promise<OutboundAnswer>;
    readonly times: () => TemplateValues;
    readonly host: CarrierHost;
  }) {
    this.#rules = deps.rules;
    this.#call = deps.call;
    this.#times = deps.times;
    this.#host = deps.host;
  }

  async fetch(): Promise<PolledBatch | undefined> {
    const { fetch, list, batch, read, intervalMs } = this.#rules;
    const json = await this.#ask(fetch(this.#times()));
    const entries = list.find(json);
    // An empty list may be left out; anything that is no list is not understood.
    if (entries !== undefined && entries !== null && !Array.isArray(entries)) {
      throw new PollProblem('the answer has no list');
    }
    if (!entries || entries.length === 0) return undefined;
    const result = read(entries);
    return {
      nextInMs: intervalMs,
      settle: () => deliverReceipts(result, this.#host),
      acknowledge: () => this.#acknowledge({ batch: batch?.text(json), ids: result.names }),
    };
  }

  async #acknowledge(values: TemplateValues): Promise<void> {
    const { acknowledge } = this.#rules;
    if (acknowledge) await this.#ask(acknowledge({ ...this.#times(), ...values }));
  }

  async #ask(request: RenderedRequest): Promise<unknown> {
    const answer = await this.#call(request);
    if (answer.kind === 'failed') throw new PollProblem(answer.reason);
    if (answer.status < 200 || answer.status > 299) throw new PollProblem(`status ${answer.status}`);
    return parseJson(answer.body);
  }
}
