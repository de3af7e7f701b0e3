/**
 * Messages of people on their way to the gateway. Each is acknowledged when it is stored; until then the other side must keep
 * it, and send it again.
 *
 * SMPP gives them no name, so what says the same may be a repeat or another message. It is another one if the one before came
 * by the same session and was answered at once: nobody repeats that. Anything else that says the same is a repeat until
 * enquire_link is answered, because what was asked after our answer is answered after it was read.
 */
import type { Clock } from '../../platform/clock.ts';
import type { CarrierHost, CarrierInbound, InboundName } from '../carrier.ts';
import type { Session } from './session.ts';
import { STATUS } from './statuses.ts';

/** Our choice: no peer sends again what was answered as fast as this. */
const AT_ONCE_MS = 2_000;
const CONFIRM_AFTER_MS = 5_000;

interface Arrival {
  readonly words: string;
  readonly occurrence: number;
  readonly at: number;
  answeredAt: number | undefined;
}

/** What came by one session and is not confirmed. */
interface Correspondence {
  arrivals: Arrival[];
  names: InboundName[];
  isConfirming: boolean;
}

interface Taken {
  readonly message: CarrierInbound;
  readonly acknowledge: (status: number) => void;
  readonly session: Session;
  readonly arrival: Arrival | undefined;
}

export class InboundInbox {
  readonly #host: CarrierHost;
  readonly #clock: Clock;
  readonly #correspondences = new WeakMap<Session, Correspondence>();
  readonly #timers = new Set<() => void>();
  #taken: Taken[] = [];
  #isClosed = false;

  constructor(host: CarrierHost, clock: Clock) {
    this.#host = host;
    this.#clock = clock;
  }

  take(message: CarrierInbound, acknowledge: (status: number) => void, session: Session): void {
    this.#taken.push({ ...this.#numbered(message, session), acknowledge, session });
    if (this.#taken.length > 1) return;
    setImmediate(() => {
      const taken = this.#taken;
      this.#taken = [];
      void this.#handOver(taken);
    });
  }

  /** What is not confirmed yet stays so: it may come again. */
  close(): void {
    this.#isClosed = true;
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }

  #numbered(message: CarrierInbound, session: Session): Pick<Taken, 'message' | 'arrival'> {
    const { content, from, to } = message;
    if (content.kind === 'part') return { message, arrival: undefined };
    const words = JSON.stringify([from, to, content.text]);
    const { arrivals } = this.#correspondence(session);
    const now = this.#clock.monotonic();
    const others = arrivals
      .filter(({ words: said, at, answeredAt = now }) => said === words && answeredAt - at < AT_ONCE_MS)
      .map(({ occurrence }) => occurrence);
    let occurrence = 0;
    while (others.includes(occurrence)) occurrence++;
    const arrival = { words, occurrence, at: now, answeredAt: undefined };
    arrivals.push(arrival);
    return { message: { ...message, content: { ...content, occurrence } }, arrival };
  }

  async #handOver(taken: readonly Taken[]): Promise<void> {
    const names = await this.#host.receiveInbound(taken.map(({ message }) => message)).catch(() => undefined);
    if (!names) this.#host.noticed('inboundRefused', { messages: taken.length });
    for (const [index, { acknowledge, session, arrival }] of taken.entries()) {
      const correspondence = this.#correspondence(session);
      const name = names?.[index];
      if (!name) {
        correspondence.arrivals = correspondence.arrivals.filter(other => other !== arrival);
        acknowledge(STATUS.temporaryAppError);
        continue;
      }
      if (arrival) arrival.answeredAt = this.#clock.monotonic();
      acknowledge(STATUS.ok);
      correspondence.names.push(name);
      this.#confirmLater(session, correspondence);
    }
  }

  #correspondence(session: Session): Correspondence {
    let known = this.#correspondences.get(session);
    if (!known) {
      known = { arrivals: [], names: [], isConfirming: false };
      this.#correspondences.set(session, known);
    }
    return known;
  }

  #confirmLater(session: Session, correspondence: Correspondence): void {
    if (correspondence.isConfirming || this.#isClosed) return;
    correspondence.isConfirming = true;
    const cancel = this.#clock.schedule(CONFIRM_AFTER_MS, () => {
      this.#timers.delete(cancel);
      void this.#confirm(session, correspondence);
    });
    this.#timers.add(cancel);
  }

  async #confirm(session: Session, correspondence: Correspondence): Promise<void> {
    const { names } = correspondence;
    const answered = correspondence.arrivals.filter(({ answeredAt }) => answeredAt !== undefined);
    correspondence.names = [];
    // The first may have been asked for before our answer; the second was not.
    const isRead = (await session.enquire()) && (await session.enquire());
    if (isRead) {
      // A failure leaves them as they are: known by their words for some days.
      await this.#host.confirmInbound(names).catch(() => {});
      const done = new Set(answered);
      correspondence.arrivals = correspondence.arrivals.filter(arrival => !done.has(arrival));
    }
    correspondence.isConfirming = false;
    if (isRead && correspondence.names.length > 0) this.#confirmLater(session, correspondence);
  }
}
