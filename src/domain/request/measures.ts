/** How long the parts of a message are, and how long they may be: for whoever writes one and wants to see it fit. */
import { alimtalkFields } from '../channels/alimtalk.ts';
import { brandmessageFields } from '../channels/brandmessage.ts';
import type { Channel } from '../channels/channel.ts';
import { friendtalkFields } from '../channels/friendtalk/friendtalk.ts';
import { internationalFields } from '../channels/international.ts';
import { mmsEntryFields } from '../channels/mms.ts';
import { findRcsFormat, type RcsFormat } from '../channels/rcs/formats.ts';
import { rcsEntryFields } from '../channels/rcs/rcs.ts';
import { smsEntryFields } from '../channels/sms.ts';
import { countCharacters } from '../text/characters.ts';
import { measureEucKr } from '../text/euc-kr.ts';
import { MAX_PARTS, segmentText, unitsLimit } from '../text/sms-segments.ts';
import { type Fields, isObject } from './fields.ts';

export interface Measure {
  /** `bytes` are EUC-KR bytes. */
  readonly name: 'bytes' | 'characters' | 'parts' | 'buttons';
  readonly field: string;
  readonly value: number;
  /** Null where there is none. */
  readonly limit: number | null;
}

type Values = Readonly<Record<string, unknown>>;

/** Names and keys have bounds too, which nobody writes up to. */
const MEASURED_FIELDS = ['title', 'header', 'text', 'footer'];
const MOST_MEASURED = 20_000;

/** Measures a channel message, whether it was found in order or not. */
export function measureMessage(channel: Channel, message: unknown): Measure[] {
  const values = isObject(message) ? message : {};
  const measures = Object.entries(fieldsOf(channel, values)).flatMap(([field, { measure }]) => {
    const value = values[field];
    if (!measure || typeof value !== 'string' || !MEASURED_FIELDS.includes(field)) return [];
    return [{ name: measure.unit, field, value: lengthIn(measure.unit, value), limit: measure.max }];
  });
  if (channel === 'rcs') return [...rcsMeasures(values), ...measures];
  return channel === 'international' ? partsOf(values.text) : measures;
}

function fieldsOf(channel: Channel, { msgType }: Values): Fields {
  switch (channel) {
    case 'sms':
      return smsEntryFields;
    case 'mms':
      return mmsEntryFields;
    case 'international':
      return internationalFields;
    case 'rcs':
      return rcsEntryFields;
    case 'alimtalk':
      return (rowOf(alimtalkFields, msgType) ?? alimtalkFields.AT).entry;
    case 'friendtalk':
      return (rowOf(friendtalkFields, msgType) ?? friendtalkFields.FT).entry;
    case 'brandmessage':
      return (rowOf(brandmessageFields, msgType) ?? brandmessageFields.FT).entry;
  }
}

function rowOf<T>(rows: Readonly<Record<string, T>>, name: unknown): T | undefined {
  return typeof name === 'string' && Object.hasOwn(rows, name) ? rows[name] : undefined;
}

function lengthIn(unit: 'bytes' | 'characters', text: string): number {
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

function partsOf(text: unknown): Measure[] {
  if (typeof text !== 'string') return [];
  const { encoding, units, parts } = segmentText(text.slice(0, MOST_MEASURED));
  return [
    { name: 'characters', field: 'text', value: units, limit: unitsLimit(encoding) },
    { name: 'parts', field: 'text', value: parts.length, limit: MAX_PARTS },
  ];
}

function rcsMeasures({ formatId, body, content, buttons }: Values): Measure[] {
  const format = typeof formatId === 'string' ? findRcsFormat(formatId) : undefined;
  const texts = isObject(body) ? body : bodyOfContent(content);
  const measures: Measure[] = [];
  let total = 0;
  for (const [field, value] of Object.entries(texts)) {
    const key = /^(title|description|subDesc)\d*$/.exec(field)?.[1];
    if (key === undefined || typeof value !== 'string') continue;
    const count = lengthIn('characters', value);
    if (key === 'description') total += count;
    measures.push({ name: 'characters', field, value: count, limit: rcsLimit(format, key) });
  }
  if (format?.isTextTotal) {
    measures.push({ name: 'characters', field: 'description*', value: total, limit: format.textMax });
  }
  for (const [card, entry] of (Array.isArray(buttons) ? buttons : []).entries()) {
    const count = isObject(entry) && Array.isArray(entry.suggestions) ? entry.suggestions.length : 0;
    measures.push({
      name: 'buttons',
      field: `buttons[${card}]`,
      value: count,
      limit: format?.buttonsPerCard ?? null,
    });
  }
  return measures;
}

function rcsLimit(format: RcsFormat | undefined, key: string): number | null {
  if (!format) return null;
  if (key === 'title') return format.titleMax;
  if (key === 'subDesc') return format.subTextMax ?? null;
  // Where all cards share a limit, the sum has it.
  return format.isTextTotal ? null : format.textMax;
}

/** The texts of the simple style under the names of the other. */
function bodyOfContent(content: unknown): Values {
  if (!isObject(content)) return {};
  const { standalone, carousel, template } = content;
  if (isObject(template)) return template;
  if (isObject(standalone)) return { title: standalone.title, description: standalone.text };
  const cards = Array.isArray(carousel) ? carousel.filter(isObject).slice(0, 10) : [];
  return Object.fromEntries(
    cards.flatMap((card, index) => [
      [`title${index + 1}`, card.title],
      [`description${index + 1}`, card.text],
    ]),
  );
}
