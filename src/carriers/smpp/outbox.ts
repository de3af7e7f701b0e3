/**
 * What leaves through a socket: control PDUs at once, submits as the window and the reader on the other side allow.
 * Everything from one turn of the event loop is written at once.
 */
import type { Socket } from 'node:net';
import type { Clock } from '../../platform/clock.ts';
import { encodePdu } from './encode.ts';
import { InFlight, type Outcome, type Outgoing } from './in-flight.ts';
import type { Pdu } from './pdu.ts';
import { PduWriter } from './pdu-writer.ts';

/** Control PDUs that wait for a slow reader, in octets, beyond which nothing more should be read either. */
const MOST_UNWRITTEN = 262_144;

export class Outbox {
  readonly #socket: Socket;
  readonly #window: number;
  readonly #clock: Clock;
  readonly #writer = new PduWriter();
  readonly #inFlight = new InFlight();
  #waiting: Outgoing[] = [];
  #isBlocked = false;
  #isFlushPlanned = false;
  #isClosed = false;

  constructor(socket: Socket, window: number, clock: Clock) {
    this.#socket = socket;
    this.#window = window;
    this.#clock = clock;
    socket.on('drain', () => {
      this.#isBlocked = false;
      this.flush();
    });
  }

  /** No submit waits, to be written or to be answered. */
  get isIdle(): boolean {
    return this.#inFlight.size === 0 && this.#waiting.length === 0;
  }

  /** The other side does not read what we write. */
  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  get isOverfull(): boolean {
    return this.#writer.length >= MOST_UNWRITTEN;
  }

  submit(outgoing: Outgoing): void {
    this.#waiting.push(outgoing);
    this.#flushSoon();
  }

  send(pdu: Pdu): void {
    encodePdu(this.#writer, pdu);
    this.#flushSoon();
  }

  nextSequence(): number {
    return this.#inFlight.nextSequence();
  }

  settle(sequence: number, outcome: Outcome): ReturnType<InFlight['settle']> {
    const settled = this.#inFlight.settle(sequence, outcome);
    if (this.#waiting.length > 0) this.#flushSoon();
    return settled;
  }

  /** Gives up on submits written at `before` or earlier; returns how many. */
  expire(before: number): number {
    const expired = this.#inFlight.expire(before);
    if (expired > 0) this.#flushSoon();
    return expired;
  }

  /** Takes back what was not written yet. */
  giveBackWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const outgoing of waiting) outgoing.settle({ kind: 'unsent' });
  }

  /** Nothing is written any more; every submit ends as silent or as unsent. Returns how many were silent. */
  close(): number {
    const silent = this.#inFlight.size;
    this.#isClosed = true;
    this.#inFlight.close();
    this.giveBackWaiting();
    return silent;
  }

  flush(): void {
    if (this.#isBlocked || this.#isClosed) return;
    const room = this.#window - this.#inFlight.size;
    if (room > 0 && this.#waiting.length > 0) {
      const now = this.#clock.monotonic();
      for (const outgoing of this.#waiting.splice(0, room)) {
        const sequence = this.#inFlight.nextSequence();
        outgoing.encode(this.#writer, sequence);
        this.#inFlight.add(sequence, outgoing, now);
      }
    }
    if (this.#writer.length > 0) this.#isBlocked = !this.#socket.write(this.#writer.take());
  }

  #flushSoon(): void {
    if (this.#isFlushPlanned) return;
    this.#isFlushPlanned = true;
    setImmediate(() => {
      this.#isFlushPlanned = false;
      this.flush();
    });
  }
}
