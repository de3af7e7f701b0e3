/**
 * A service that speaks the contract of this gateway, as a carrier: whoever has an account there puts this gateway in
 * front of it. Each message goes out as a send of one step, so that fallback stays ours; reports are fetched.
 */
import { CHANNELS, type Channel, channelNamed } from '../../domain/channels/channel.ts';
import type { Step } from '../../domain/delivery/flow.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Randomness } from '../../platform/randomness.ts';
import type {
  Carrier,
  CarrierCapabilities,
  CarrierHost,
  CarrierStatus,
  CarrierTest,
  Submission,
  SubmitAnswer,
} from '../carrier.ts';
import type { ReadFile } from '../http/media-uploads.ts';
import { MessageFiles } from '../http/message-files.ts';
import { ProviderLink } from '../http/provider-link.ts';
import { ReceiptPoller } from '../http/receipt-poller.ts';
import { Gathering } from './gathering.ts';
import { baseOf, type OmniOptions } from './options.ts';
import { ReportSource } from './report-source.ts';
import { Sender } from './sender.ts';
import { serviceFiles } from './service-files.ts';
import { testService } from './service-test.ts';
import { OmniSession } from './session.ts';
import { SilentInquiries } from './silent-inquiries.ts';
import { TrialInquiry } from './trial-inquiry.ts';

export interface OmniCarrierDeps {
  readonly clock: Clock;
  readonly random: Randomness;
  readonly readFile: ReadFile;
  readonly publicUrl: string | undefined;
}

/** Problems of the settings beyond their form, each with its key. */
export function omniCarrierProblems(
  name: string,
  { channels = [] }: Pick<OmniOptions, 'channels'>,
): readonly string[] {
  return channels
    .filter(channel => channelNamed(channel) === undefined)
    .map(channel => `carriers.${name}.channels: "${channel}" is no channel; expected ${CHANNELS.join(', ')}`);
}

export class OmniCarrier implements Carrier {
  readonly name: string;
  readonly kind = 'omni';
  readonly capabilities: CarrierCapabilities;
  readonly #options: OmniOptions;
  readonly #clock: Clock;
  readonly #link: ProviderLink;
  readonly #session: OmniSession;
  readonly #gathering: Gathering;
  readonly #trial: TrialInquiry;
  readonly #sender: Sender;
  #reports: ReportSource | undefined;
  #poller: ReceiptPoller | undefined;
  #inquiries: SilentInquiries | undefined;

  constructor(name: string, options: OmniOptions, deps: OmniCarrierDeps) {
    const { window, rate, repeatable, repeatableFor, gather } = options;
    const { failures, pause: pauseMs, longestPause: longestPauseMs } = options.breaker;
    const { clock, random } = deps;
    this.name = name;
    this.#options = options;
    this.#clock = clock;
    this.capabilities = {
      channels: channelsOf(options),
      window,
      rate,
      batchSize: window,
      media: true,
      repeatableForMs: repeatable ? repeatableFor : 0,
      isForgetful: false,
      breaker: { failures, pauseMs, longestPauseMs },
      receiptsOf: options.receiptsOf,
    };
    this.#link = new ProviderLink(baseOf(options.url), options, clock);
    const { outbound } = this.#link;
    this.#session = new OmniSession({
      options,
      outbound,
      clock,
      random,
      accountRefused: says => this.#accountRefused(says),
    });
    // A repetition has the same key only if it is the same call.
    this.#gathering = new Gathering(repeatable ? 1 : gather, clock);
    this.#trial = new TrialInquiry({ session: this.#session, gathering: this.#gathering, clock });
    this.#sender = new Sender({
      session: this.#session,
      gathering: this.#gathering,
      files: new MessageFiles(serviceFiles(this.#session), deps),
      clock,
      isRepeatable: repeatable,
      trialTaken: msgKey => this.#trial.taken(msgKey),
      uploadFailed: reason => this.#link.host?.noticed('uploadFailed', { reason }),
    });
  }

  async start(host: CarrierHost): Promise<void> {
    this.#link.start(host);
    const { interval, idleInterval } = this.#options;
    this.#reports = new ReportSource({
      session: this.#session,
      host,
      intervalMs: interval,
      learn: places => this.#gathering.learn(places),
    });
    this.#poller = new ReceiptPoller({
      source: this.#reports,
      idleIntervalMs: idleInterval,
      host,
      clock: this.#clock,
    });
    this.#inquiries = new SilentInquiries({
      session: this.#session,
      host,
      clock: this.#clock,
      isOurs: () => this.#poller?.isFetching ?? false,
    });
    this.#poller.start();
    this.#inquiries.start();
  }

  status(): CarrierStatus {
    const problem = this.#reports?.problem;
    const hint = problem === undefined ? this.#poller?.hint : `reports cannot be fetched: ${problem}`;
    return { ...this.#link.status(), ...(hint !== undefined && { hint }) };
  }

  /** A message is one call or less, however many parts the service makes of it. */
  partsOf(_message: Step): number {
    return 1;
  }

  submit(batch: readonly Submission[]): Promise<SubmitAnswer>[] {
    return this.#link.submit(batch, all => this.#sender.submit(all));
  }

  reconnect(): void {
    if (this.#link.isOpen) this.#poller?.pollNow();
  }

  async test(): Promise<CarrierTest> {
    if (!this.#link.isOpen) return { isOk: false, detail: this.status().detail };
    return testService(this.#session, baseOf(this.#options.url));
  }

  async close(): Promise<void> {
    this.#link.shut();
    this.#trial.stop();
    await Promise.all([this.#poller?.stop(), this.#inquiries?.stop()]);
    await this.#link.close();
  }

  #accountRefused(says: string): void {
    this.#link.host?.noticed('accountRefused', { says });
    this.#link.host?.refused(`the service refuses our account: ${says}`);
  }
}

function channelsOf({ channels }: OmniOptions): readonly Channel[] {
  return CHANNELS.filter(channel => channels === undefined || channels.includes(channel));
}
