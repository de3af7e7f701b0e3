/**
 * Length of domestic text. Korean carriers bill and limit SMS and MMS text in EUC-KR bytes, in its CP949 extension
 * (all 11,172 Hangul syllables): ASCII is one byte, everything else two, and characters outside of it have no length.
 */

const FIRST_SYLLABLE = 0xac00;
const LAST_SYLLABLE = 0xd7a3;
const LATER_SIGNS = '€®';
const FIRST_PRIVATE_USE = 0xe000;
const LAST_PRIVATE_USE = 0xf8ff;

/**
 * Bytes per UTF-16 code unit, 0 where CP949 has no such character. The platform's decoder knows EUC-KR proper; CP949
 * adds the Hangul syllables that EUC-KR lacks, and two later signs. Made when the first text is measured.
 */
let bytesOfCodeUnit: Uint8Array | undefined;

function buildTable(): Uint8Array {
  const table = new Uint8Array(0x10000);
  table.fill(1, 0x00, 0x80);
  table.fill(2, FIRST_SYLLABLE, LAST_SYLLABLE + 1);
  const decoder = new TextDecoder('euc-kr');
  const pair = new Uint8Array(2);
  for (let lead = 0xa1; lead <= 0xfe; lead++) {
    for (let trail = 0xa1; trail <= 0xfe; trail++) {
      pair[0] = lead;
      pair[1] = trail;
      const character = decoder.decode(pair);
      // A pair outside the table decodes to U+FFFD, alone or twice.
      if (character.length === 1 && character !== '\ufffd') table[character.charCodeAt(0)] = 2;
    }
  }
  for (const sign of LATER_SIGNS) table[sign.charCodeAt(0)] = 2;
  // The decoder fills rows reserved for vendors with private characters, which no handset has.
  table.fill(0, FIRST_PRIVATE_USE, LAST_PRIVATE_USE + 1);
  return table;
}

/** Bytes of `text` in CP949, or the first character that CP949 does not have. */
export function measureEucKr(text: string): { bytes: number } | { outside: string } {
  bytesOfCodeUnit ??= buildTable();
  let bytes = 0;
  for (let index = 0; index < text.length; index++) {
    const width = bytesOfCodeUnit[text.charCodeAt(index)];
    if (!width) return { outside: String.fromCodePoint(text.codePointAt(index) ?? 0xfffd) };
    bytes += width;
  }
  return { bytes };
}
