/**
 * What many connections bring in one instant is worked on a few at a time. Node reads thousands of them before anybody else has a
 * turn, and whatever came takes tens of microseconds, even if it is only the end of the connection. What waits is served by
 * the address that it is from, in turns.
 */
import type { Socket } from 'node:net';
import { addressBlock } from '../platform/address-block.ts';
import type { HeldBytes } from './held-bytes.ts';
import { stopReading } from './reading.ts';

/** A few milliseconds of work. Who has fewer connections, and waits for each answer, never waits here. */
export const MOST_A_TURN = 64;
/** Of such as had to wait: there are so many of them that everybody else feels it. */
const MOST_OF_LINES = 16;

type Act = () => void;

export class ArrivalTurns {
  /** Worked on in this turn. While there are some, the next turn is on its way. */
  #taken = 0;
  /** By address. */
  readonly #lines = new Map<string, Act[]>();
  readonly #held: HeldBytes;

  constructor(held: HeldBytes) {
    this.#held = held;
  }

  /** Calls `onPacket` with what the socket receives, and `onEnd` when its peer has sent all. */
  read(socket: Socket, onPacket: (packet: Buffer) => void, onEnd: Act): void {
    const address = addressBlock(socket.remoteAddress ?? '');
    let waiting = 0;
    socket.on('data', packet => {
      if (this.#isTurn()) {
        onPacket(packet);
        return;
      }
      const release = this.#held.take(() => address, packet.length);
      if (!release) {
        socket.destroy();
        return;
      }
      // To pause it costs as much as to read it, and hardly any has sent more.
      if (++waiting > 1) socket.pause();
      this.#wait(address, () => {
        release();
        if (socket.destroyed) return;
        if (--waiting === 0) socket.resume();
        onPacket(packet);
      });
    });
    socket.on('end', () => {
      if (!socket.destroyed) this.#do(address, onEnd);
    });
    // To close it takes as long as a request.
    const close = socket._destroy;
    socket._destroy = (error, callback) => {
      const act = () => close.call(socket, error, callback);
      // Node does not stand bytes that come for a socket whose stream is destroyed.
      if (this.#isTurn() || !stopReading(socket)) act();
      else this.#wait(address, act);
    };
  }

  #do(address: string, act: Act): void {
    if (this.#isTurn()) act();
    else this.#wait(address, act);
  }

  #isTurn(): boolean {
    if (this.#taken >= MOST_A_TURN || this.#lines.size > 0) return false;
    if (this.#taken++ === 0) setImmediate(() => this.#nextTurn());
    return true;
  }

  #wait(address: string, act: Act): void {
    const line = this.#lines.get(address);
    if (line) line.push(act);
    else this.#lines.set(address, [act]);
  }

  #nextTurn(): void {
    this.#taken = 0;
    for (const [address, line] of this.#lines) {
      if (this.#taken >= MOST_OF_LINES) break;
      this.#taken++;
      // At the end of the map, and so of this loop.
      this.#lines.delete(address);
      const next = line.shift();
      if (line.length > 0) this.#lines.set(address, line);
      next?.();
    }
    if (this.#taken > 0) setImmediate(() => this.#nextTurn());
  }
}
