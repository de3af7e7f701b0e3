/**
 * Guards accounts that want it against sending the same text to the same recipient twice within some seconds. Sends are noted in
 * the store before they are accepted, so it holds on all nodes; what is noted and then not accepted does not count.
 *
 * Calls under one Idempotency-Key may run at the same time, and one of them is stored. They share one note, which has the message
 * of each until it is known not to be the one.
 */
import type { Account } from '../domain/account/account.ts';
import type { Flow, Step } from '../domain/delivery/flow.ts';
import type { MsgKey } from '../domain/ids.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Clock } from '../platform/clock.ts';
import { sha256 } from '../platform/hashing.ts';
import type { RecentSend, Store } from '../store/store.ts';
import { isInDoubt, type StoreTime } from '../store/store-time.ts';
import { type Answered, Replayed } from './idempotency.ts';

export interface NotedSends {
  readonly repeated: ReadonlySet<MsgKey>;
  /** Forgets them again, unless the request was accepted or that is not known. */
  settle(accepting: () => Promise<Answered>): Promise<Answered>;
}

export interface DuplicateGuard {
  /** `tag` is the same for repetitions of one request. */
  note(
    account: Account,
    windowSeconds: number,
    tag: string,
    sends: readonly RecentSend[],
    time: StoreTime,
  ): Promise<NotedSends>;
}

/** For what the account did not send itself: an operator who sends again means it, and two people may get the same reply. */
export function withoutDuplicateGuard(account: Account): Account {
  return { ...account, settings: { ...account.settings, duplicateWindow: undefined } };
}

/** What a field means where it is not given, in the flows of all channels. */
const DEFAULTS: Readonly<Record<string, string>> = {
  ...{ expiryOption: '1', header: '0', copyAllowed: '0' },
  ...{ adFlag: 'Y', adult: 'N', pushAlarm: 'Y', ttl: '0' },
};

/** The same content of an RCS message is given in `content` or in `body`. */
const WAY_OF_WRITING = 'contentKind';

/** Equal messages have equal fingerprints: a default that is written out makes no other message, nor does the order of members. */
function withoutDefaults(step: Step): object {
  const said = Object.entries(step).filter(
    ([name, value]) => DEFAULTS[name] !== value && name !== WAY_OF_WRITING && !isEmpty(value),
  );
  return Object.fromEntries(said);
}

/** Variables of a brand message that are given, but none of them. */
function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Equal for messages that look the same to their recipient. */
export function fingerprintOf(to: string, flow: Flow): string {
  return sha256(JSON.stringify([to, flow.map(withoutDefaults)], inOrder));
}

export function createDuplicateGuard(deps: {
  readonly store: Pick<Store, 'recentSends'>;
  readonly clock: Clock;
}): DuplicateGuard {
  const { store, clock } = deps;
  return {
    async note({ id: account }, windowSeconds, tag, sends, time) {
      const windowMs = windowSeconds * 1000;
      const repeated = await time
        .within(store.recentSends.note({ account, tag, sends, now: clock.now(), windowMs }))
        .catch(async (error: unknown) => {
          await forget(sends);
          throw error;
        });
      const own = sends.filter(({ msgKey }) => !repeated.has(msgKey));
      return {
        repeated,
        async settle(accepting) {
          try {
            const result = await accepting();
            // What was sent under the key is the message of another call.
            const isUnsent =
              result instanceof Replayed || (result instanceof Problem && result.code !== 'A920');
            if (isUnsent) await forget(own);
            return result;
          } catch (error) {
            if (!isInDoubt(error)) await forget(own);
            throw error;
          }
        },
      };

      /** What cannot be forgotten now stops counting by itself, since no message belongs to it. */
      async function forget(unsent: readonly RecentSend[]): Promise<void> {
        await store.recentSends.forget(account, unsent).catch(() => {});
      }
    },
  };
}
