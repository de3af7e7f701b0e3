/** The texts in the language of the reader. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type Language, readLanguage } from '../words/language.ts';
import { REFERENCE_WORDS, type ReferenceWords } from './texts.ts';

export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', ko: '한국어' };

export const ReferenceLanguage = createContext<Language>(readLanguage());

export function useReferenceWords(): ReferenceWords {
  return REFERENCE_WORDS[useContext(ReferenceLanguage)];
}
