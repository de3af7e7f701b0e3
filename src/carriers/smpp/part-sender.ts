/** Sends the parts of all messages of a carrier: through its session, outside its pauses, and the refused ones again. */
import type { Clock } from '../../platform/clock.ts';
import { cleanText } from '../clean-text.ts';
import type { Outgoing } from './in-flight.ts';
import { submitRef } from './message-ids.ts';
import type { SmppOptions } from './options.ts';
import type { Sender } from './outgoing-message.ts';
import type { Session, SessionHandlers } from './session.ts';
import { Slowdown } from './slowdown.ts';
import { meaningOf, type StatusMeaning } from './statuses.ts';

/** How long the remaining parts of a message are tried, once others were taken. */
const REST_TRIED_MS = 300_000;
const REST_FIRST_MS = 1000;
const REST_LONGEST_MS = 30_000;
/** ESME_RSUBMITFAIL: temporary for some carriers, permanent for others. */
const SUBMIT_FAILED = 0x45;

interface LinkOfSender {
  /** The bound session, if there is one. */
  session(): Session | undefined;
  /** A pause began or ended. */
  changed(): void;
  /** Parts were refused because we send too fast; their message is tried again. */
  throttled(parts: number, sentMsAgo: number): void;
  readonly noticed: SessionHandlers['noticed'];
}

export class PartSender implements Sender {
  readonly #options: SmppOptions;
  readonly #clock: Clock;
  readonly #link: LinkOfSender;
  readonly #slowdown: Slowdown;
  /** Waiting tasks, each with the function that cancels it. */
  readonly #postponed = new Map<() => void, () => void>();
  #slowedBy = '';
  #isClosing = false;

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

  later(firstTriedAt: number, tries: number, task: () => void): boolean {
    if (this.#isClosing || this.#clock.monotonic() - firstTriedAt >= REST_TRIED_MS) return false;
    const delayMs = Math.max(this.pauseMs, Math.min(REST_LONGEST_MS, REST_FIRST_MS * 2 ** (tries - 1)));
    const run = () => {
      this.#postponed.delete(run);
      task();
    };
    this.#postponed.set(run, this.#clock.schedule(delayMs, run));
    return true;
  }

  learn(status: number): StatusMeaning {
    const meaning = meaningOf(status);
    if (meaning.class === 'throttle') this.#link.noticed('throttled', { status: meaning.name });
    if (meaning.class === 'full' || meaning.class === 'account') this.#slow(meaning.class, meaning.name);
    if (status === SUBMIT_FAILED && this.#options.submitFailed === 'temporary') {
      return { ...meaning, class: 'temporary' };
    }
    return meaning;
  }

  restThrottled(parts: number, sentMsAgo: number): void {
    this.#link.throttled(parts, sentMsAgo);
  }

  refOf(messageId: string): string {
    const clean = cleanText(messageId);
    if (clean === '') this.#link.noticed('noMessageId');
    return submitRef(clean, this.#options.messageIds);
  }

  /** Parts that wait for another try get their last one now. */
  close(): void {
    this.#isClosing = true;
    this.#slowdown.stop();
    for (const [task, cancel] of this.#postponed) {
      cancel();
      task();
    }
  }

  #slow(why: 'full' | 'account', name: string): void {
    if (this.#isClosing || !this.#slowdown.begin(why)) return;
    this.#slowedBy = name;
    this.#link.noticed('slowed', { status: name, pauseMs: this.pauseMs });
    this.#link.changed();
    // What was not written goes back, so that another carrier may have it.
    this.#link.session()?.giveBackWaiting();
  }
}
