/** Receipts that are fetched, and acknowledged, with requests that bongsu.yaml describes. */
import type { OutboundAnswer } from '../../platform/outbound.ts';
import type { CarrierHost } from '../carrier.ts';
import type { Pointer } from './pointer.ts';
import { type ProviderAnswer, providerAnswer } from './provider-answer.ts';
import { type PolledBatch, PollProblem, type ReceiptSource } from './receipt-poller.ts';
import { deliverReceipts, type ReceiptReader } from './receipts.ts';
import type { RenderedRequest, RequestTemplate } from './request-template.ts';
import type { TemplateValues } from './template.ts';

export interface PollingRules {
  readonly fetch: RequestTemplate;
  readonly acknowledge: RequestTemplate | undefined;
  readonly list: Pointer;
  readonly batch: Pointer | undefined;
  /** Whether an answer with status 2xx is a success; without it, every such answer is. */
  readonly isOk: ((document: unknown) => boolean) | undefined;
  readonly read: ReceiptReader;
  /** Between two fetches while there is something to fetch, and while there is nothing. */
  readonly intervalMs: number;
  readonly idleIntervalMs: number;
}

const NO_CONTENT = 204;

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
    const { fetch, batch, read, intervalMs } = this.#rules;
    const { status, json } = await this.#ask(fetch(this.#times()));
    const entries = status === NO_CONTENT ? [] : this.#entriesOf(json);
    if (entries.length === 0) return undefined;
    const result = read(entries);
    return {
      nextInMs: intervalMs,
      settle: () => deliverReceipts(result, this.#host),
      acknowledge: () => this.#acknowledge({ batch: batch?.text(json), ids: result.names }),
    };
  }

  /** What cannot be understood is a failure, not an empty list: the receipts are still there. */
  #entriesOf(json: unknown): readonly unknown[] {
    if (json === undefined) throw new PollProblem('the answer is not JSON');
    const entries = this.#rules.list.find(json);
    if (Array.isArray(entries)) return entries;
    if (entries === null || (entries === undefined && this.#rules.isOk)) return [];
    throw new PollProblem('the answer has no list');
  }

  async #acknowledge(values: TemplateValues): Promise<void> {
    const { acknowledge } = this.#rules;
    if (acknowledge) await this.#ask(acknowledge({ ...this.#times(), ...values }));
  }

  async #ask(request: RenderedRequest): Promise<ProviderAnswer> {
    const answer = await this.#call(request);
    if (answer.kind === 'failed') throw new PollProblem(answer.reason);
    if (answer.status < 200 || answer.status > 299) throw new PollProblem(`status ${answer.status}`);
    const read = providerAnswer(answer);
    const { isOk } = this.#rules;
    if (isOk && answer.status !== NO_CONTENT && !isOk(read.json)) {
      throw new PollProblem('the answer does not match polling.ok');
    }
    return read;
  }
}
