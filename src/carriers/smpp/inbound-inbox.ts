/**
 * Messages of people on their way to the gateway. Each is acknowledged when it is stored; until then the other side must keep
 * it, and send it again.
 *
 * SMPP gives them no name, so what says the same may be a repeat or another message. It is another one if the one before came
 * by the same session and was answered at once: nobody repeats that. Anything else that says the same is a repeat until
 * enquire_link is answered, because what was asked after our answer is answered after it was read.
 */
import type { Clock } from '../../platform/clock.ts';
import { sha256 } from '../../platform/hashing.ts';
import type { CarrierHost, CarrierInbound, InboundName } from '../carrier.ts';
import type { Session } from './session.ts';
import { STATUS } from './statuses.ts';

/** Our choice: no peer sends again what was answered as fast as this. */
const AT_ONCE_MS = 2_000;
const CONFIRM_AFTER_MS = 5_000;
/** Arrivals that are kept at most where the other side never answers enquire_link: of one session, and of the same words. */
const MOST_UNCONFIRMED = 10_000;
const MOST_ALIKE = 200;

type Asked = Pick<Session, 'enquire'>;

interface Arrival {
  /** Digest of sender, number and text. */
  readonly digest: string;
  readonly occurrence: number;
  readonly at: number;
  answeredAt: number | undefined;
}

interface Alike {
  /** Numbers below it belong to arrivals that are no longer kept. */
  lowest: number;
  /** Oldest first. */
  readonly arrivals: Set<Arrival>;
}

/** What came by one session and is not confirmed. */
class Correspondence {
  names: InboundName[] = [];
  isConfirming = false;
  /** Oldest first. */
  readonly #arrivals = new Set<Arrival>();
  readonly #byDigest = new Map<string, Alike>();
  #lowest = 0;

  get answered(): readonly Arrival[] {
    return [...this.#arrivals].filter(({ answeredAt }) => answeredAt !== undefined);
  }

  arrived(digest: string, now: number): Arrival {
    const alike = this.#byDigest.get(digest) ?? { lowest: 0, arrivals: new Set() };
    const others = new Set<number>();
    for (const { at, answeredAt = now, occurrence } of alike.arrivals) {
      if (answeredAt - at < AT_ONCE_MS) others.add(occurrence);
    }
    let occurrence = Math.max(this.#lowest, alike.lowest);
    while (others.has(occurrence)) occurrence++;
    const arrival = { digest, occurrence, at: now, answeredAt: undefined };
    alike.arrivals.add(arrival);
    this.#byDigest.set(digest, alike);
    this.#arrivals.add(arrival);
    alike.lowest = this.#lowestAfter(alike.arrivals, MOST_ALIKE, alike.lowest);
    this.#lowest = this.#lowestAfter(this.#arrivals, MOST_UNCONFIRMED, this.#lowest);
    return arrival;
  }

  forget(arrival: Arrival): void {
    this.#arrivals.delete(arrival);
    const alike = this.#byDigest.get(arrival.digest);
    alike?.arrivals.delete(arrival);
    if (alike?.arrivals.size === 0) this.#byDigest.delete(arrival.digest);
  }

  /** Forgets the oldest of too many. Its number is not given again: rather a repeat is stored twice than a message lost. */
  #lowestAfter(arrivals: ReadonlySet<Arrival>, most: number, lowest: number): number {
    const [oldest] = arrivals;
    if (!oldest || arrivals.size <= most) return lowest;
    this.forget(oldest);
    return Math.max(lowest, oldest.occurrence + 1);
  }
}

interface Taken {
  readonly message: CarrierInbound;
  readonly acknowledge: (status: number) => void;
  readonly session: Asked;
  readonly arrival: Arrival | undefined;
}

export class InboundInbox {
  readonly #host: CarrierHost;
  readonly #clock: Clock;
  readonly #correspondences = new WeakMap<Asked, Correspondence>();
  readonly #timers = new Set<() => void>();
  #taken: Taken[] = [];
  #isClosed = false;

  constructor(host: CarrierHost, clock: Clock) {
    this.#host = host;
    this.#clock = clock;
  }

  take(message: CarrierInbound, acknowledge: (status: number) => void, session: Asked): void {
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

  #numbered(message: CarrierInbound, session: Asked): Pick<Taken, 'message' | 'arrival'> {
    const { content, from, to } = message;
    if (content.kind === 'part') return { message, arrival: undefined };
    const digest = sha256(JSON.stringify([from, to, content.text]));
    const arrival = this.#correspondence(session).arrived(digest, this.#clock.monotonic());
    const { occurrence } = arrival;
    return { message: { ...message, content: { ...content, occurrence } }, arrival };
  }

  async #handOver(taken: readonly Taken[]): Promise<void> {
    const names = await this.#host.receiveInbound(taken.map(({ message }) => message)).catch(() => undefined);
    if (!names) this.#host.noticed('inboundRefused', { messages: taken.length });
    for (const [index, { acknowledge, session, arrival }] of taken.entries()) {
      const correspondence = this.#correspondence(session);
      const name = names?.[index];
      if (!name) {
        if (arrival) correspondence.forget(arrival);
        acknowledge(STATUS.temporaryAppError);
        continue;
      }
      if (arrival) arrival.answeredAt = this.#clock.monotonic();
      acknowledge(STATUS.ok);
      correspondence.names.push(name);
      this.#confirmLater(session, correspondence);
    }
  }

  #correspondence(session: Asked): Correspondence {
    let known = this.#correspondences.get(session);
    if (!known) {
      known = new Correspondence();
      this.#correspondences.set(session, known);
    }
    return known;
  }

  #confirmLater(session: Asked, correspondence: Correspondence): void {
    if (correspondence.isConfirming || this.#isClosed) return;
    correspondence.isConfirming = true;
    const cancel = this.#clock.schedule(CONFIRM_AFTER_MS, () => {
      this.#timers.delete(cancel);
      void this.#confirm(session, correspondence);
    });
    this.#timers.add(cancel);
  }

  /** A failure leaves them as they are: known by their words for some days, so that the next of the same words needs its number. */
  #isConfirmed(names: readonly InboundName[]): Promise<boolean> {
    return this.#host.confirmInbound(names).then(
      () => true,
      () => false,
    );
  }

  async #confirm(session: Asked, correspondence: Correspondence): Promise<void> {
    const { names, answered } = correspondence;
    correspondence.names = [];
    // The first may have been asked for before our answer; the second was not.
    const isRead = (await session.enquire()) && (await session.enquire());
    if (isRead && (await this.#isConfirmed(names))) {
      for (const arrival of answered) correspondence.forget(arrival);
    }
    correspondence.isConfirming = false;
    if (isRead && correspondence.names.length > 0) this.#confirmLater(session, correspondence);
  }
}
