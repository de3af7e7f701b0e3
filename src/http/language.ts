/**
 * The language of an answer. English is the default; a caller whose `Accept-Language` prefers Korean gets the texts that the
 * gateway itself says in Korean. Codes, names and whatever clients wrote stay as they are.
 */
import { koreanReport, koreanSentence } from '../domain/korean/korean.ts';

export type Language = 'en' | 'ko';

/** Real headers are short. What stands behind this is not read. */
const LONGEST_HEADER = 500;

/** Of English and Korean the one that is preferred, and English where neither is: see RFC 9110, 12.5.4. */
export function languageOf(acceptLanguage: string | undefined): Language {
  // Most callers do not ask, and this is called for every answer.
  if (acceptLanguage === undefined || !/ko/i.test(acceptLanguage)) return 'en';
  const weights = { en: 0, ko: 0 };
  for (const range of acceptLanguage.slice(0, LONGEST_HEADER).toLowerCase().split(',')) {
    const [tag = '', ...parameters] = range.split(';').map(part => part.trim());
    const quality = parameters.find(parameter => parameter.startsWith('q='))?.slice(2);
    const weight = quality === undefined ? 1 : Number(quality);
    const [language = ''] = tag.split('-');
    if (language !== 'en' && language !== 'ko') continue;
    // Of two that are equally good the first counts.
    const order = weights.en === 0 && weights.ko === 0 ? 0.0005 : 0;
    if (weight > 0 && weight <= 1) weights[language] = Math.max(weights[language], weight + order);
  }
  return weights.ko > weights.en ? 'ko' : 'en';
}

/** The members of answers that hold a text of the gateway. */
const SPOKEN: Readonly<Record<string, (text: string) => string | undefined>> = {
  reportText: koreanReport,
  ...Object.fromEntries(
    ['result', 'why', 'detail', 'advice', 'effect', 'error', 'lastError', 'offReason'].map(name => [
      name,
      koreanSentence,
    ]),
  ),
};

/** The members that hold what a client wrote, or repeat a request and its answer as they were. */
const REPEATED: ReadonlySet<string> = new Set([
  'flow',
  'rendered',
  'replaceWords',
  'request',
  'response',
  'messageFlow',
  'messageForm',
]);

/**
 * Different sentences of one answer. A client can make the answer for each of a thousand recipients a different one; those
 * after these stay in English.
 */
const MOST_SENTENCES = 200;

/** An answer in Korean, for its English. Both are JSON. */
export function inKorean(body: string | Buffer): string {
  const said = new Map<string, string>();
  return JSON.stringify(spoken(JSON.parse(String(body))));

  function spoken(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(spoken);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]: [string, unknown]) => {
        const speak = Object.hasOwn(SPOKEN, name) ? SPOKEN[name] : undefined;
        if (speak && typeof member === 'string') return [name, say(member, speak)];
        return [name, REPEATED.has(name) ? member : spoken(member)];
      }),
    );
  }

  function say(text: string, speak: (text: string) => string | undefined): string {
    const known = said.get(text);
    if (known !== undefined || said.size >= MOST_SENTENCES) return known ?? text;
    const korean = speak(text) ?? text;
    said.set(text, korean);
    return korean;
  }
}
