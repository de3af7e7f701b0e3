/**
 * The simulated network: a carrier that the rest of the gateway cannot tell from a real one. It refuses what no network would
 * deliver: files that were never uploaded, formats that nobody issued.
 *
 * It is repeatable: references derive from the attempt id and outcomes from the recipient, so an attempt cut off by a
 * crash can be made again and still counts once.
 */

import { CHANNELS } from '../../domain/channels/channel.ts';
import { channelOf, familyOf } from '../../domain/channels/channel-table.ts';
import { type Chaos, NO_CHAOS } from '../../domain/delivery/chaos.ts';
import type { Step } from '../../domain/delivery/flow.ts';
import type { NetworkObjection } from '../../domain/delivery/network-objections.ts';
import type { AccountId } from '../../domain/ids.ts';
import { DELIVERED, type ReportCode } from '../../domain/reports/report-codes.ts';
import { type Clock, sleep } from '../../platform/clock.ts';
import type { DurationRange } from '../../platform/duration.ts';
import type { Randomness } from '../../platform/randomness.ts';
import { TokenBucket } from '../../platform/token-bucket.ts';
import type {
  Carrier,
  CarrierCapabilities,
  CarrierHost,
  CarrierReceipt,
  CarrierStatus,
  CarrierTest,
  Submission,
  SubmitAnswer,
} from '../carrier.ts';
import { isFriend, outcomeFor, type SimulatedOutcome, type SimulatedReceipt } from './simulated-outcomes.ts';

/** The mobile network in its receipts: of domestic numbers, and not where a messenger delivers. */
const SIMULATED_NETWORK = '10001';
const REDELIVERY_MS = 1000;
const SAID_ID_LENGTH = 20;
const SAID_ID_CHARACTERS = '0123456789abcdef';
const NOT_UP: SubmitAnswer = { kind: 'temporary', reportCode: '23035', isCarriersFault: true };
const THROTTLED: SubmitAnswer = {
  kind: 'temporary',
  reportCode: '23011',
  isCarriersFault: true,
  isThrottled: true,
};
const FAILED_PART: ReportCode = '22002';
const MOST_PARTS = 255;
/** From the moment when the gateway is told that the outcome is unknown. */
const LATE_BY_MS = 5000;

/** Why a network would refuse a message; rejects where that cannot be looked up. */
export type Objects = (
  account: AccountId,
  message: Step,
) => Promise<readonly Objection[]> | readonly Objection[];
type Objection = Pick<NetworkObjection, 'reportCode' | 'detail'>;

export class Simulator implements Carrier {
  readonly name: string;
  readonly kind = 'simulator';
  readonly capabilities: CarrierCapabilities = {
    channels: CHANNELS,
    window: 1000,
    rate: 0,
    batchSize: 1000,
    media: true,
    repeatableForMs: Number.MAX_SAFE_INTEGER,
    isForgetful: true,
  };
  #chaos: Chaos = NO_CHAOS;
  /** Parts that it takes now, where it throttles. */
  #room: TokenBucket;
  readonly #latency: DurationRange;
  readonly #clock: Clock;
  readonly #random: Randomness;
  readonly #objects: Objects;
  #host: CarrierHost | undefined;
  #receipts: CarrierReceipt[] = [];
  #isClosed = false;
  #status: CarrierStatus;

  constructor(
    name: string,
    latency: DurationRange,
    clock: Clock,
    random: Randomness,
    objects: Objects = () => [],
  ) {
    this.name = name;
    this.#latency = latency;
    this.#clock = clock;
    this.#random = random;
    this.#objects = objects;
    this.#room = new TokenBucket({ ratePerSecond: 0, burst: 0 }, clock.monotonic());
    this.#status = { state: 'down', detail: 'not started', since: clock.now() };
  }

  async start(host: CarrierHost): Promise<void> {
    this.#host = host;
    this.#status = { state: 'up', detail: 'a simulated network', since: this.#clock.now() };
  }

  status(): CarrierStatus {
    return this.#status;
  }

  /** Failures from now on. */
  disturb(chaos: Chaos): void {
    this.#chaos = chaos;
    const burst = chaos.throttleAbove;
    this.#room = new TokenBucket({ ratePerSecond: burst, burst }, this.#clock.monotonic());
  }

  partsOf(message: Step): number {
    const text = channelOf(message).textInParts?.(message) ?? '';
    const { partLength } = this.#chaos;
    if (partLength === 0 || text === '') return 1;
    return Math.min(MOST_PARTS, Math.ceil([...text].length / partLength));
  }

  /** It is always there. */
  reconnect(): void {}

  async test(): Promise<CarrierTest> {
    return { isOk: this.#status.state === 'up', detail: this.#status.detail };
  }

  submit(batch: readonly Submission[]): Promise<SubmitAnswer>[] {
    return batch.map(submission => this.#submitOne(submission));
  }

  /** A handset writes to a number; resolves to the key of the message. */
  async say(message: {
    readonly from: string;
    readonly to: string;
    readonly text: string;
  }): Promise<string | undefined> {
    const { from, to, text } = message;
    const id = this.#random.characters(SAID_ID_LENGTH, SAID_ID_CHARACTERS);
    const names = await this.#host?.receiveInbound([{ from, to, content: { kind: 'text', text, id } }]);
    const name = names?.[0];
    return name && 'msgKey' in name ? name.msgKey : undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#status = { state: 'down', detail: 'closed', since: this.#clock.now() };
  }

  async #submitOne(submission: Submission): Promise<SubmitAnswer> {
    if (this.#status.state !== 'up') return NOT_UP;
    const objections = this.#objects(submission.account, submission.message);
    const objection = objections instanceof Promise ? await firstOf(objections) : objections[0];
    if (objection === 'notKnown') return NOT_UP;
    if (objection) {
      await this.#pause();
      return { kind: 'permanent', reportCode: objection.reportCode, detail: objection.detail };
    }
    const refs = this.#refsOf(submission);
    if (this.#isThrottled(refs.length)) {
      await this.#pause();
      return THROTTLED;
    }
    const { outcome, isLate } = this.#disturbed(
      outcomeFor(submission.to, submission.message.channel, submission.attempt),
    );
    let receipts = outcome.kind === 'receipt' ? this.#receiptsOf(submission, refs, outcome) : [];
    if (outcome.kind === 'receipt' && outcome.beforeAnswer) {
      await this.#deliver(receipts);
      receipts = [];
    }
    await this.#pause();
    const answer = answerOf(outcome, refs);
    if (isLate && answer.kind !== 'temporary') {
      void this.#answerLate(submission.attemptId, answer, receipts);
      return { kind: 'unknown' };
    }
    for (const receipt of receipts) void this.#sendLater(receipt);
    return answer;
  }

  /** One for each part. */
  #refsOf({ attemptId, message }: Submission): readonly string[] {
    const parts = this.partsOf(message);
    if (parts === 1) return [`sim-${attemptId}`];
    return Array.from({ length: parts }, (_, part) => `sim-${attemptId}-${part + 1}`);
  }

  /** A long message is taken whole while there is room for one part. */
  #isThrottled(parts: number): boolean {
    const { throttleAbove } = this.#chaos;
    if (throttleAbove === 0) return false;
    const rate = { ratePerSecond: throttleAbove, burst: throttleAbove };
    if (this.#room.fill(rate, this.#clock.monotonic()) < 1) return true;
    this.#room.take(parts);
    return false;
  }

  #disturbed(outcome: SimulatedOutcome): { readonly outcome: SimulatedOutcome; readonly isLate: boolean } {
    const { errorRate, dropRate, lateRate } = this.#chaos;
    if (errorRate + dropRate + lateRate === 0) return { outcome, isLate: false };
    const dice = this.#random.fraction();
    if (dice < dropRate) return { outcome: { kind: 'linkDropped' }, isLate: false };
    if (dice < dropRate + errorRate) {
      return { outcome: { kind: 'deferred', reportCode: '22007', isSure: false }, isLate: false };
    }
    return { outcome, isLate: dice < dropRate + errorRate + lateRate };
  }

  #receiptsOf(
    submission: Submission,
    refs: readonly string[],
    { reportCode, receipts }: SimulatedReceipt,
  ): readonly CarrierReceipt[] {
    const { partErrorRate } = this.#chaos;
    const failsPart = partErrorRate > 0 && refs.length > 1 && this.#random.fraction() < partErrorRate;
    const isFailed = (part: number) => failsPart && part === 0 && reportCode === DELIVERED;
    return refs.flatMap((ref, part) => {
      const receipt = receiptOf(submission, ref, isFailed(part) ? FAILED_PART : reportCode);
      return Array.from({ length: receipts }, () => receipt);
    });
  }

  async #answerLate(
    attemptId: string,
    answer: SubmitAnswer,
    receipts: readonly CarrierReceipt[],
  ): Promise<void> {
    await sleep(this.#clock, LATE_BY_MS);
    if (this.#isClosed) return;
    this.#host?.answeredLate(attemptId, answer);
    for (const receipt of receipts) void this.#sendLater(receipt);
  }

  async #sendLater(receipt: CarrierReceipt): Promise<void> {
    await this.#pause();
    this.#receipts.push(receipt);
    if (this.#receipts.length > 1) return;
    // Whatever falls due in one turn of the event loop goes out together.
    setImmediate(() => {
      const receipts = this.#receipts;
      this.#receipts = [];
      void this.#deliver(receipts);
    });
  }

  /** Receipts that could not be settled are sent again, as a real network does. */
  async #deliver(receipts: readonly CarrierReceipt[]): Promise<void> {
    if (this.#isClosed) return;
    try {
      await this.#host?.receive(receipts);
    } catch {
      this.#clock.schedule(REDELIVERY_MS, () => void this.#deliver(receipts));
    }
  }

  #pause(): Promise<void> | undefined {
    const { minMs, maxMs } = this.#latency;
    const delayMs = minMs + (maxMs - minMs) * this.#random.fraction() + this.#chaos.extraLatencyMs;
    if (delayMs === 0) return undefined;
    return sleep(this.#clock, delayMs);
  }
}

/** The store is away: the attempt is made again. */
async function firstOf(
  objections: Promise<readonly Objection[]>,
): Promise<Objection | 'notKnown' | undefined> {
  try {
    return (await objections)[0];
  } catch {
    return 'notKnown';
  }
}

function answerOf(outcome: SimulatedOutcome, refs: readonly string[]): SubmitAnswer {
  switch (outcome.kind) {
    case 'refused':
      return { kind: 'permanent', reportCode: outcome.reportCode };
    case 'deferred':
      return {
        ...{ kind: 'temporary', reportCode: outcome.reportCode },
        ...(outcome.isSure && { isNeverTaken: true }),
      };
    case 'linkDropped':
      return { kind: 'unknown' };
    case 'silent':
    case 'receipt':
      return { kind: 'accepted', refs };
  }
}

function receiptOf({ message, to }: Submission, ref: string, reportCode: ReportCode): CarrierReceipt {
  const hasNetwork = familyOf(message.channel) !== 'messenger' && !to.startsWith('+');
  const hasUserType = channelOf(message).report.hasUserType?.(message);
  return {
    ref,
    reportCode,
    ...(hasNetwork && { network: SIMULATED_NETWORK }),
    ...(hasUserType && { userType: isFriend(to) ? 'F' : 'N' }),
  };
}
