/** The language of the console: that of the browser until a person chooses one. The gateway answers in it too. */
import { keep, read } from '../kept.ts';

export type Language = 'en' | 'ko';

export function readLanguage(): Language {
  const kept = read('language');
  if (kept === 'en' || kept === 'ko') return kept;
  return navigator.language.toLowerCase().startsWith('ko') ? 'ko' : 'en';
}

export function keepLanguage(language: Language): void {
  keep('language', language);
}
