/**
 * A text as what goes into submit_sm: one part, or several that the handset joins again.
 *
 *   udh      each part begins with a header: reference, number of parts, number of this part (esm_class 0x40)
 *   sar      the same in optional parameters, and the other side makes the header
 *   payload  the whole text in the message_payload of one submit, and the other side splits it
 */
import type { Alphabet } from './alphabets.ts';
import type { Tlv } from './pdu.ts';
import { byteTlv, shortTlv, TAGS } from './tlv.ts';

export type LongMessages = 'udh' | 'sar' | 'payload';

export interface TextPart {
  readonly dataCoding: number;
  /** The bit of `esm_class` that says that `shortMessage` begins with a header. */
  readonly esmClass: number;
  readonly shortMessage: Uint8Array;
  readonly tlvs: readonly Tlv[];
}

const UDH_INDICATOR = 0x40;
const UDH_BYTES = 6;
const NO_TLVS: readonly Tlv[] = [];
const NO_OCTETS = new Uint8Array(0);
/** Counted in one octet. */
const MOST_PARTS = 255;
const LONGEST_PAYLOAD = 65_535;

export class TextEncoding {
  readonly #alphabets: readonly Alphabet[];
  readonly #longMessages: LongMessages;
  #scratch = Buffer.allocUnsafeSlow(4096);

  constructor(alphabets: readonly Alphabet[], longMessages: LongMessages) {
    this.#alphabets = alphabets;
    this.#longMessages = longMessages;
  }

  /** Submits that `text` takes. */
  count(text: string): number {
    if (this.#longMessages === 'payload') return 1;
    const { alphabet, length } = this.#encode(text);
    const isSingle = alphabet.endOfPart(this.#scratch, 0, length, alphabet.single) === length;
    return isSingle ? 1 : this.#ends(alphabet, length).length;
  }

  /** The parts of `text`; undefined where it is longer than any message can be. `reference` tells messages apart. */
  split(text: string, reference: () => number): readonly TextPart[] | undefined {
    const { alphabet, length } = this.#encode(text);
    const { dataCoding } = alphabet;
    const octets = this.#scratch;
    if (alphabet.endOfPart(octets, 0, length, alphabet.single) === length) {
      return [{ dataCoding, esmClass: 0, shortMessage: octetsOf(octets, 0, length), tlvs: NO_TLVS }];
    }
    if (this.#longMessages === 'payload') {
      if (length > LONGEST_PAYLOAD) return undefined;
      const payload = { tag: TAGS.messagePayload, value: octetsOf(octets, 0, length) };
      return [{ dataCoding, esmClass: 0, shortMessage: NO_OCTETS, tlvs: [payload] }];
    }
    const ends = this.#ends(alphabet, length);
    if (ends.length > MOST_PARTS) return undefined;
    const number = reference();
    return ends.map((end, index) => {
      const body = octets.subarray(ends[index - 1] ?? 0, end);
      const place = { reference: number, total: ends.length, index: index + 1 };
      return this.#longMessages === 'udh'
        ? { dataCoding, esmClass: UDH_INDICATOR, shortMessage: withHeader(body, place), tlvs: NO_TLVS }
        : { dataCoding, esmClass: 0, shortMessage: Buffer.from(body), tlvs: sarTlvs(place) };
    });
  }

  #ends(alphabet: Alphabet, length: number): number[] {
    const ends: number[] = [];
    for (let at = 0; at < length; ) {
      at = alphabet.endOfPart(this.#scratch, at, length, alphabet.part);
      ends.push(at);
    }
    return ends;
  }

  /** Into the scratch buffer, by the first alphabet that holds the text. */
  #encode(text: string): { alphabet: Alphabet; length: number } {
    if (text.length * 2 > this.#scratch.length) this.#scratch = Buffer.allocUnsafeSlow(text.length * 2);
    for (const alphabet of this.#alphabets) {
      const length = alphabet.encode(text, this.#scratch);
      if (length >= 0) return { alphabet, length };
    }
    throw new Error('the last alphabet must hold every text');
  }
}

interface Place {
  readonly reference: number;
  readonly total: number;
  readonly index: number;
}

function octetsOf(scratch: Buffer, start: number, end: number): Uint8Array {
  return Buffer.from(scratch.subarray(start, end));
}

function withHeader(body: Uint8Array, { reference, total, index }: Place): Uint8Array {
  const octets = Buffer.allocUnsafe(UDH_BYTES + body.length);
  octets[0] = UDH_BYTES - 1;
  octets[1] = 0;
  octets[2] = 3;
  octets[3] = reference;
  octets[4] = total;
  octets[5] = index;
  octets.set(body, UDH_BYTES);
  return octets;
}

function sarTlvs({ reference, total, index }: Place): readonly Tlv[] {
  return [
    shortTlv(TAGS.sarMsgRefNum, reference & 0xffff),
    byteTlv(TAGS.sarTotalSegments, total),
    byteTlv(TAGS.sarSegmentSeqnum, index),
  ];
}

/** Enough counters that two busy recipients seldom share one. */
const COUNTERS = 4096;

/**
 * Reference numbers of messages in parts. A handset joins parts of one reference, so those to one recipient must
 * differ from one message to the next; recipients share a fixed number of counters, which start anywhere.
 */
export class References {
  readonly #counters = new Uint16Array(COUNTERS);
  readonly #offset: number;

  /** `fraction` is a random number from 0 to 1: a restart must not begin with the references just used. */
  constructor(fraction: number) {
    this.#offset = Math.floor(fraction * 0x10000);
  }

  next(to: string): number {
    let hash = 0;
    for (let index = 0; index < to.length; index++) hash = (hash * 31 + to.charCodeAt(index)) | 0;
    const slot = (hash >>> 0) % COUNTERS;
    const count = ((this.#counters[slot] ?? 0) + 1) & 0xffff;
    this.#counters[slot] = count;
    return (count + this.#offset) & 0xffff;
  }
}
