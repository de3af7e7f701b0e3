/** What the gateways of a test are asking of their stores right now. */
import { setTimeout as delay } from 'node:timers/promises';

const LONGEST_REST_MS = 100;
/** A call that takes longer is one that a test never answers. */
const LONGEST_CALL_MS = 1000;

/** When each call that has not been answered began. */
const underWay = new Set<{ readonly since: number }>();

/** Watches every part of a store, from now on. */
export function watchStore(store: object): void {
  for (const part of Object.values(store)) {
    if (typeof part === 'object' && part !== null) watchCalls(part);
  }
}

/**
 * Waits for the calls that are under way, a little. A clock turned by hand would otherwise run far ahead of a database, which
 * lives in real time: whatever is claimed has lapsed before the answer is there, and nothing ever gets done.
 */
export async function storesAtRest(): Promise<void> {
  const giveUpAt = performance.now() + LONGEST_REST_MS;
  for (let now = performance.now(); now < giveUpAt; now = performance.now()) {
    if (![...underWay].some(({ since }) => now - since < LONGEST_CALL_MS)) return;
    await delay(1);
  }
}

function watchCalls(part: object): void {
  for (const [name, method] of Object.entries(part)) {
    if (typeof method !== 'function') continue;
    const watched = (...given: unknown[]) => {
      const answer = method.apply(part, given);
      if (!(answer instanceof Promise)) return answer;
      const call = { since: performance.now() };
      underWay.add(call);
      return answer.finally(() => underWay.delete(call));
    };
    Object.assign(part, { [name]: watched });
  }
}
