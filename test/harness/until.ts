import { setTimeout as delay } from 'node:timers/promises';

const LONGEST_WAIT_MS = 60_000;

/** Waits until `condition` gives a value other than undefined, null or false, and returns it. */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
): Promise<Exclude<T, undefined | null | false>> {
  const giveUpAt = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== null && value !== false) {
      return value as Exclude<T, undefined | null | false>;
    }
    if (performance.now() > giveUpAt) throw new Error(`waited in vain until ${what}`);
    await delay(2);
  }
}
