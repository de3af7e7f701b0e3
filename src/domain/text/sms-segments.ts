/**
 * Splitting international text into SMS parts (specification, international rule 3).
 *
 * GSM 03.38: 160 characters in one part, 153 in each of several; a character of the extension table costs two.
 * Anything else is UCS-2, in UTF-16 units: 70 in one part, 67 in each of several. Neither an escape pair nor a
 * surrogate pair is split over two parts, so a part may end one unit early.
 */

const GSM_BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const GSM_EXTENSION = '\f^{}\\[~]|€';

const GSM_COST: ReadonlyMap<string, number> = new Map([
  ...[...GSM_BASIC].map(character => [character, 1] as const),
  ...[...GSM_EXTENSION].map(character => [character, 2] as const),
]);

export const MAX_PARTS = 5;

const LIMITS = {
  gsm7: { single: 160, part: 153 },
  ucs2: { single: 70, part: 67 },
} as const;

/** Units that fit into the most parts there may be. */
export function unitsLimit(encoding: SmsEncoding): number {
  return MAX_PARTS * LIMITS[encoding].part;
}

export type SmsEncoding = keyof typeof LIMITS;

export interface Segments {
  readonly encoding: SmsEncoding;
  /** Units the whole text takes: septets for gsm7, UTF-16 units for ucs2. */
  readonly units: number;
  readonly parts: readonly string[];
}

/** Splits `text` into the parts it would be sent as; there may be more than the five the contract allows. */
export function segmentText(text: string): Segments {
  const encoding = encodingOf(text);
  const costOf = (character: string) =>
    encoding === 'gsm7' ? (GSM_COST.get(character) ?? 1) : character.length;

  let units = 0;
  for (const character of text) units += costOf(character);
  if (units <= LIMITS[encoding].single) return { encoding, units, parts: [text] };

  const parts: string[] = [];
  let part = '';
  let partUnits = 0;
  for (const character of text) {
    const cost = costOf(character);
    if (partUnits + cost > LIMITS[encoding].part) {
      parts.push(part);
      part = '';
      partUnits = 0;
    }
    part += character;
    partUnits += cost;
  }
  parts.push(part);
  return { encoding, units, parts };
}

function encodingOf(text: string): SmsEncoding {
  for (const character of text) if (!GSM_COST.has(character)) return 'ucs2';
  return 'gsm7';
}
