/**
 * A buffer that PDUs are written into one behind the other, so that everything from one turn of the event loop leaves in one
 * write. It is used again after each `take`.
 */
import { HEADER_BYTES } from './pdu.ts';

const FIRST_BYTES = 16_384;

export class PduWriter {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #end = 0;
  #start = 0;

  /** Octets written and not taken yet. */
  get length(): number {
    return this.#end;
  }

  begin(commandId: number, status: number, sequence: number): void {
    this.#reserve(HEADER_BYTES);
    this.#start = this.#end;
    this.#end += 4;
    this.uint32(commandId);
    this.uint32(status);
    this.uint32(sequence);
  }

  /** Closes the PDU: its length is known now. */
  finish(): void {
    const end = this.#end;
    this.#end = this.#start;
    this.uint32(end - this.#start);
    this.#end = end;
  }

  uint8(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#end++] = value;
  }

  uint16(value: number): void {
    this.#reserve(2);
    this.#bytes[this.#end++] = value >>> 8;
    this.#bytes[this.#end++] = value;
  }

  uint32(value: number): void {
    this.#reserve(4);
    const bytes = this.#bytes;
    bytes[this.#end++] = value >>> 24;
    bytes[this.#end++] = value >>> 16;
    bytes[this.#end++] = value >>> 8;
    bytes[this.#end++] = value;
  }

  /** A C-octet string; a NUL inside would end it early, so the text stops there. */
  cString(text: string): void {
    const { length } = text;
    this.#reserve(length + 1);
    const bytes = this.#bytes;
    let end = this.#end;
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(index);
      if (code === 0) break;
      bytes[end++] = code;
    }
    bytes[end++] = 0;
    this.#end = end;
  }

  octets(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#end);
    this.#end += value.length;
  }

  /** Everything written since the last time, as its own buffer. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#end));
    this.#end = 0;
    return taken;
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#end + bytes));
    larger.set(this.#bytes.subarray(0, this.#end));
    this.#bytes = larger;
  }
}
