/**
 * A store as one node sees it on a bad day: every call of every part of the port may fail before it was done, fail after
 * it was done, or take its time. Nothing here knows the methods of the port but those that may be done behind their
 * caller's back.
 *
 *   before  StoreFault didNotHappen, nothing was done
 *   after   it was done, then StoreFault mayHaveHappened
 *   late    it was done, and the answer comes seconds later
 *   slow    it is done seconds later, and answered then
 *   lost    it was done, and seconds later the caller is told that it may have been
 *   behind  the caller is told that it may have been done, and it is done after that
 */
import type { Clock } from '../../src/platform/clock.ts';
import type { Store } from '../../src/store/store.ts';
import { StoreFault } from '../../src/store/store-fault.ts';
import type { Life } from './life.ts';
import type { SeededRandom } from './seeded-random.ts';

export interface StoreWeather {
  /** Of a thousand calls, how many meet which fate. */
  readonly before: number;
  readonly after: number;
  readonly late: number;
  readonly slow: number;
  readonly lost: number;
  readonly behind: number;
}

export const CALM: StoreWeather = { before: 0, after: 0, late: 0, slow: 0, lost: 0, behind: 0 };
/** No call waits longer than this before its caller is told: the store promises bounded waiting. */
const LONGEST_WAIT_MS = 10_000;
/** The caller's session with the database was lost, and ends a while after the caller was told. */
const LONGEST_BEHIND_MS = 2000;
/** What is looked up after a doubt waits for lost sessions to end; these are not looked up but held against what is in hand. */
const MAY_BE_BEHIND: ReadonlySet<string> = new Set(['queue.claim', 'queue.settle']);

export interface StoreParts {
  readonly clock: Clock;
  readonly life: Life;
  readonly random: SeededRandom;
  readonly weather: () => StoreWeather;
  /** False once the process that had it open is gone: what it still had to do is not done. */
  readonly isOpen: () => boolean;
  /** A call was really done, whatever its caller was told. */
  readonly onDone: (method: string, args: readonly unknown[], result: unknown) => void;
  readonly onFault: (method: string, fate: string) => void;
  /** A call has reached the store and is not done yet; the function that it returns says that it is over. */
  readonly onHeldBack: () => () => void;
}

type Method = (...args: readonly unknown[]) => unknown;

/** The store for one node; a dead node's calls are never made and never answered. */
export function faultyStore(store: Store, parts: StoreParts): Store {
  const faulty: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(store)) {
    // Not every engine has every part.
    if (part === undefined) continue;
    faulty[name] =
      typeof part === 'function' ? faultyMethod(store, name, part, parts) : faultyPart(name, part, parts);
  }
  // Made of every member of the store that it was given.
  return faulty as unknown as Store;
}

function faultyPart(name: string, part: object, parts: StoreParts): object {
  const faulty: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(part)) {
    faulty[member] =
      typeof value === 'function' ? faultyMethod(part, `${name}.${member}`, value, parts) : value;
  }
  return faulty;
}

function faultyMethod(owner: object, name: string, method: Method, parts: StoreParts): Method {
  const { clock, life, onDone, onFault, onHeldBack } = parts;
  // A stream of its own: what other calls meet does not change with it.
  let own: SeededRandom | undefined;
  return (...args) =>
    new Promise((resolve, reject) => {
      life.pass(() => {
        own ??= parts.random.fork(name);
        const random = own;
        const drawn = fateOf(random, parts.weather());
        const fate = drawn === 'behind' && !MAY_BE_BEHIND.has(name) ? 'lost' : drawn;
        if (fate !== undefined) onFault(name, fate);
        const waitMs =
          fate === undefined || fate === 'before' || fate === 'after'
            ? 0
            : random.between(20, LONGEST_WAIT_MS);
        const doubt = () =>
          life.pass(() => reject(new StoreFault('mayHaveHappened', `${name}: the answer was lost`)));
        switch (fate) {
          case 'before':
            reject(new StoreFault('didNotHappen', `${name}: not done`));
            return;
          case 'behind': {
            const isOver = onHeldBack();
            clock.schedule(waitMs, () => {
              doubt();
              clock.schedule(random.between(0, LONGEST_BEHIND_MS), () => run(isOver));
            });
            return;
          }
          case 'slow': {
            const isOver = onHeldBack();
            clock.schedule(waitMs, () => {
              run(answer => {
                isOver();
                answer();
              });
            });
            return;
          }
          case 'late':
            run(answer => clock.schedule(waitMs, answer));
            return;
          case 'lost':
            run(() => clock.schedule(waitMs, doubt));
            return;
          case 'after':
            run(doubt);
            return;
          case undefined:
            run(answer => answer());
        }
      });

      async function makeCall(): Promise<unknown> {
        return Reflect.apply(method, owner, args);
      }

      /** Really makes the call; `then` decides when, and whether, its answer reaches the node. */
      function run(then: (answer: () => void) => void): void {
        if (!parts.isOpen()) {
          then(() => {});
          return;
        }
        makeCall().then(
          result => {
            onDone(name, args, result);
            then(() => life.pass(() => resolve(result)));
          },
          error => {
            then(() => life.pass(() => reject(error)));
          },
        );
      }
    });
}

function fateOf(random: SeededRandom, weather: StoreWeather): keyof StoreWeather | undefined {
  if (weather === CALM) return undefined;
  let point = random.below(1000);
  for (const fate of ['before', 'after', 'late', 'slow', 'lost', 'behind'] as const) {
    point -= weather[fate];
    if (point < 0) return fate;
  }
  return undefined;
}
