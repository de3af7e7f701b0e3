/** Accounts: who may send, and what they may do. */
import { type Account, type AccountSettings, DEFAULT_ACCOUNT_SETTINGS } from '../domain/account/account.ts';
import type { AccountId } from '../domain/ids.ts';
import type { Clock } from '../platform/clock.ts';
import { hashPassword } from '../platform/password.ts';
import type { Store } from '../store/store.ts';

/** Members and settings that are left out stay as they are. */
export interface AccountChange {
  readonly blocked?: boolean;
  readonly settings?: Partial<AccountSettings>;
}

/** What a change came to: the members and settings that are other ones now, and what they were. */
export interface AppliedChange {
  readonly change: AccountChange;
  readonly before: AccountChange;
}

export interface Accounts {
  list(): Promise<Account[]>;
  find(id: AccountId): Promise<Account | undefined>;
  /** False if there is an account with this id already. */
  create(id: AccountId, password: string, settings?: Partial<AccountSettings>): Promise<boolean>;
  /** Undefined if there is no such account. Blocking it ends all its tokens, as `revokeTokens` does. */
  change(id: AccountId, change: AccountChange): Promise<AppliedChange | undefined>;
  /** False if there is no such account. Ends all its tokens too. */
  setPassword(id: AccountId, password: string): Promise<boolean>;
  revokeTokens(id: AccountId): Promise<boolean>;
  /** What an account has, and what it may have. */
  usage(account: Account): Promise<AccountUsageView>;
}

export interface Used {
  readonly used: number;
  readonly limit: number;
}

export interface AccountUsageView {
  readonly forms: Used;
  readonly files: Used;
  readonly fileBytes: Used;
  /** Counted up to MOST_COUNTED. */
  readonly tokens: Used;
}

/** Counting tokens takes longer the more there are. */
export const MOST_COUNTED = 10_000;

export function createAccounts({
  store,
  clock,
  tokensPerAccount,
}: {
  readonly store: Pick<Store, 'accounts'>;
  readonly clock: Clock;
  /** For accounts without a limit of their own. */
  readonly tokensPerAccount: number;
}): Accounts {
  return {
    list: () => store.accounts.list(),
    find: id => store.accounts.find(id),
    async create(id, password, settings = {}) {
      return store.accounts.create({
        id,
        passwordHash: await hashPassword(password),
        blocked: false,
        tokenEpoch: 0,
        createdAt: clock.now(),
        settings: { ...DEFAULT_ACCOUNT_SETTINGS, ...settings },
      });
    },
    async change(id, change) {
      let applied: AppliedChange | undefined;
      await store.accounts.update(id, account => {
        const { blocked = account.blocked, settings } = change;
        applied = appliedTo(account, change);
        return {
          ...account,
          blocked,
          tokenEpoch: account.tokenEpoch + (change.blocked ? 1 : 0),
          settings: { ...account.settings, ...settings },
        };
      });
      return applied;
    },
    async setPassword(id, password) {
      const passwordHash = await hashPassword(password);
      return store.accounts.update(id, account => ({
        ...account,
        passwordHash,
        tokenEpoch: account.tokenEpoch + 1,
      }));
    },
    revokeTokens: id =>
      store.accounts.update(id, account => ({ ...account, tokenEpoch: account.tokenEpoch + 1 })),
    async usage({ id, settings }) {
      const used = await store.accounts.usage(id, clock.now(), MOST_COUNTED);
      return {
        forms: { used: used.forms, limit: settings.formLimit },
        files: { used: used.files, limit: settings.fileLimit },
        fileBytes: { used: used.fileBytes, limit: settings.fileBytes },
        tokens: { used: used.tokens, limit: settings.tokenLimit ?? tokensPerAccount },
      };
    },
  };
}

function appliedTo(account: Account, { blocked, settings = {} }: AccountChange): AppliedChange {
  const isBlockedNow = blocked !== undefined && blocked !== account.blocked;
  const names = (Object.keys(settings) as (keyof AccountSettings)[]).filter(
    name => JSON.stringify(settings[name]) !== JSON.stringify(account.settings[name]),
  );
  const partOf = (all: Partial<AccountSettings>) =>
    names.length > 0 ? { settings: Object.fromEntries(names.map(name => [name, all[name]])) } : {};
  return {
    change: { ...(isBlockedNow && { blocked }), ...partOf(settings) },
    before: { ...(isBlockedNow && { blocked: account.blocked }), ...partOf(account.settings) },
  };
}
