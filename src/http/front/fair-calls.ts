/**
 * Which calls begin now: a caller with many calls must not hold up one with few.
 *
 * There is room for a number of calls in flight, and a caller may have as many of them as it leaves free, so no caller fills the
 * room alone. A large body counts as several calls. Calls without room wait in a queue for each caller, and callers
 * take turns. Only a few calls begin in one turn of the event loop, so that what arrives meanwhile is read between them.
 */

/** A body of this size counts as one more call. */
const BYTES_OF_A_CALL = 4 * 1024;
/** Calls that begin in one turn of the event loop. */
const MOST_A_TURN = 32;

/** Calls back with the function that says, once or more often, that the call has ended. */
export type Begin = (end: () => void) => void;

export interface Room {
  /** Calls in flight of all callers. */
  readonly most: number;
  /** Of one caller, if that is less. */
  readonly mostOfOne?: number;
}

interface Call {
  readonly weight: number;
  readonly begin: Begin;
}

export class FairCalls {
  readonly #most: number;
  readonly #mostOfOne: number;
  readonly #inFlight = new Map<string, number>();
  #inAll = 0;
  /** Calls that wait, by caller, in the order of the callers' turns. */
  readonly #queues = new Map<string, Call[]>();
  #begunInTurn = 0;
  #isTurnPlanned = false;

  constructor({ most, mostOfOne = most }: Room) {
    this.#most = most;
    this.#mostOfOne = mostOfOne;
  }

  /** Calls `begin` now or in a later turn of the event loop. */
  enter(caller: string, bytes: number, begin: Begin): void {
    const call = { weight: this.#weightOf(bytes), begin };
    const queue = this.#queues.get(caller);
    if (queue) queue.push(call);
    else if (this.#begunInTurn < MOST_A_TURN && this.#hasRoom(caller, call)) this.#begin(caller, call);
    else this.#queues.set(caller, [call]);
  }

  #weightOf(bytes: number): number {
    return Math.min(1 + Math.floor(bytes / BYTES_OF_A_CALL), Math.ceil(this.#most / 2));
  }

  #hasRoom(caller: string, { weight }: Call): boolean {
    const own = this.#inFlight.get(caller);
    // The first call of a caller needs no more than one free place, or large ones would wait for ever.
    if (own === undefined) return this.#inAll < this.#most;
    return own < this.#mostOfOne && own + weight <= this.#most - this.#inAll;
  }

  #begin(caller: string, { weight, begin }: Call): void {
    this.#begunInTurn += weight;
    this.#planTurn();
    this.#count(caller, weight);
    let hasEnded = false;
    begin(() => {
      if (hasEnded) return;
      hasEnded = true;
      this.#count(caller, -weight);
      if (this.#queues.size > 0) this.#planTurn();
    });
  }

  #count(caller: string, weight: number): void {
    const own = (this.#inFlight.get(caller) ?? 0) + weight;
    if (own > 0) this.#inFlight.set(caller, own);
    else this.#inFlight.delete(caller);
    this.#inAll += weight;
  }

  #planTurn(): void {
    if (this.#isTurnPlanned) return;
    this.#isTurnPlanned = true;
    setImmediate(() => {
      this.#isTurnPlanned = false;
      this.#begunInTurn = 0;
      this.#serveQueues();
    });
  }

  #serveQueues(): void {
    for (const [caller, queue] of this.#queues) {
      if (this.#begunInTurn >= MOST_A_TURN) break;
      const [next] = queue;
      if (!next || !this.#hasRoom(caller, next)) continue;
      queue.shift();
      // To the end of the map, and so of this loop.
      this.#queues.delete(caller);
      if (queue.length > 0) this.#queues.set(caller, queue);
      this.#begin(caller, next);
    }
  }
}
