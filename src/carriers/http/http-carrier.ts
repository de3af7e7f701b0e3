/**
 * Any provider with an HTTP API, described in bongsu.yaml: templates make the requests, rules read the answers.
 *
 * A submit is one call. It is repeated here in one case only: after a 401, with a new token. No secret, text or number
 * of a recipient is ever logged or put into a reason.
 */
import type { CallbackAnswer, CarrierCallback } from '../../domain/delivery/carrier-callback.ts';
import type { Step } from '../../domain/delivery/flow.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Randomness } from '../../platform/randomness.ts';
import type { FormatTime } from '../../platform/zoned-time.ts';
import type {
  CallbackReceiver,
  Carrier,
  CarrierCapabilities,
  CarrierHost,
  CarrierStatus,
  CarrierTest,
  Submission,
  SubmitAnswer,
} from '../carrier.ts';
import { CallbackGuesses } from './callback-guesses.ts';
import { answerCallback, answerInbound, unavailable } from './callbacks.ts';
import type { UploadMeans } from './media-template.ts';
import type { ReadFile } from './media-uploads.ts';
import { type FileRules, MessageFiles } from './message-files.ts';
import type { HttpCarrierOptions } from './options.ts';
import { timeValues } from './placeholders.ts';
import { PolledReceipts } from './polled-receipts.ts';
import { compileProvider, type Provider } from './provider.ts';
import { ProviderCalls } from './provider-calls.ts';
import { ProviderLink } from './provider-link.ts';
import { ReceiptPoller } from './receipt-poller.ts';
import type { RenderedRequest } from './request-template.ts';
import { Submitter } from './submitter.ts';
import { TakenCalls } from './taken-calls.ts';
import type { TemplateValues } from './template.ts';
import { TokenSource } from './token-source.ts';

export interface HttpCarrierDeps {
  readonly clock: Clock;
  readonly random: Randomness;
  readonly formatTime: FormatTime;
  /** Where the provider reaches this gateway, for callback addresses. */
  readonly publicUrl: string | undefined;
  readonly readFile: ReadFile;
}

const NO_CALLBACKS: CallbackAnswer = { status: 404, contentType: 'text/plain', body: 'no callbacks here\n' };

/** The carrier, or every problem of its settings. */
export function createHttpCarrier(
  name: string,
  options: HttpCarrierOptions,
  deps: HttpCarrierDeps,
): HttpCarrier | readonly string[] {
  const problems: string[] = [];
  const provider = compileProvider(name, options, deps.publicUrl, problems);
  return problems.length > 0 ? problems : new HttpCarrier(name, options, provider, deps);
}

/** Every problem of the settings of a carrier. */
export function httpCarrierProblems(
  name: string,
  options: HttpCarrierOptions,
  publicUrl: string | undefined,
): readonly string[] {
  const problems: string[] = [];
  compileProvider(name, options, publicUrl, problems);
  return problems;
}

export class HttpCarrier implements Carrier, CallbackReceiver {
  readonly name: string;
  readonly kind = 'http';
  readonly capabilities: CarrierCapabilities;
  readonly #provider: Provider;
  readonly #clock: Clock;
  readonly #guesses = new CallbackGuesses();
  readonly #takenReceipts = new TakenCalls();
  readonly #takenInbound = new TakenCalls();
  readonly #formatTime: FormatTime;
  readonly #link: ProviderLink;
  readonly #calls: ProviderCalls;
  readonly #token: TokenSource | undefined;
  readonly #submitter: Submitter;
  readonly #origin: string;
  #poller: ReceiptPoller | undefined;

  constructor(name: string, options: HttpCarrierOptions, provider: Provider, deps: HttpCarrierDeps) {
    const { window, rate, repeatable, repeatableFor, auth } = options;
    const { failures, pause: pauseMs, longestPause: longestPauseMs } = options.breaker;
    const { clock } = deps;
    this.name = name;
    this.capabilities = {
      channels: [...provider.submits.keys()],
      window,
      rate,
      batchSize: window,
      media: provider.media !== undefined,
      repeatableForMs: repeatable ? repeatableFor : 0,
      isForgetful: false,
      breaker: { failures, pauseMs, longestPauseMs },
      isWithoutReceipts: options.callback === undefined && options.polling === undefined,
      receiptsOf: options.receiptsOf,
    };
    this.#provider = provider;
    this.#clock = clock;
    this.#formatTime = deps.formatTime;
    this.#origin = originOf(options);
    this.#link = new ProviderLink(this.#origin, options, clock);
    const { outbound } = this.#link;
    const limits = { timeoutMs: options.timeout, maxBytes: options.maxAnswerBytes };
    const login = new ProviderCalls({
      clock,
      random: deps.random,
      limits,
      outbound,
      credentials: { basic: auth?.basic, signingSecrets: [], token: undefined },
    });
    const { token } = provider;
    this.#token =
      token &&
      new TokenSource({ read: token.read, clock, fetch: () => login.call(token.request(this.#times())) });
    this.#calls = new ProviderCalls({
      clock,
      random: deps.random,
      limits,
      outbound,
      credentials: {
        basic: token ? undefined : auth?.basic,
        signingSecrets: auth?.hmac?.secrets ?? [],
        token: token &&
          this.#token && {
            source: this.#token,
            headers: token.headers,
            isRefusal: ({ status }) => status === 401,
          },
      },
    });
    const call = (request: RenderedRequest) => this.#calls.call(request);
    this.#submitter = new Submitter({
      provider,
      calls: this.#calls,
      files: new MessageFiles(
        fileRulesOf(provider, { call, times: () => this.#times(), now: () => clock.now() }),
        deps,
      ),
      clock,
      times: () => this.#times(),
      idempotencyHeader: options.idempotencyHeader,
      uploadFailed: reason => this.#link.host?.noticed('uploadFailed', { reason }),
    });
  }

  async start(host: CarrierHost): Promise<void> {
    this.#link.start(host);
    const { polling: rules } = this.#provider;
    if (!rules) return;
    this.#poller = new ReceiptPoller({
      source: new PolledReceipts({
        rules,
        host,
        call: request => this.#calls.call(request),
        times: () => this.#times(),
      }),
      idleIntervalMs: rules.idleIntervalMs,
      host,
      clock: this.#clock,
    });
    this.#poller.start();
  }

  status(): CarrierStatus {
    const hint = this.#poller?.hint;
    return { ...this.#link.status(), ...(hint !== undefined && { hint }) };
  }

  /** A message is one call, however many parts the provider makes of it. */
  partsOf(_message: Step): number {
    return 1;
  }

  submit(batch: readonly Submission[]): Promise<SubmitAnswer>[] {
    return this.#link.submit(batch, all => all.map(submission => this.#submitter.submit(submission)));
  }

  async handleCallback(callback: CarrierCallback): Promise<CallbackAnswer> {
    const { callback: rules } = this.#provider;
    if (!rules) return NO_CALLBACKS;
    const { host, isOpen } = this.#link;
    if (!host || !isOpen) return unavailable();
    const taken = this.#takenReceipts;
    return answerCallback({ callback, guesses: this.#guesses, taken, host, clock: this.#clock }, rules);
  }

  async handleInbound(callback: CarrierCallback): Promise<CallbackAnswer> {
    const { inbound: rules } = this.#provider;
    if (!rules) return NO_CALLBACKS;
    const { host, isOpen } = this.#link;
    if (!host || !isOpen) return unavailable();
    const taken = this.#takenInbound;
    return answerInbound({ callback, guesses: this.#guesses, taken, host, clock: this.#clock }, rules);
  }

  reconnect(): void {
    if (this.#link.isOpen) this.#poller?.pollNow();
  }

  async test(): Promise<CarrierTest> {
    if (!this.#link.isOpen) return { isOk: false, detail: this.status().detail };
    const startedAt = this.#clock.monotonic();
    const { test } = this.#provider;
    if (!test && this.#token) {
      const result = await this.#token.get();
      return result.kind === 'token'
        ? { isOk: true, detail: `got a token for ${this.#origin}` }
        : { isOk: false, detail: result.reason };
    }
    // Without a request of its own, any answer at all shows that it is there.
    const answer = test
      ? await this.#calls.call(test(this.#times()))
      : await this.#calls.call({ method: 'HEAD', url: `${this.#origin}/`, headers: {} });
    if (answer.kind === 'failed') return { isOk: false, detail: `${this.#origin}: ${answer.reason}` };
    const isOk = !test || (answer.status >= 200 && answer.status < 300);
    const tookMs = Math.round(this.#clock.monotonic() - startedAt);
    return { isOk, detail: `${this.#origin} answered ${answer.status} in ${tookMs} ms` };
  }

  async close(): Promise<void> {
    this.#link.shut();
    await this.#poller?.stop();
    await this.#link.close();
  }

  #times(): TemplateValues {
    return timeValues(this.#clock.now(), this.#formatTime);
  }
}

/** A file is uploaded once for each channel. */
function fileRulesOf({ media }: Provider, means: UploadMeans): FileRules | undefined {
  return (
    media && {
      send: media.sendBy(means),
      purposeOf: message => message.channel,
      referenceOf: id => media.reference({ id }) ?? id,
    }
  );
}

/** Where messages go, without path and parameters: those may hold keys. */
function originOf({ submit, channels }: HttpCarrierOptions): string {
  const urls = [submit.url, ...Object.values(channels).map(({ url }) => url)];
  return /^https?:\/\/[^/?#]+/.exec(urls.find(url => url !== undefined) ?? '')?.[0] ?? '';
}
