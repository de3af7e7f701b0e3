/**
 * Everything that was due has happened: no call of a store and none to a receiver or provider is under way, for some turns of
 * the event loop. Only then does it mean something that nothing was sent, called or stored.
 */
import { subscribe } from 'node:diagnostics_channel';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { ManualClock } from '../../src/platform/clock.ts';
import { storesAtRest } from './store-calls.ts';

/** From an answer of the store to the call that it leads to are a few turns. */
const QUIET_TURNS = 30;
/** A request that takes longer is one that a test never answers. */
const LONGEST_REQUEST_MS = 1000;

/** When each request that has no answer yet began. */
const requests = new Map<object, number>();
const requestOf = (message: unknown) => (message as { readonly request: object }).request;
subscribe('undici:request:create', message => void requests.set(requestOf(message), performance.now()));
for (const end of ['undici:request:trailers', 'undici:request:error']) {
  subscribe(end, message => void requests.delete(requestOf(message)));
}

export async function settled(): Promise<void> {
  for (let quiet = 0; quiet < QUIET_TURNS; quiet++) {
    await nextTurn();
    await storesAtRest();
    const now = performance.now();
    if (![...requests.values()].some(since => now - since < LONGEST_REQUEST_MS)) continue;
    quiet = 0;
    await delay(1);
  }
}

/** Turns the clocks of gateways second by second; what is due in one happens before the next. */
export async function pass(
  seconds: number,
  ...gateways: readonly { readonly clock: ManualClock }[]
): Promise<void> {
  const clocks = new Set(gateways.map(({ clock }) => clock));
  for (let passed = 0; passed < seconds; passed++) {
    for (const clock of clocks) clock.advance(1000);
    await settled();
  }
}
