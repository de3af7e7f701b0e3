/** The API document in Korean: every description and summary, and nothing else. Names, values and examples stay. */
import { koreanSentence } from '../../../domain/korean/korean.ts';
import { createTranslation } from '../../../domain/korean/phrases.ts';
import { PARTS } from '../../../domain/korean/sentences.ts';
import { koreanOf } from '../../../operations/words.ts';
import { CLIENT_WORDS } from './client-words.ts';
import { FIGURES_WORDS } from './figures-words.ts';
import { INBOUND_WORDS } from './inbound-words.ts';
import { MAINTENANCE_WORDS } from './maintenance-words.ts';
import { MESSAGE_WORDS } from './message-words.ts';
import { NODE_WORDS } from './node-words.ts';
import { OPERATOR_WORDS } from './operator-words.ts';
import { OPT_OUT_WORDS } from './opt-out-words.ts';
import { PEOPLE_WORDS } from './people-words.ts';
import { RESERVATION_WORDS } from './reservation-words.ts';
import { TEMPLATE_WORDS } from './template-words.ts';
import { WEBHOOK_WORDS } from './webhook-words.ts';

/** The members that are for people. Inside of these the document holds values, not words. */
const SPOKEN: ReadonlySet<string> = new Set(['description', 'summary', 'title']);
const VALUES: ReadonlySet<string> = new Set(['value', 'example', 'enum', 'const', 'default', 'required']);

const WORDS = {
  ...CLIENT_WORDS,
  ...OPERATOR_WORDS,
  ...INBOUND_WORDS,
  ...MESSAGE_WORDS,
  ...NODE_WORDS,
  ...MAINTENANCE_WORDS,
  ...FIGURES_WORDS,
  ...PEOPLE_WORDS,
  ...TEMPLATE_WORDS,
  ...RESERVATION_WORDS,
  ...WEBHOOK_WORDS,
  ...OPT_OUT_WORDS,
};

const translate = createTranslation(
  [...Object.entries(WORDS), ['Must be {}.', '올바른 값: {1~}.'], ['Is {}.', '값: {1~}.']],
  PARTS,
);

/** What is put behind many descriptions. */
const ENDINGS: readonly (readonly [english: RegExp, korean: (value: string) => string])[] = [
  [/ Role: (\w+)\.$/, role => ` 필요 권한: ${role}.`],
  [/ At most (\d+) characters\.$/, count => ` 최대 ${count}자.`],
  [/ At most (\d+) bytes\.$/, count => ` 최대 ${count}바이트.`],
  [
    / In the sandbox the last four digits of the recipient decide the outcome\.$/,
    () => ' 샌드박스에서는 수신번호 끝 네 자리에 따라 결과가 정해집니다.',
  ],
];

/** The Korean of one description; undefined where the tables do not have it. */
export function koreanDescription(text: string): string | undefined {
  if (/^- A\d{3}: /.test(text)) return koreanCodes(text);
  if (/^A\d{3}$/.test(text)) return text;
  const known = koreanOf(text) ?? translate(text);
  if (known !== undefined) return known;
  for (const [english, korean] of ENDINGS) {
    const found = english.exec(text);
    if (!found) continue;
    const head = koreanDescription(text.slice(0, found.index));
    return head === undefined ? undefined : head + korean(found[1] ?? '');
  }
  return undefined;
}

/** `- A001: Expired token`, line by line. */
function koreanCodes(text: string): string | undefined {
  const lines = text.split('\n').map(line => {
    const [, code, sentence = ''] = /^- (A\d{3}): (.*)$/.exec(line) ?? [];
    const korean = koreanSentence(sentence);
    return korean === undefined ? undefined : `- ${code}: ${korean}`;
  });
  return lines.every(line => line !== undefined) ? lines.join('\n') : undefined;
}

export function koreanDocument<T>(part: T): T {
  return spoken(part) as T;
}

function spoken(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(spoken);
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(
    Object.entries(part).map(([name, member]: [string, unknown]) => {
      if (SPOKEN.has(name) && typeof member === 'string') return [name, koreanDescription(member) ?? member];
      return [name, VALUES.has(name) ? member : spoken(member)];
    }),
  );
}
