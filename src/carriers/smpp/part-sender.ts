/** Sends the parts of all messages of a carrier: through its session, outside its pauses, and the refused ones again. */
import type { Clock } from '../../platform/clock.ts';
import { cleanText } from '../clean-text.ts';
import type { Outgoing } from './in-flight.ts';
import { submitRef } from './message-ids.ts';
import { asksForReceipts, type SmppOptions } from './options.ts';
import type { Rest, Sender } from './outgoing-message.ts';
import type { Session, SessionHandlers } from './session.ts';
import { Slowdown } from './slowdown.ts';
import { meaningOf, type StatusMeaning } from './statuses.ts';

const REST_FIRST_MS = 1000;
const REST_LONGEST_MS = 30_000;
/** ESME_RSUBMITFAIL: temporary for some carriers, permanent for others. */
const SUBMIT_FAILED = 0x45;

interface LinkOfSender {
  /** The bound session, if there is one. */
  session(): Session | undefined;
  /** A pause began or ended. */
  changed(): void;
  readonly noticed: SessionHandlers['noticed'];
}

/** Cancels the timers of a rest that waits. */
interface RestTimers {
  /** Undefined once it has asked for room. */
  retry: (() => void) | undefined;
  readonly end: () => void;
}

export class PartSender implements Sender {
  readonly #options: SmppOptions;
  readonly #clock: Clock;
  readonly #link: LinkOfSender;
  readonly #slowdown: Slowdown;
  /** These wait for their time or for room. */
  readonly #postponed = new Map<Rest, RestTimers>();
  #slowedBy = '';
  #isClosed = false;

  constructor(options: SmppOptions, clock: Clock, link: LinkOfSender) {
    this.#options = options;
    this.#clock = clock;
    this.#link = link;
    this.#slowdown = new Slowdown(clock, () => link.changed());
  }

  get pauseMs(): number {
    return this.#slowdown.remainingMs;
  }

  /** Name of the status that began the last pause. */
  get slowedBy(): string {
    return this.#slowedBy;
  }

  send(part: Outgoing): void {
    const session = this.pauseMs > 0 ? undefined : this.#link.session();
    if (session) session.submit(part);
    else part.settle({ kind: 'unsent' });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Submits it after a while and when there is room, or gives it up at its end or at the close. */
  later(rest: Rest): void {
    const leftMs = rest.until - this.#clock.monotonic();
    if (this.#isClosed || leftMs <= 0) {
      rest.giveUp();
      return;
    }
    const backoffMs = Math.min(REST_LONGEST_MS, REST_FIRST_MS * 2 ** (rest.tries - 1));
    this.#postponed.set(rest, {
      retry: this.#clock.schedule(Math.max(this.pauseMs, backoffMs), () => this.#retry(rest)),
      end: this.#clock.schedule(leftMs, () => this.#giveUp(rest)),
    });
  }

  /** The rests that wait for their time go out as soon as there is room. */
  hurry(): void {
    for (const rest of [...this.#postponed.keys()]) this.#retry(rest);
  }

  /** Asks for room once: it is counted as submitted when it is given some. */
  #retry(rest: Rest): void {
    const timers = this.#postponed.get(rest);
    if (!timers?.retry) return;
    timers.retry();
    timers.retry = undefined;
    rest.whenRoom(() => {
      if (this.#take(rest)) rest.submit();
    });
  }

  #giveUp(rest: Rest): void {
    if (this.#take(rest)) rest.giveUp();
  }

  /** False where it waits no longer. */
  #take(rest: Rest): boolean {
    const timers = this.#postponed.get(rest);
    timers?.retry?.();
    timers?.end();
    return this.#postponed.delete(rest);
  }

  learn(status: number): StatusMeaning {
    const meaning = meaningOf(status);
    if (meaning.class === 'throttle') this.#link.noticed('throttled', { status: meaning.name });
    if (meaning.class === 'account') this.#link.noticed('accountRefused', { status: meaning.name });
    if (meaning.class === 'full') this.#slow(meaning.name);
    if (status === SUBMIT_FAILED && this.#options.submitFailed === 'temporary') {
      return { ...meaning, class: 'temporary' };
    }
    return meaning;
  }

  refOf(messageId: string): string | undefined {
    const clean = cleanText(messageId);
    if (clean === '' && asksForReceipts(this.#options)) {
      this.#link.noticed('noMessageId');
      return undefined;
    }
    return submitRef(clean, this.#options.messageIds);
  }

  /** From now on nothing is submitted again. */
  close(): void {
    this.#isClosed = true;
    this.#slowdown.stop();
    for (const rest of [...this.#postponed.keys()]) this.#giveUp(rest);
  }

  #slow(name: string): void {
    if (this.#isClosed || !this.#slowdown.begin()) return;
    this.#slowedBy = name;
    this.#link.noticed('slowed', { status: name, pauseMs: this.pauseMs });
    this.#link.changed();
    // What was not written goes back, so that another carrier may have it.
    this.#link.session()?.giveBackWaiting();
  }
}
