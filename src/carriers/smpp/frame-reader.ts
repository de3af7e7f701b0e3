/**
 * Cuts a stream into PDUs by their length word. A length that no PDU has means that the stream is not SMPP, or that we
 * lost our place in it: nothing behind it can be trusted, so the reader refuses for ever and the link must be closed.
 */
import { HEADER_BYTES, MAX_PDU_BYTES } from './pdu.ts';

const LENGTH_BYTES = 4;

export class FrameReader {
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** Octets needed before there is anything new to see. */
  #needed = LENGTH_BYTES;
  #isBroken = false;

  /**
   * Takes what the socket gave. Every whole PDU goes to `onFrame`, which may keep no reference to it: the octets are the
   * chunk's. False means garbage.
   */
  push(chunk: Buffer, onFrame: (frame: Buffer) => void): boolean {
    if (this.#isBroken) return false;
    let bytes = chunk;
    if (this.#pendingBytes > 0) {
      this.#pending.push(chunk);
      this.#pendingBytes += chunk.length;
      // Joined only once there is enough, so that a stream of single octets does not cost their square.
      if (this.#pendingBytes < this.#needed) return true;
      bytes = Buffer.concat(this.#pending, this.#pendingBytes);
    }
    return this.#cut(bytes, onFrame);
  }

  #cut(bytes: Buffer, onFrame: (frame: Buffer) => void): boolean {
    let at = 0;
    while (bytes.length - at >= LENGTH_BYTES) {
      const length = bytes.readUInt32BE(at);
      if (length < HEADER_BYTES || length > MAX_PDU_BYTES) {
        this.#isBroken = true;
        this.#keep(bytes.subarray(bytes.length), LENGTH_BYTES);
        return false;
      }
      if (bytes.length - at < length) {
        this.#keep(bytes.subarray(at), length);
        return true;
      }
      onFrame(bytes.subarray(at, at + length));
      at += length;
    }
    this.#keep(bytes.subarray(at), LENGTH_BYTES);
    return true;
  }

  #keep(rest: Buffer, needed: number): void {
    this.#pending = rest.length > 0 ? [rest] : [];
    this.#pendingBytes = rest.length;
    this.#needed = needed;
  }
}
