/** How long the texts of a message are, and how long they may be: for the composer, which shows both while a message is written. */
import { countCharacters } from '../text/characters.ts';
import { measureEucKr } from '../text/euc-kr.ts';
import { type Fields, isObject } from './fields.ts';

export interface Measure {
  /** `bytes` are EUC-KR bytes. */
  readonly name: 'bytes' | 'characters' | 'parts' | 'buttons';
  readonly field: string;
  readonly value: number;
  /** Null where there is none. */
  readonly limit: number | null;
}

/** Names and keys have limits too, but nobody writes up to them. */
const MEASURED_FIELDS = ['title', 'header', 'text', 'footer'];
export const MOST_MEASURED = 20_000;

/** Measures the texts of a message, which need not be valid. */
export function measureFields(fields: Fields, message: unknown): Measure[] {
  const values = isObject(message) ? message : {};
  return Object.entries(fields).flatMap(([field, { measure }]) => {
    const value = values[field];
    if (!measure || typeof value !== 'string' || !MEASURED_FIELDS.includes(field)) return [];
    return [{ name: measure.unit, field, value: lengthIn(measure.unit, value), limit: measure.max }];
  });
}

/** The same where limits differ by msgType. An unknown msgType is measured as the first one. */
export function measureByType(
  fieldsByType: Readonly<Record<string, { readonly entry: Fields }>>,
  message: unknown,
): Measure[] {
  const msgType = isObject(message) ? message.msgType : undefined;
  const [first] = Object.values(fieldsByType);
  const isKnown = typeof msgType === 'string' && Object.hasOwn(fieldsByType, msgType);
  return measureFields((isKnown ? fieldsByType[msgType] : first)?.entry ?? {}, message);
}

export function lengthIn(unit: 'bytes' | 'characters', text: string): number {
  const bounded = text.slice(0, MOST_MEASURED);
  if (unit === 'characters') return countCharacters(bounded);
  let bytes = 0;
  for (const character of bounded) {
    const measured = measureEucKr(character);
    // A character that EUC-KR does not have is refused; until then it counts as the others do.
    bytes += 'bytes' in measured ? measured.bytes : 2;
  }
  return bytes;
}
