/**
 * Whether a recipient has opted out of a step. Most accounts have no list, and few lists cover more than advertisements. This
 * is kept in memory, so that most messages need no query. Changes by other nodes are known a second later. The entries of an
 * account with a list are always looked up.
 */
import { isAdvertising } from '../domain/delivery/advertisement.ts';
import { type IsOptedOut, isRefused, type OptOut } from '../domain/delivery/opt-out.ts';
import type { StepInFlow } from '../domain/delivery/step-in-flow.ts';
import type { AccountId } from '../domain/ids.ts';
import { canonicalNumber } from '../domain/request/phone-number.ts';
import { backgroundTask } from '../observe/background.ts';
import type { Events } from '../observe/events.ts';
import type { Clock } from '../platform/clock.ts';
import type { OptOutList, Store } from '../store/store.ts';

export interface OptOutLists {
  readonly isOptedOut: IsOptedOut;
  hasList(account: AccountId): boolean;
  /** Whether the list of the account can be about this step. */
  covers(account: AccountId, step: StepInFlow): boolean;
  /** The entries of these recipients, by number. */
  entriesOf(account: AccountId, numbers: readonly string[]): Promise<ReadonlyMap<string, readonly OptOut[]>>;
  /** The account has entries that cover this, from now on. */
  note(list: OptOutList): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function createOptOutLists(deps: {
  readonly store: Pick<Store, 'optOuts'>;
  readonly clock: Clock;
  readonly events: Pick<Events, 'failed'>;
}): OptOutLists {
  const { store } = deps;
  // They only grow: an account that has had a list is asked for, and has none.
  const withList = new Set<AccountId>();
  const coveringAll = new Set<AccountId>();
  const queries = new Map<AccountId, { numbers: Set<string>; found: ReturnType<typeof entriesOf> }>();
  const task = backgroundTask(deps, 'read opt-out lists', refresh);

  return {
    hasList: account => withList.has(account),
    covers,
    entriesOf,
    note,
    isOptedOut(account, to, step) {
      return covers(account, step) && lookUp(account, to, step);
    },
    async start() {
      await refresh();
      task.start();
    },
    stop: () => task.stop(),
  };

  function covers(account: AccountId, step: StepInFlow): boolean {
    return withList.has(account) && (coveringAll.has(account) || isAdvertising(step));
  }

  async function lookUp(account: AccountId, to: string, step: StepInFlow): Promise<boolean> {
    const number = canonicalNumber(to);
    if (number === undefined) return false;
    return isRefused(step, (await inOneQuery(account, number)).get(number) ?? []);
  }

  /** A lane asks for many recipients in one turn. */
  function inOneQuery(account: AccountId, number: string): ReturnType<typeof entriesOf> {
    let query = queries.get(account);
    if (!query) {
      const numbers = new Set<string>();
      const found = Promise.resolve().then(() => {
        queries.delete(account);
        return entriesOf(account, [...numbers]);
      });
      query = { numbers, found };
      queries.set(account, query);
    }
    query.numbers.add(number);
    return query.found;
  }

  async function entriesOf(
    account: AccountId,
    numbers: readonly string[],
  ): Promise<ReadonlyMap<string, readonly OptOut[]>> {
    return Map.groupBy(await store.optOuts.find(account, numbers), ({ number }) => number);
  }

  function note({ account, covers: covered }: OptOutList): void {
    withList.add(account);
    if (covered === 'all') coveringAll.add(account);
  }

  async function refresh(): Promise<void> {
    for (const list of await store.optOuts.lists()) note(list);
  }
}
