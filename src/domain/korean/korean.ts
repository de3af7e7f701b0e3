/** What the gateway says, in Korean. A text that no table has stays as it is. */
import { createTranslation } from './phrases.ts';
import { REPORT_WORDS } from './report-words.ts';
import { RESULT_WORDS } from './result-words.ts';
import { PARTS, SENTENCES } from './sentences.ts';

const RESULTS = Object.entries(RESULT_WORDS);

/** The Korean of a sentence or a default text of a result code; undefined where there is none. */
export const koreanSentence = createTranslation([...SENTENCES, ...RESULTS], PARTS);

/** The Korean of the text of a report code. */
export function koreanReport(text: string): string {
  return Object.hasOwn(REPORT_WORDS, text) ? REPORT_WORDS[text as keyof typeof REPORT_WORDS] : text;
}
