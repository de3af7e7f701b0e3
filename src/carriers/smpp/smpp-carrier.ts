/**
 * The SMPP carrier: text messages to an SMSC, as its ESME.
 *
 * It connects the pieces: texts become submits, links carry them, answers and receipts go back to the gateway. What must
 * never happen: a part that was taken is submitted again, a submission is answered twice or not at all, a receipt is
 * acknowledged before the gateway has settled it.
 */

import { familyOf } from '../../domain/channels/channel-table.ts';
import type { Step } from '../../domain/delivery/flow.ts';
import { NO_ROUTE_CODE } from '../../domain/reports/report-codes.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Randomness } from '../../platform/randomness.ts';
import type {
  Carrier,
  CarrierCapabilities,
  CarrierHost,
  CarrierState,
  CarrierStatus,
  CarrierTest,
  Submission,
  SubmitAnswer,
} from '../carrier.ts';
import { refusedByUs } from '../refused-by-us.ts';
import { destinationAddress, sourceAddress } from './addresses.ts';
import { alphabetsOf } from './alphabets.ts';
import { readInbound } from './inbound.ts';
import { InboundInbox } from './inbound-inbox.ts';
import { Link } from './link.ts';
import { asksForEveryReceipt, type SmppOptions } from './options.ts';
import { linksFault, type MessageTime, OutgoingMessage, type SubmitFields } from './outgoing-message.ts';
import { PartSender } from './part-sender.ts';
import type { BindPdu, DataPdu, MessagePdu } from './pdu.ts';
import { readReceipt } from './receipt.ts';
import { ReceiptInbox } from './receipt-inbox.ts';
import type { Session } from './session.ts';
import { STATUS } from './statuses.ts';
import { References, TextEncoding } from './text-parts.ts';
import { validityOf } from './validity.ts';

/** A text that no SMS can hold. */
const TOO_LONG_CODE = '23009';

const COMMANDS: Readonly<Record<SmppOptions['bind'], readonly BindPdu['command'][]>> = {
  transceiver: ['bindTransceiver'],
  pair: ['bindTransmitter', 'bindReceiver'],
};

export class SmppCarrier implements Carrier {
  readonly name: string;
  readonly kind = 'smpp';
  readonly capabilities: CarrierCapabilities;
  readonly #options: SmppOptions;
  readonly #clock: Clock;
  readonly #random: Randomness;
  readonly #texts: TextEncoding;
  readonly #references: References;
  readonly #sender: PartSender;
  #links: readonly Link[] = [];
  #host: CarrierHost | undefined;
  #inbox: ReceiptInbox | undefined;
  #inbound: InboundInbox | undefined;
  #status: CarrierStatus;
  #isClosing = false;
  /** Submissions without an answer. */
  #unanswered = 0;
  readonly #allAnswered = Promise.withResolvers<void>();

  constructor(name: string, options: SmppOptions, clock: Clock, random: Randomness) {
    this.name = name;
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
    this.capabilities = {
      channels: ['sms', 'international'],
      window: options.window,
      rate: options.rate,
      batchSize: options.window,
      media: false,
      repeatableForMs: 0,
      isForgetful: false,
      isWithoutReceipts: !asksForEveryReceipt(options),
      receiptsOf: options.receiptsOf,
    };
    this.#texts = new TextEncoding(alphabetsOf(options), options.longMessages);
    this.#references = new References(random.fraction());
    this.#sender = new PartSender(options, clock, {
      session: () => this.#links[0]?.session,
      changed: () => this.#linkChanged(),
      noticed: (notice, details) => this.#host?.noticed(notice, details),
    });
    this.#status = { state: 'down', detail: 'not started', since: clock.now() };
  }

  async start(host: CarrierHost): Promise<void> {
    this.#host = host;
    this.#inbox = new ReceiptInbox(host, this.#clock, this.#options);
    this.#inbound = new InboundInbox(host, this.#clock);
    this.#links = COMMANDS[this.#options.bind].map(
      command =>
        new Link({
          command,
          options: this.#options,
          clock: this.#clock,
          random: this.#random,
          handlers: {
            changed: () => this.#linkChanged(),
            received: (pdu, answer, session) => this.#received(pdu, answer, session),
            noticed: (notice, details) => host.noticed(notice, details),
          },
        }),
    );
    for (const link of this.#links) link.open();
  }

  status(): CarrierStatus {
    const hint = this.#inbox?.hint;
    return hint === undefined ? this.#status : { ...this.#status, hint };
  }

  partsOf(message: Step): number {
    return 'text' in message && typeof message.text === 'string' ? this.#texts.count(message.text) : 1;
  }

  submit(batch: readonly Submission[]): Promise<SubmitAnswer>[] {
    return batch.map(submission => this.#submitOne(submission));
  }

  reconnect(): void {
    for (const link of this.#links) link.reconnect();
  }

  async test(): Promise<CarrierTest> {
    await Promise.all(this.#links.map(link => link.settled()));
    const sessions = this.#links.map(link => link.session);
    if (sessions.length === 0 || sessions.some(session => session === undefined)) {
      return { isOk: false, detail: this.#status.detail };
    }
    const startedAt = this.#clock.monotonic();
    const alive = await Promise.all(sessions.map(session => session?.enquire()));
    const tookMs = Math.round(this.#clock.monotonic() - startedAt);
    return alive.every(Boolean)
      ? { isOk: true, detail: `enquire_link was answered after ${tookMs} ms` }
      : { isOk: false, detail: 'enquire_link was not answered' };
  }

  async close(withinMs = 0): Promise<void> {
    this.#isClosing = true;
    // While messages wait for their answers, links stay, and are bound again if they are lost.
    const cancel = this.#clock.schedule(withinMs, () => this.#sender.close());
    this.#sender.hurry();
    if (this.#unanswered > 0) await this.#allAnswered.promise;
    cancel();
    this.#sender.close();
    this.#inbox?.close();
    this.#inbound?.close();
    // The transmitter first: until its last submits are answered, receipts are still received.
    for (const link of this.#links) await link.close();
    this.#setStatus('down', 'closed');
  }

  #submitOne(submission: Submission): Promise<SubmitAnswer> {
    const { pauseMs } = this.#sender;
    if (this.#isClosing || pauseMs > 0 || this.#links[0]?.session === undefined) {
      return Promise.resolve(linksFault(pauseMs));
    }
    const fields = this.#fieldsOf(submission);
    if (!Array.isArray(fields)) return Promise.resolve(fields);
    const { attemptId } = submission;
    this.#unanswered++;
    return new Promise(resolve => {
      new OutgoingMessage(fields, this.#sender, this.#timeOf(submission), {
        answer: answer => {
          resolve(answer);
          this.#unanswered--;
          if (this.#isClosing && this.#unanswered === 0) this.#allAnswered.resolve();
        },
        answeredLate: late => this.#host?.answeredLate(attemptId, late),
        partlyTaken: answers => this.#host?.partlyTaken(attemptId, answers),
        submitRest: (parts, submit) => this.#host?.submitRest(attemptId, parts, submit),
      }).submit();
    });
  }

  #timeOf({ timeLeftMs, hasOwnTime }: Submission): MessageTime {
    const startedAt = this.#clock.monotonic();
    const endsAt = startedAt + timeLeftMs;
    const ownMs = () => (hasOwnTime ? endsAt - this.#clock.monotonic() : undefined);
    return { startedAt, endsAt, validity: () => validityOf(this.#options.validity, ownMs()) };
  }

  #fieldsOf({ to, message }: Submission): SubmitFields[] | SubmitAnswer {
    if (message.channel !== 'sms' && message.channel !== 'international') {
      return refusedByUs(NO_ROUTE_CODE[familyOf(message.channel)]);
    }
    const parts = this.#texts.split(message.text, () => this.#references.next(to));
    if (!parts) return refusedByUs(TOO_LONG_CODE);
    const options = this.#options;
    const source = sourceAddress(message.from, { ton: options.sourceTon, npi: options.sourceNpi });
    const destination = destinationAddress(to, { ton: options.destTon, npi: options.destNpi });
    return parts.map(({ dataCoding, esmClass, shortMessage, tlvs }) => ({
      command: 'submitSm',
      status: 0,
      serviceType: options.serviceType,
      source,
      destination,
      esmClass: options.esmClass | esmClass,
      protocolId: options.protocolId,
      priority: options.priority,
      scheduleTime: '',
      registeredDelivery: options.registeredDelivery,
      replaceIfPresent: 0,
      dataCoding,
      defaultMessageId: 0,
      shortMessage,
      tlvs,
    }));
  }

  #received(pdu: MessagePdu | DataPdu, acknowledge: (status: number) => void, session: Session): void {
    const receipt = readReceipt(pdu, this.#options.receipts);
    switch (receipt.kind) {
      case 'final':
        this.#inbox?.take(receipt, acknowledge);
        break;
      case 'intermediate':
        this.#host?.noticed('intermediateReceipt', { state: receipt.state });
        acknowledge(STATUS.ok);
        break;
      case 'unreadable':
        this.#host?.noticed('unreadableReceipt', { missing: receipt.missing });
        acknowledge(STATUS.ok);
        break;
      case 'inbound':
        if (receipt.looksLikeReceipt) this.#host?.noticed('unmarkedReceipt');
        this.#receivedInbound(pdu, acknowledge, session);
        break;
    }
  }

  #receivedInbound(pdu: MessagePdu | DataPdu, acknowledge: (status: number) => void, session: Session): void {
    const message = readInbound(pdu, this.#options);
    if (message) {
      this.#inbound?.take(message, acknowledge, session);
      return;
    }
    this.#host?.noticed('inboundUnreadable', { dataCoding: pdu.dataCoding });
    // For good: an SMSC that waits for us to read this one may hold up all others behind it.
    acknowledge(STATUS.permanentAppError);
  }

  #linkChanged(): void {
    if (this.#isClosing) return;
    const { host, port } = this.#options;
    const [out, back] = this.#links;
    if (out?.state === 'bound') {
      if (this.#sender.pauseMs > 0) {
        this.#setStatus('slowed', `the peer answers ${this.#sender.slowedBy}`);
        return;
      }
      const withoutBack = back && back.state !== 'bound' ? `; the receiver is not bound: ${back.reason}` : '';
      this.#setStatus('up', `bound to ${host}:${port}${withoutBack}`);
      return;
    }
    const isDown = (out?.failures ?? 0) > 0;
    this.#setStatus(isDown ? 'down' : 'connecting', isDown ? (out?.reason ?? '') : `to ${host}:${port}`);
  }

  #setStatus(state: CarrierState, detail: string): void {
    const { state: before, detail: detailBefore, since } = this.#status;
    if (state === before && detail === detailBefore) return;
    this.#status = { state, detail, since: state === before ? since : this.#clock.now() };
    this.#host?.statusChanged();
  }
}
