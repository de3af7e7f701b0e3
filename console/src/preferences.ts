/** Preferences kept in this browser. Without storage they last until the page is closed. */
import { keep, read } from './kept.ts';
import { ZONE_CHOICES, type ZoneChoice } from './times.ts';

export type Theme = 'system' | 'light' | 'dark';
export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

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

/** What the tab keeps for the operator who is signed in, such as drafts. */
export function forgetTab(): void {
  try {
    sessionStorage.clear();
  } catch {
    // Storage is disabled in this browser.
  }
}
