/** Lengths of the texts of an RCS message, in either style, and the limits of its format. */
import { isObject } from '../../request/fields.ts';
import { lengthIn, type Measure } from '../../request/measures.ts';
import { RCS_TEMPLATE_KIND_WORDS, type RcsFormat, rcsFormatOf } from './formats.ts';

type Values = Readonly<Record<string, unknown>>;

export function rcsMeasures(message: unknown): Measure[] {
  const { formatId, templateKind, body, content, buttons }: Values = isObject(message) ? message : {};
  const kind = RCS_TEMPLATE_KIND_WORDS.find(known => known === templateKind);
  const format =
    typeof formatId === 'string' ? rcsFormatOf({ formatId, ...(kind && { templateKind: kind }) }) : undefined;
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
  // Where all cards share a limit, it belongs to the sum.
  return format.isTextTotal ? null : format.textMax;
}

/** The texts of the simple style under the names of the expert style. */
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
