/**
 * The addresses from which the owner of a secret (the password of an account, the admin token) has signed in. Guesses of
 * others are limited and must not lock out the owner, so these addresses are exempt from limits that others can use up. They
 * are kept in the store, for restarts and for the other nodes. A new secret starts an empty list.
 */
import type { Events } from '../observe/events.ts';
import type { Clock } from '../platform/clock.ts';
import { sha256 } from '../platform/hashing.ts';
import type { Store } from '../store/store.ts';

export interface Owner {
  /** An account, or '' for all operators: their secrets differ. */
  readonly id: string;
  /** The stored hash of the secret. */
  readonly secretHash: string;
}

export interface KnownAddresses {
  /** What this node knows without asking the store. */
  isKnownHere(owner: Owner, block: string): boolean;
  isKnown(owner: Owner, block: string): Promise<boolean>;
  remember(owner: Owner, block: string): Promise<void>;
}

const MOST_IN_MEMORY = 20_000;
/** After that time the store is asked again for what it did not know: another node may have told it. */
const UNKNOWN_MS = 10_000;

export function createKnownAddresses(deps: {
  readonly store: Pick<Store, 'accounts'>;
  readonly clock: Clock;
  readonly events: Pick<Events, 'failed'>;
  /** Addresses of one owner; beyond that the oldest are forgotten. */
  readonly keptPerOwner: number;
}): KnownAddresses {
  const { store, clock, events, keptPerOwner } = deps;
  /** By hash, until when the answer holds. */
  const answers = new Map<string, { readonly isKnown: boolean; readonly until: number }>();

  return {
    isKnownHere: (owner, block) => answerTo(hashOf(owner, block)) === true,
    async isKnown(owner, block) {
      const hash = hashOf(owner, block);
      const answer = answerTo(hash);
      if (answer !== undefined) return answer;
      const isKnown = await store.accounts.knowsAddress(hash);
      // It may have been remembered in the meantime.
      if (answerTo(hash) !== true) keep(hash, isKnown);
      return isKnown;
    },
    async remember(owner, block) {
      const hash = hashOf(owner, block);
      if (answerTo(hash) === true) return;
      keep(hash, true);
      const address = { hash, owner: owner.id, seenAt: clock.now() };
      try {
        await store.accounts.rememberAddress(address, keptPerOwner);
      } catch (error) {
        // The owner is who he is, also where the store takes no writes.
        events.failed('remember an address', error);
      }
    },
  };

  function answerTo(hash: string): boolean | undefined {
    const answer = answers.get(hash);
    return answer && clock.monotonic() < answer.until ? answer.isKnown : undefined;
  }

  function keep(hash: string, isKnown: boolean): void {
    const oldest = answers.size >= MOST_IN_MEMORY ? answers.keys().next() : undefined;
    if (oldest && !oldest.done) answers.delete(oldest.value);
    const until = isKnown ? Number.POSITIVE_INFINITY : clock.monotonic() + UNKNOWN_MS;
    answers.set(hash, { isKnown, until });
  }
}

function hashOf({ id, secretHash }: Owner, block: string): string {
  return sha256(`${id}\n${secretHash}\n${block}`);
}
