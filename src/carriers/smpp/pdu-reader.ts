/**
 * Reads the fields of one PDU in their order. A field that does not fit is remembered as the fault of the PDU, and all
 * fields behind it read as empty; nothing is ever read beyond the end.
 */
import type { Address, Tlv } from './pdu.ts';
import { STATUS } from './statuses.ts';

const NO_BYTES = Buffer.alloc(0);

export class PduReader {
  readonly #bytes: Buffer;
  #at: number;
  #fault: number | undefined;

  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes;
    this.#at = start;
  }

  /** The `command_status` of the fault; undefined while there is none. */
  get fault(): number | undefined {
    return this.#fault;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  uint8(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) return this.#fail(STATUS.invalidCommandLength);
    this.#at++;
    return value;
  }

  /** A C-octet string of at most `most` octets, its NUL counted. Some peers exceed the limits of the standard a little. */
  cString(most: number): string {
    if (this.#fault !== undefined) return '';
    const end = this.#bytes.indexOf(0, this.#at);
    if (end === -1 || end - this.#at >= most) {
      this.#fail(STATUS.invalidCommandLength);
      return '';
    }
    const text = end === this.#at ? '' : this.#bytes.toString('latin1', this.#at, end);
    this.#at = end + 1;
    return text;
  }

  /** The same at the end of a response: without its NUL it ends with the PDU; one that is too long reads as empty. */
  lastCString(most: number): string {
    if (this.isAtEnd) return '';
    if (this.#bytes.indexOf(0, this.#at) !== -1) return this.cString(most);
    const text = this.#bytes.toString('latin1', this.#at);
    this.#at = this.#bytes.length;
    return text.length < most ? text : '';
  }

  octets(length: number): Buffer {
    if (this.#at + length > this.#bytes.length) {
      this.#fail(STATUS.invalidMessageLength);
      return NO_BYTES;
    }
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  address(most: number): Address {
    const ton = this.uint8();
    const npi = this.uint8();
    return { ton, npi, digits: this.cString(most) };
  }

  /** Optional parameters, to the end of the PDU. */
  tlvs(): readonly Tlv[] {
    if (this.isAtEnd) return NO_TLVS;
    const tlvs: Tlv[] = [];
    while (!this.isAtEnd) {
      if (this.#at + 4 > this.#bytes.length) {
        this.#fail(STATUS.invalidOptionalPart);
        break;
      }
      const tag = this.#bytes.readUInt16BE(this.#at);
      const length = this.#bytes.readUInt16BE(this.#at + 2);
      if (this.#at + 4 + length > this.#bytes.length) {
        this.#fail(STATUS.invalidOptionalPart);
        break;
      }
      this.#at += 4;
      tlvs.push({ tag, value: this.octets(length) });
    }
    return tlvs;
  }

  #fail(status: number): number {
    this.#fault ??= status;
    this.#at = this.#bytes.length;
    return 0;
  }
}

const NO_TLVS: readonly Tlv[] = [];
