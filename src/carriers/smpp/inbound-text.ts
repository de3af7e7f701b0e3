/**
 * Octets of an inbound message as text. `data_coding` is read as SMPP defines it, and where it defines nothing as GSM 03.38
 * does, because many peers pass that on. Korean SMSCs also use other values for CP949; the carrier's settings name them.
 */
import { readCp949 } from '../../platform/cp949.ts';
import type { DefaultAlphabet } from './alphabets.ts';
import { decodeGsm } from './gsm-alphabet.ts';

/** The alphabets by their names, which are stored with parts: those of TextDecoder, and two of our own. `euc-kr` is read as CP949. */
export type InboundAlphabet =
  | 'gsm'
  | 'octets'
  | 'latin1'
  | 'euc-kr'
  | 'utf-16be'
  | 'shift_jis'
  | 'iso-8859-5'
  | 'iso-8859-8'
  | 'iso-2022-jp'
  | 'euc-jp';

const OF_DATA_CODING: Readonly<Record<number, InboundAlphabet>> = {
  1: 'latin1',
  2: 'octets',
  3: 'latin1',
  4: 'octets',
  5: 'shift_jis',
  6: 'iso-8859-5',
  7: 'iso-8859-8',
  8: 'utf-16be',
  10: 'iso-2022-jp',
  13: 'euc-jp',
  14: 'euc-kr',
};

const OF_DEFAULT: Readonly<Record<DefaultAlphabet, InboundAlphabet>> = {
  gsm: 'gsm',
  latin1: 'latin1',
  ascii: 'latin1',
  ks: 'euc-kr',
};

/** What this SMSC means by values of `data_coding`. */
export interface DataCodings {
  readonly dataCoding0: DefaultAlphabet;
  readonly cp949DataCoding: number;
}

/** GSM 03.38, general group: its bits 2 and 3. */
const OF_GSM_BITS: readonly InboundAlphabet[] = ['gsm', 'octets', 'utf-16be', 'gsm'];

export function inboundAlphabetOf(dataCoding: number, codings: DataCodings): InboundAlphabet {
  const { dataCoding0, cp949DataCoding } = codings;
  if (dataCoding === cp949DataCoding) return 'euc-kr';
  const known = dataCoding === 0 ? OF_DEFAULT[dataCoding0] : OF_DATA_CODING[dataCoding];
  if (known) return known;
  const group = dataCoding >> 4;
  if (group === 0xe) return 'utf-16be';
  if (group === 0xf) return dataCoding & 4 ? 'octets' : 'gsm';
  return group < 8 ? (OF_GSM_BITS[(dataCoding >> 2) & 3] ?? 'gsm') : 'gsm';
}

/** What no store takes, and what is no text: control characters but line ends and tabs, halves of pairs. */
const NOT_TEXT = /[^\P{Cc}\t\n\r]|\p{Cs}/gu;

/** Octets that are no character of the alphabet are U+FFFD. */
const UNREADABLE = '\ufffd';

export function readOctets(alphabet: string, octets: Uint8Array): string {
  return decoded(alphabet, octets).replace(NOT_TEXT, '');
}

function decoded(alphabet: string, octets: Uint8Array): string {
  if (alphabet === 'gsm') return decodeGsm(octets);
  if (alphabet === 'euc-kr') return readCp949(octets);
  return new TextDecoder(encodingOf(alphabet, octets)).decode(octets);
}

/** Some handsets write UCS-2 with the octets swapped, and say so by a byte order mark. */
function encodingOf(alphabet: string, [first, second]: Uint8Array): string {
  if (alphabet === 'utf-16be' && first === 0xff && second === 0xfe) return 'utf-16le';
  return alphabet === 'octets' ? 'utf-8' : alphabet;
}

/** Octets of a character that may be in the part before or in the next. */
const LONGEST_REST = 3;

/**
 * Whether the octets are text in this alphabet. In UCS-2 only an odd octet is none: without half of a pair the rest
 * can be read. Of a part the first and the last character may be cut.
 */
export function isReadable(alphabet: string, octets: Uint8Array, isPart: boolean): boolean {
  if (alphabet === 'utf-16be') return isPart || octets.length % 2 === 0;
  const most = isPart ? LONGEST_REST : 0;
  for (let start = 0; start <= most; start++) {
    for (let end = 0; end <= most; end++) {
      const cut = octets.subarray(start, Math.max(start, octets.length - end));
      if (!decoded(alphabet, cut).includes(UNREADABLE)) return true;
    }
  }
  return false;
}
