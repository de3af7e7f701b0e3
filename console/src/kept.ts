/** What this browser keeps for the console. Without storage it lasts until the page is closed. */
const PREFIX = 'bongsu.';

export function read(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // Storage is disabled in this browser.
  }
}
