/**
 * Octets of an inbound message as text. `data_coding` is read as SMPP defines it, and where it defines nothing as GSM 03.38
 * does, because many peers pass that on. What is no text is shown as far as it can be.
 */
import type { DefaultAlphabet } from './alphabets.ts';
import { decodeGsm } from './gsm-alphabet.ts';

/** The alphabets by their names, which are stored with parts: those of TextDecoder, and two of our own. */
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

/** GSM 03.38, general group: its bits 2 and 3. */
const OF_GSM_BITS: readonly InboundAlphabet[] = ['gsm', 'octets', 'utf-16be', 'gsm'];

export function inboundAlphabetOf(dataCoding: number, dataCoding0: DefaultAlphabet): InboundAlphabet {
  const known = dataCoding === 0 ? OF_DEFAULT[dataCoding0] : OF_DATA_CODING[dataCoding];
  if (known) return known;
  const group = dataCoding >> 4;
  if (group === 0xe) return 'utf-16be';
  if (group === 0xf) return dataCoding & 4 ? 'octets' : 'gsm';
  return group < 8 ? (OF_GSM_BITS[(dataCoding >> 2) & 3] ?? 'gsm') : 'gsm';
}

/** What no store takes, and what is no text: control characters but line ends and tabs, halves of pairs. */
const NOT_TEXT = /[^\P{Cc}\t\n\r]|\p{Cs}/gu;

export function readOctets(alphabet: string, octets: Uint8Array): string {
  return decoded(alphabet, octets).replace(NOT_TEXT, '');
}

function decoded(alphabet: string, octets: Uint8Array): string {
  if (alphabet === 'gsm') return decodeGsm(octets);
  if (alphabet === 'octets') return utf8(octets) ?? new TextDecoder('latin1').decode(octets);
  return new TextDecoder(alphabet, { ignoreBOM: true }).decode(octets);
}

function utf8(octets: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(octets);
  } catch {
    return undefined;
  }
}
