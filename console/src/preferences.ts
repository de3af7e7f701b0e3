/** Preferences kept in this browser. Without storage they last until the page is closed. */
import { ZONE_CHOICES, type ZoneChoice } from './times.ts';
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

/** Whose time zone is shown. */
export function readZone(): ZoneChoice {
  return ZONE_CHOICES.find(choice => choice === read('zone')) ?? 'gateway';
}

export function keepZone(choice: ZoneChoice): void {
  keep('zone', choice);
}

/** The account chosen last, so that pages open with it. */
export function readLastAccount(): string | undefined {
  return read('account') ?? undefined;
}

export function keepLastAccount(id: string): void {
  keep('account', id);
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
