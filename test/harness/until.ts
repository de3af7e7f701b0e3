import { setTimeout as delay } from 'node:timers/promises';
import { storesAtRest } from './store-calls.ts';

const LONGEST_WAIT_MS = 60_000;

/**
 * Waits until `condition` gives a value other than undefined, null or false, and returns it. It may turn the clock: it is asked
 * when the stores have nothing to do.
 */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
): Promise<Exclude<T, undefined | null | false>> {
  const giveUpAt = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    await storesAtRest();
    const value = await condition();
    if (value !== undefined && value !== null && value !== false) {
      return value as Exclude<T, undefined | null | false>;
    }
    if (performance.now() > giveUpAt) throw new Error(`waited in vain until ${what}`);
    await delay(2);
  }
}
