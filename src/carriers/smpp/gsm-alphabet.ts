/** GSM 03.38 as SMPP carries it: one septet in one octet, characters of the extension table behind an escape. */

const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\x1bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';

/** By their octet behind the escape. */
const EXTENSION: Readonly<Record<number, string>> = {
  10: '\f',
  20: '^',
  40: '{',
  41: '}',
  47: '\\',
  60: '[',
  61: '~',
  62: ']',
  64: '|',
  101: '€',
};

export const ESCAPE = 0x1b;
/** Marks a character of the extension table. */
const EXTENDED = 0x80;
const OUTSIDE = 0xff;

/** Octet of a UTF-16 code unit. Everything but the euro is below U+0400, so the table ends there. */
const OCTET_OF_UNIT = buildTable();
const EURO = 0x20ac;
const EURO_OCTET = 101 | EXTENDED;

function buildTable(): Uint8Array {
  const table = new Uint8Array(0x400).fill(OUTSIDE);
  for (const [octet, character] of [...BASIC].entries()) table[character.charCodeAt(0)] = octet;
  for (const [octet, character] of Object.entries(EXTENSION)) {
    table[character.charCodeAt(0)] = Number(octet) | EXTENDED;
  }
  // The escape itself is no character of a text.
  table[ESCAPE] = OUTSIDE;
  return table;
}

function octetOf(unit: number): number {
  if (unit === EURO) return EURO_OCTET;
  return OCTET_OF_UNIT[unit] ?? OUTSIDE;
}

/** Septets of one UTF-16 code unit: 1, or 2 in the extension table; 0 where GSM 03.38 does not have it. */
export function gsmSeptets(unit: number): 0 | 1 | 2 {
  const octet = octetOf(unit);
  if (octet === OUTSIDE) return 0;
  return octet & EXTENDED ? 2 : 1;
}

/** Octets written into `into`, or -1 where a character is outside the alphabet. */
export function encodeGsm(text: string, into: Uint8Array): number {
  let end = 0;
  for (let index = 0; index < text.length; index++) {
    const octet = octetOf(text.charCodeAt(index));
    if (octet < EXTENDED) {
      into[end++] = octet;
    } else if (octet === OUTSIDE) {
      return -1;
    } else {
      into[end++] = ESCAPE;
      into[end++] = octet & ~EXTENDED;
    }
  }
  return end;
}

/** An octet without a meaning reads as U+FFFD; an escape before one that is not in the extension table reads as nothing. */
export function decodeGsm(octets: Uint8Array): string {
  let text = '';
  let isEscaped = false;
  for (const octet of octets) {
    const extended = isEscaped ? EXTENSION[octet] : undefined;
    isEscaped = octet === ESCAPE && !isEscaped;
    if (isEscaped) continue;
    text += extended ?? BASIC[octet] ?? '\ufffd';
  }
  return text;
}
