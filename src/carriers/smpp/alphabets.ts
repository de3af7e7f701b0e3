/**
 * Alphabets of a message text on the wire, each with its `data_coding` and the room in a part.
 *
 * What must never happen: a character is replaced in silence. A text that an alphabet does not hold is refused by it,
 * and another is taken; UCS-2 holds everything.
 */
import { buildCp949, encodeCp949 } from '../../platform/cp949.ts';
import { ESCAPE, encodeGsm, gsmSeptets } from './gsm-alphabet.ts';

export interface Alphabet {
  readonly dataCoding: number;
  /** Units in a message of one part, and in each of several. */
  readonly single: number;
  readonly part: number;
  /** Octets written into `into`, which has room for two for each code unit; -1 where the alphabet lacks a character. */
  encode(text: string, into: Uint8Array): number;
  /** Where a part that begins at `start` ends at the latest, characters kept whole. */
  endOfPart(octets: Uint8Array, start: number, end: number, units: number): number;
}

/** The alphabet that the other side means by `data_coding` 0. */
export type DefaultAlphabet = 'gsm' | 'latin1' | 'ascii' | 'ks';

const SEPTETS = { single: 160, part: 153 } as const;
const OCTETS = { single: 140, part: 134 } as const;
const UCS2_DATA_CODING = 0x08;

const gsm: Alphabet = {
  dataCoding: 0,
  ...SEPTETS,
  encode: encodeGsm,
  endOfPart(octets, start, end, units) {
    const last = Math.min(end, start + units);
    return last < end && octets[last - 1] === ESCAPE ? last - 1 : last;
  },
};

const ucs2: Alphabet = {
  dataCoding: UCS2_DATA_CODING,
  ...OCTETS,
  encode(text, into) {
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      into[index * 2] = unit >> 8;
      into[index * 2 + 1] = unit;
    }
    return text.length * 2;
  },
  endOfPart(octets, start, end, units) {
    const last = Math.min(end, start + units);
    const isHighSurrogate = ((octets[last - 2] ?? 0) & 0xfc) === 0xd8;
    return last < end && isHighSurrogate && last - 2 > start ? last - 2 : last;
  },
};

/**
 * One octet for each character; the other side turns it into GSM 03.38 for the air, where some characters cost two.
 * Our choice: its parts are those of GSM 03.38, as the contract counts them.
 */
function singleOctets(highest: number): Alphabet {
  return {
    dataCoding: 0,
    ...SEPTETS,
    encode(text, into) {
      for (let index = 0; index < text.length; index++) {
        const unit = text.charCodeAt(index);
        if (unit > highest) return -1;
        into[index] = unit;
      }
      return text.length;
    },
    endOfPart(octets, start, end, units) {
      let at = start;
      let left = units;
      while (at < end) {
        left -= gsmSeptets(octets[at] ?? 0) || 1;
        if (left < 0) break;
        at++;
      }
      return at;
    },
  };
}

function ks(dataCoding: number): Alphabet {
  const table = buildCp949();
  return {
    dataCoding,
    ...OCTETS,
    encode: (text, into) => encodeCp949(table, text, into),
    endOfPart(octets, start, end, units) {
      let at = start;
      while (at < end) {
        const next = at + ((octets[at] ?? 0) < 0x80 ? 1 : 2);
        if (next - start > units) break;
        at = next;
      }
      return at;
    },
  };
}

/** The alphabets of a carrier, in the order in which they are tried; the last one holds every text. */
export function alphabetsOf(options: {
  readonly dataCoding0: DefaultAlphabet;
  readonly korean: 'ucs2' | 'cp949';
  readonly cp949DataCoding: number;
}): readonly Alphabet[] {
  const { dataCoding0, korean, cp949DataCoding } = options;
  const alphabets = [defaultAlphabet(dataCoding0)];
  if (korean === 'cp949' && dataCoding0 !== 'ks') alphabets.push(ks(cp949DataCoding));
  return [...alphabets, ucs2];
}

function defaultAlphabet(name: DefaultAlphabet): Alphabet {
  switch (name) {
    case 'gsm':
      return gsm;
    case 'latin1':
      return singleOctets(0xff);
    case 'ascii':
      return singleOctets(0x7f);
    case 'ks':
      return ks(0);
  }
}
