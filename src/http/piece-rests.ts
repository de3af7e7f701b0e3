/**
 * A request that comes in many small pieces is read less and less often: each piece takes as long to read as a whole request, and
 * a thousand connections that send one at the same time hold up everybody. From its fourth piece on there is a rest after
 * each, as long as the request has taken so far; what comes meanwhile is read at once. So a client that writes its request line by
 * line waits for some 20 ms, and one that sends a byte a second is read every two seconds.
 */
import type { Socket } from 'node:net';
import { type Clock, systemClock } from '../platform/clock.ts';
import { startReading, stopReading } from './reading.ts';

/** A larger one is no way to cost more than it costs to send. */
const SMALL_BYTES = 256;
const PIECES_WITHOUT_REST = 3;
const LONGEST_REST_MS = 2_000;
/** Rests end together, a few of them at a time; of more, some are longer. */
const SLOT_MS = 16;
const MOST_OF_SLOT = 32;

/** What has come of the request under way. */
export interface Pieces {
  count: number;
  since: number;
  isResting: boolean;
}

export const noPieces = (): Pieces => ({ count: 0, since: 0, isResting: false });

interface Resting {
  readonly pieces: Pieces;
  readonly socket: Socket;
}

export class PieceRests {
  readonly #clock: Clock;
  /** By the slot in which the rest ends. */
  readonly #resting = new Map<number, Resting[]>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** A packet came that is not a whole request. */
  note(pieces: Pieces, socket: Socket, bytes: number): void {
    if (bytes > SMALL_BYTES) return;
    const now = this.#clock.monotonic();
    if (pieces.count++ === 0) pieces.since = now;
    // What Node had read before may still come, such as the records of TLS.
    if (pieces.count <= PIECES_WITHOUT_REST || pieces.isResting || !stopReading(socket)) return;
    const restMs = Math.min(now - pieces.since, LONGEST_REST_MS);
    pieces.isResting = true;
    this.#restUntil(Math.floor((now + restMs) / SLOT_MS) + 1, { pieces, socket });
  }

  /** The request is answered, and the next may come at any moment. */
  end(pieces: Pieces, socket: Socket): void {
    if (pieces.count > PIECES_WITHOUT_REST) startReading(socket);
    pieces.count = 0;
  }

  #restUntil(earliest: number, one: Resting): void {
    let slot = earliest;
    while ((this.#resting.get(slot)?.length ?? 0) >= MOST_OF_SLOT) slot++;
    const others = this.#resting.get(slot);
    if (others) {
      others.push(one);
      return;
    }
    const all = [one];
    this.#resting.set(slot, all);
    this.#clock.schedule(slot * SLOT_MS - this.#clock.monotonic(), () => {
      this.#resting.delete(slot);
      for (const { pieces, socket } of all) {
        pieces.isResting = false;
        startReading(socket);
      }
    });
  }
}
