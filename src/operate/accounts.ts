/** The operator's side: accounts, the queue, chaos in the simulated network. */
import { type Account, type AccountSettings, DEFAULT_ACCOUNT_SETTINGS } from '../domain/account/account.ts';
import { type Chaos, NO_CHAOS, parseChaos } from '../domain/delivery/chaos.ts';
import type { AccountId } from '../domain/ids.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Clock } from '../platform/clock.ts';
import { hashPassword } from '../platform/password.ts';
import type { MessageView, QueueDepth, SetAside, Store } from '../store/store.ts';

const MOST_SET_ASIDE = 100;

export type Operator = ReturnType<typeof createOperator>;

export function createOperator(deps: {
  readonly store: Store;
  readonly clock: Clock;
  /** Hands chaos settings to the simulated networks. */
  readonly applyChaos: (chaos: Chaos) => void;
}) {
  const { store, clock, applyChaos } = deps;
  let chaos = NO_CHAOS;

  return {
    async createAccount(
      id: AccountId,
      password: string,
      changes: Partial<AccountSettings> = {},
    ): Promise<boolean> {
      return store.accounts.create({
        id,
        passwordHash: await hashPassword(password),
        blocked: false,
        createdAt: clock.now(),
        settings: { ...DEFAULT_ACCOUNT_SETTINGS, ...changes },
      });
    },
    listAccounts: (): Promise<Account[]> => store.accounts.list(),
    findAccount: (id: AccountId): Promise<Account | undefined> => store.accounts.find(id),
    changeSettings: (id: AccountId, changes: Partial<AccountSettings>): Promise<boolean> =>
      store.accounts.update(id, account => ({ ...account, settings: { ...account.settings, ...changes } })),
    setBlocked: (id: AccountId, blocked: boolean): Promise<boolean> =>
      store.accounts.update(id, account => ({ ...account, blocked })),
    async setPassword(id: AccountId, password: string): Promise<boolean> {
      const passwordHash = await hashPassword(password);
      return store.accounts.update(id, account => ({ ...account, passwordHash }));
    },

    /** As the API names the phases: there `waiting` means awaiting a receipt. */
    async queue(): Promise<Omit<QueueDepth, 'heads' | 'awaitingReceipt'> & { readonly waiting: number }> {
      const { ready, claimed, awaitingReceipt, putOff, oldestReadyAt } = await store.queue.depth();
      return { ready, claimed, waiting: awaitingReceipt, putOff, oldestReadyAt };
    },
    setAside: (): Promise<SetAside[]> => store.queue.listSetAside(MOST_SET_ASIDE),
    peek: (limit: number): Promise<MessageView[]> => store.queue.peek(limit),

    chaos: (): Chaos => chaos,
    setChaos(body: unknown): Chaos | Problem {
      const parsed = parseChaos(body);
      if (parsed instanceof Problem) return parsed;
      chaos = parsed;
      applyChaos(chaos);
      return chaos;
    },
  };
}
