/**
 * What requests hold in memory until they are answered, of all connections of a server. A body may be a megabyte and come slowly, or
 * wait for its turn; thousands of connections can send one, and need no token for that. An address may hold as much as it
 * leaves free, so that no other is shut out by one. What is small is not counted: there is about one for each connection.
 */
import type { IncomingMessage } from 'node:http';
import { Problem } from '../../domain/request/problem.ts';
import { BODY_LIMIT_BYTES } from '../json-body.ts';

/** So one address may have 32 bodies of a megabyte under way. */
export const MOST_HELD_BYTES = 64 * 1024 * 1024;
const SMALL_BYTES = 4 * 1024;

export const TOO_MUCH = new Problem('A020', 'Too many large requests are in progress', {
  retryAfterSeconds: 1,
});

/** To be called when it is not held any longer; once or more often. */
export type Release = () => void;

export const NOTHING_HELD: Release = () => {};

export class HeldBytes {
  readonly #most: number;
  #inAll = 0;
  readonly #byAddress = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Undefined if there is no room. The address is asked for where it counts: most requests are small. */
  take(addressOf: () => string, bytes: number): Release | undefined {
    if (bytes <= SMALL_BYTES) return NOTHING_HELD;
    const address = addressOf();
    // It came through another thread of ours, which has counted it.
    if (address === '') return NOTHING_HELD;
    const held = (this.#byAddress.get(address) ?? 0) + bytes;
    if (held > this.#most - this.#inAll) return undefined;
    this.#byAddress.set(address, held);
    this.#inAll += bytes;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#inAll -= bytes;
      const left = (this.#byAddress.get(address) ?? 0) - bytes;
      if (left > 0) this.#byAddress.set(address, left);
      else this.#byAddress.delete(address);
    };
  }
}

/** How much may come of the request, whoever reads it; no more than a route takes is kept of a longer one. */
export function bytesToCome({ headers }: IncomingMessage): number {
  const length = headers['content-length'];
  if (length !== undefined) return Math.min(Number(length), BODY_LIMIT_BYTES);
  return headers['transfer-encoding'] === undefined ? 0 : BODY_LIMIT_BYTES;
}
