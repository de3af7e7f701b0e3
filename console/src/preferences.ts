/** Preferences kept in this browser. Without storage they last until the page is closed. */
import type { Language } from './words/words.tsx';

export type Theme = 'system' | 'light' | 'dark';
export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

export function readLanguage(): Language {
  const kept = read('language');
  if (kept === 'en' || kept === 'ko') return kept;
  return navigator.language.toLowerCase().startsWith('ko') ? 'ko' : 'en';
}

export function keepLanguage(language: Language): void {
  keep('language', language);
}

export function readTheme(): Theme {
  return THEMES.find(theme => theme === read('theme')) ?? 'system';
}

/** The colours follow `color-scheme`, which follows this attribute. */
export function applyTheme(theme: Theme): void {
  keep('theme', theme);
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** The account chosen last, so that pages open with it. */
export function readLastAccount(): string | undefined {
  return read('account') ?? undefined;
}

export function keepLastAccount(id: string): void {
  keep('account', id);
}

/** What the tab keeps for the operator who is signed in, such as drafts. */
export function forgetTab(): void {
  try {
    sessionStorage.clear();
  } catch {
    // Storage is disabled in this browser.
  }
}

const PREFIX = 'bongsu.';

function read(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

function keep(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // Storage is disabled in this browser.
  }
}
