/** The language of the console: chosen by the browser, changed by a person, kept in this browser. Only that one is loaded. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Words } from './en.ts';
import type { Language } from './language.ts';

export type { Language } from './language.ts';

/** Each in its own. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', ko: '한국어' };
export const LANGUAGES = Object.keys(LANGUAGE_NAMES) as readonly Language[];

const WORDS: Readonly<Record<Language, () => Promise<Words>>> = {
  en: async () => (await import('./en.ts')).en,
  ko: async () => (await import('./ko.ts')).ko,
};

export function loadWords(language: Language): Promise<Words> {
  return WORDS[language]();
}

export interface LanguageChoice {
  readonly language: Language;
  readonly words: Words;
  readonly choose: (language: Language) => void;
}

export const LanguageContext = createContext<LanguageChoice | undefined>(undefined);

export function useLanguage(): LanguageChoice {
  const choice = useContext(LanguageContext);
  if (!choice) throw new Error('used before the words are loaded');
  return choice;
}

export function useWords(): Words {
  return useLanguage().words;
}

/** The text for a key that the gateway sent; an unknown key is shown as it is. */
export function lookUp(table: Readonly<Record<string, string>>, key: string): string {
  return Object.hasOwn(table, key) ? (table[key] ?? key) : key;
}
