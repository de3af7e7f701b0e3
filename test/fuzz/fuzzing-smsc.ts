/** An SMSC that accepts binds and then sends what the fuzzer gives it. */
import type { DecodeFault } from '../../src/carriers/smpp/decode.ts';
import {
  HEADER_BYTES,
  MAX_PDU_BYTES,
  type MessagePdu,
  type MessageRespPdu,
  type Pdu,
} from '../../src/carriers/smpp/pdu.ts';
import { STATUS } from '../../src/carriers/smpp/statuses.ts';
import type { PendingReceipt } from '../harness/smsc/receipt-pdu.ts';
import { SmscServer } from '../harness/smsc/smsc-server.ts';
import type { SmscSession } from '../harness/smsc/smsc-session.ts';

/** Longer than any answer takes. */
const LONGEST_WAIT_MS = 60_000;
const NO_SESSION_MS = 10_000;

type Answers = readonly string[] | 'closed' | undefined;

/** An input that was sent, until the enquire_link behind it is answered. */
interface Exchange {
  readonly sequence: number;
  readonly answers: string[];
  readonly done: (answers: Answers) => void;
}

export class FuzzingSmsc extends SmscServer {
  /** Bound sessions without an exchange. */
  readonly #idle: SmscSession[] = [];
  readonly #exchanges = new Map<SmscSession, Exchange>();
  /** Inputs that wait for a session. */
  readonly #waiting: ((session: SmscSession | undefined) => void)[] = [];
  readonly #replies: { readonly octets: Buffer; readonly taken: () => void }[] = [];
  #sequence = 0x3fff_0000;
  #messageId = 0;

  static async start(): Promise<FuzzingSmsc> {
    const smsc = new FuzzingSmsc();
    await smsc.listen();
    return smsc;
  }

  /**
   * Sends the octets on some session and resolves to what the gateway sent, up to its answer to an enquire_link behind them:
   * `closed` if it ends the session, undefined if it no longer answers.
   */
  async say(octets: Buffer): Promise<Answers | 'no link'> {
    const session = await this.#take();
    if (!session) return 'no link';
    const answers = await this.#exchange(session, octets);
    if (answers !== 'closed' && answers !== undefined) this.#giveBack(session);
    return answers;
  }

  /** The next submit gets these octets as its answer. Resolves to false if no submit came in time. */
  replyNext(octets: Buffer, patienceMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), patienceMs);
    const taken = () => {
      clearTimeout(timer);
      resolve(true);
    };
    this.#replies.push({ octets, taken });
    return promise;
  }

  override close(): Promise<void> {
    for (const resolve of this.#waiting.splice(0)) resolve(undefined);
    return super.close();
  }

  override bound(session: SmscSession): void {
    this.#giveBack(session);
  }

  override submitted({ sequence }: MessagePdu, session: SmscSession): void {
    const next = this.#replies.shift();
    if (!next) {
      session.answerSubmit(sequence, STATUS.ok, String(this.#messageId++ % 100));
      return;
    }
    next.taken();
    const octets = Buffer.from(next.octets);
    if (octets.length >= HEADER_BYTES) octets.writeUInt32BE(sequence, HEADER_BYTES - 4);
    session.sendOctets(octets);
  }

  override receiptAnswered(
    answer: MessageRespPdu,
    _receipt: PendingReceipt | undefined,
    session: SmscSession,
  ): void {
    this.heard(answer, session);
  }

  override heard(pdu: Pdu | DecodeFault, session: SmscSession): void {
    const exchange = this.#exchanges.get(session);
    if (pdu.command !== 'enquireLinkResp') exchange?.answers.push(`${pdu.command} ${pdu.status}`);
    else if (pdu.sequence === exchange?.sequence) exchange.done(exchange.answers);
  }

  override ended(session: SmscSession): void {
    const at = this.#idle.indexOf(session);
    if (at >= 0) this.#idle.splice(at, 1);
    this.#exchanges.get(session)?.done('closed');
  }

  async #exchange(session: SmscSession, octets: Buffer): Promise<Answers> {
    if (!session.isOpen) return 'closed';
    const sequence = this.#sequence++;
    const { promise, resolve } = Promise.withResolvers<Answers>();
    const timer = setTimeout(() => resolve(undefined), LONGEST_WAIT_MS);
    this.#exchanges.set(session, { sequence, answers: [], done: resolve });
    session.sendOctets(octets);
    // Half a frame would swallow what comes behind it, so the session ends there.
    if (isWholeFrames(octets)) session.send({ command: 'enquireLink', status: 0, sequence });
    else session.end();
    const answers = await promise;
    clearTimeout(timer);
    this.#exchanges.delete(session);
    return answers;
  }

  #take(): Promise<SmscSession | undefined> {
    const session = this.#idle.shift();
    if (session) return Promise.resolve(session);
    const { promise, resolve } = Promise.withResolvers<SmscSession | undefined>();
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(give), 1);
      resolve(undefined);
    }, NO_SESSION_MS);
    const give = (given: SmscSession | undefined) => {
      clearTimeout(timer);
      resolve(given);
    };
    this.#waiting.push(give);
    return promise;
  }

  #giveBack(session: SmscSession): void {
    const next = this.#waiting.shift();
    if (next) next(session);
    else this.#idle.push(session);
  }
}

/** A length that no PDU has ends the session, so it counts as whole. */
function isWholeFrames(octets: Buffer): boolean {
  let at = 0;
  while (at + 4 <= octets.length) {
    const length = octets.readUInt32BE(at);
    if (length < HEADER_BYTES || length > MAX_PDU_BYTES) return true;
    at += length;
  }
  return at === octets.length;
}
