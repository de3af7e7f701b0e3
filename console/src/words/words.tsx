/** The language of the console: chosen by the browser, changed by a person, kept in this browser. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { en, type Words } from './en.ts';
import { ko } from './ko.ts';
import type { Language } from './language.ts';

export type { Language } from './language.ts';

export const LANGUAGES: Readonly<Record<Language, Words>> = { en, ko };

export interface LanguageChoice {
  readonly language: Language;
  readonly choose: (language: Language) => void;
}

export const LanguageContext = createContext<LanguageChoice>({ language: 'en', choose: () => {} });

export function useLanguage(): LanguageChoice {
  return useContext(LanguageContext);
}

export function useWords(): Words {
  return LANGUAGES[useLanguage().language];
}

/** The text for a key that the gateway sent; an unknown key is shown as it is. */
export function lookUp(table: Readonly<Record<string, string>>, key: string): string {
  return Object.hasOwn(table, key) ? (table[key] ?? key) : key;
}
