/**
 * CP949, the Korean code of two octets: KS X 1001 as the platform decodes it, and the 8,822 Hangul syllables it lacks.
 * The table takes some ten milliseconds to build.
 */

const FIRST_SYLLABLE = 0xac00;
const LAST_SYLLABLE = 0xd7a3;
const LATER_SIGNS: readonly (readonly [character: string, code: number])[] = [
  ['€', 0xa2e6],
  ['®', 0xa2e7],
];

/** Code of each UTF-16 code unit: one octet below 0x80, two above, 0 where CP949 does not have it. */
export type Cp949Table = Uint16Array;

export function buildCp949(): Cp949Table {
  const table = new Uint16Array(0x10000);
  for (let unit = 0; unit < 0x80; unit++) table[unit] = unit;
  const decoder = new TextDecoder('euc-kr');
  const pair = new Uint8Array(2);
  for (let lead = 0xa1; lead <= 0xfe; lead++) {
    for (let trail = 0xa1; trail <= 0xfe; trail++) {
      pair[0] = lead;
      pair[1] = trail;
      const character = decoder.decode(pair);
      if (character.length === 1 && isPublic(character)) table[character.charCodeAt(0)] = lead * 256 + trail;
    }
  }
  for (const [character, code] of LATER_SIGNS) table[character.charCodeAt(0)] = code;
  addExtension(table);
  return table;
}

function isPublic(character: string): boolean {
  const unit = character.charCodeAt(0);
  return character !== '\ufffd' && (unit < 0xe000 || unit > 0xf8ff);
}

/** The syllables that KS X 1001 lacks follow in the order of Unicode, in the places that it leaves free. */
function addExtension(table: Cp949Table): void {
  let syllable = FIRST_SYLLABLE;
  for (let lead = 0x81; lead <= 0xc6; lead++) {
    // From 0xa1 on, trails above 0xa0 belong to KS X 1001.
    const lastTrail = lead < 0xa1 ? 0xfe : 0xa0;
    for (let trail = 0x41; trail <= lastTrail; trail++) {
      if ((trail > 0x5a && trail < 0x61) || (trail > 0x7a && trail < 0x81)) continue;
      while (syllable <= LAST_SYLLABLE && table[syllable] !== 0) syllable++;
      if (syllable > LAST_SYLLABLE) return;
      table[syllable] = lead * 256 + trail;
    }
  }
}

/** Stands for octets that are no character. CP949 itself does not have it. */
const UNREADABLE = '\ufffd';

/** Code units by their code. Made when the first text is read. */
let unitOfCode: Uint16Array | undefined;

function buildUnits(): Uint16Array {
  const units = new Uint16Array(0x10000);
  for (const [unit, code] of buildCp949().entries()) if (code !== 0) units[code] = unit;
  return units;
}

/** The text of these octets; undefined where they are not CP949. */
export function decodeCp949(bytes: Uint8Array): string | undefined {
  const text = readCp949(bytes);
  return text.includes(UNREADABLE) ? undefined : text;
}

/** The text of these octets, with U+FFFD for those that are no character. */
export function readCp949(bytes: Uint8Array): string {
  unitOfCode ??= buildUnits();
  const text: string[] = [];
  for (let index = 0; index < bytes.length; index++) {
    const lead = bytes[index] ?? 0;
    const trail = bytes[index + 1] ?? 0;
    const code = lead < 0x80 ? lead : lead * 256 + trail;
    const unit = unitOfCode[code] ?? 0;
    const isRead = unit !== 0 || code === 0;
    text.push(isRead ? String.fromCharCode(unit) : UNREADABLE);
    // An ASCII octet behind one that is no lead stands for itself.
    if (lead >= 0x80 && (isRead || trail >= 0x80)) index++;
  }
  return text.join('');
}

/** Octets written into `into`, or -1 where a character is outside CP949. */
export function encodeCp949(table: Cp949Table, text: string, into: Uint8Array): number {
  let end = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    const code = table[unit] ?? 0;
    if (code === 0 && unit !== 0) return -1;
    if (code > 0xff) into[end++] = code >> 8;
    into[end++] = code & 0xff;
  }
  return end;
}
