/** Accounts: who may send, and what they may do. */
import {
  type Account,
  type AccountSettings,
  changedSettings,
  completeSettings,
} from '../domain/account/account.ts';
import type { AccountId } from '../domain/ids.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Clock } from '../platform/clock.ts';
import { privateHost } from '../platform/outbound.ts';
import { hashPassword } from '../platform/password.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { Store } from '../store/store.ts';

/** Members and settings that are left out stay as they are. */
export interface AccountChange {
  readonly blocked?: boolean;
  readonly settings?: Partial<AccountSettings>;
  /** Settings as the caller read them. Nothing is changed if one of them is another one now. */
  readonly expected?: Partial<AccountSettings>;
}

/** What a change came to: the members and settings that are other ones now, and what they were. */
export interface AppliedChange {
  readonly change: AccountChange;
  readonly before: AccountChange;
}

export interface Accounts {
  /** Why settings cannot be given to an account that has others `before`. */
  problemOf(settings: Partial<AccountSettings>, before?: AccountSettings): Problem | undefined;
  list(): Promise<Account[]>;
  find(id: AccountId): Promise<Account | undefined>;
  /** False if there is an account with this id already. */
  create(id: AccountId, password: string, settings?: Partial<AccountSettings>): Promise<boolean>;
  /** Undefined if there is no such account. Blocking it ends all its tokens, as `revokeTokens` does. */
  change(id: AccountId, change: AccountChange): Promise<AppliedChange | Problem | undefined>;
  /** False if there is no such account. Ends all its tokens too. */
  setPassword(id: AccountId, password: string): Promise<boolean>;
  revokeTokens(id: AccountId): Promise<boolean>;
  /**
   * Deletes a blocked account that has no messages on their way. Its messages and records are kept as long as those of
   * others, and its id is never given again; everything else goes within minutes.
   */
  remove(id: AccountId): Promise<DeletedAccount | Problem>;
  /** Why an id that was refused by `create` is taken. */
  whyTaken(id: AccountId): Promise<string>;
  /** What an account has, and what it may have. */
  usage(account: Account): Promise<AccountUsageView>;
}

export interface DeletedAccount {
  readonly id: AccountId;
  /** When the last of its messages is gone. */
  readonly keptUntil: string;
}

export interface Used {
  readonly used: number;
  readonly limit: number;
}

export interface AccountUsageView {
  readonly forms: Used;
  readonly reservations: Used;
  readonly reservationRecipients: Used;
  readonly reservationBytes: Used;
  readonly files: Used;
  readonly fileBytes: Used;
  /** Counted up to MOST_COUNTED. */
  readonly tokens: Used;
}

/** Counting tokens takes longer the more there are. */
export const MOST_COUNTED = 10_000;

const DAY_MS = 86_400_000;
/** Of a setting in a refusal. */
const LONGEST_SHOWN = 100;

export function createAccounts({
  store,
  clock,
  tokensPerAccount,
  callsPrivate,
  inquiryWindowMs,
  formatTime,
}: {
  readonly store: Pick<Store, 'accounts'>;
  readonly clock: Clock;
  /** For accounts without a limit of their own. */
  readonly tokensPerAccount: number;
  /** Webhooks at private addresses are called. */
  readonly callsPrivate: boolean;
  /** How long messages are kept. */
  readonly inquiryWindowMs: number;
  readonly formatTime: FormatTime;
}): Accounts {
  return {
    problemOf({ webhookUrl }, before) {
      if (webhookUrl === undefined || webhookUrl === before?.webhookUrl || callsPrivate) return undefined;
      const host = privateHost(new URL(webhookUrl));
      return host === undefined
        ? undefined
        : new Problem(
            'A300',
            `"webhookUrl" cannot be called: ${host} is not a public address (BONGSU_WEBHOOK_PRIVATE=allow permits it)`,
          );
    },
    list: () => store.accounts.list(),
    find: async id => store.accounts.find(id),
    async create(id, password, settings = {}) {
      return store.accounts.create({
        id,
        passwordHash: await hashPassword(password),
        blocked: false,
        tokenEpoch: 0,
        createdAt: clock.now(),
        settings: completeSettings(settings),
      });
    },
    async change(id, change) {
      let applied: AppliedChange | Problem | undefined;
      await store.accounts.update(id, account => {
        const { blocked = account.blocked, settings, expected = {} } = change;
        applied = changedMeanwhile(account.settings, expected) ?? appliedTo(account, change);
        if (applied instanceof Problem) return account;
        return {
          ...account,
          blocked,
          tokenEpoch: account.tokenEpoch + (change.blocked ? 1 : 0),
          settings: changedSettings(account.settings, settings ?? {}),
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
    async remove(id) {
      const account = await store.accounts.find(id);
      if (!account) return noSuchAccount(id);
      if (!account.blocked) {
        return new Problem('A300', `Block the account "${id}" first, so that its clients stop`);
      }
      // Nothing is accepted for a blocked account, so there will not be more.
      const open = (await store.accounts.onTheWay(id, MOST_COUNTED)).length;
      if (open > 0) {
        const count = open === MOST_COUNTED ? `${open} or more` : open;
        return new Problem(
          'A300',
          `${count} messages of "${id}" are pending: delete it when they have ended`,
        );
      }
      const now = clock.now();
      const isRemoved = await store.accounts.remove(id, now);
      return isRemoved ? { id, keptUntil: formatTime(now + inquiryWindowMs + DAY_MS) } : noSuchAccount(id);
    },
    async whyTaken(id) {
      const deletedAt = await store.accounts.deletedAt(id);
      return deletedAt === undefined
        ? `There is an account "${id}" already`
        : `An account "${id}" was deleted, and its id cannot be used again: choose another id`;
    },
    async usage({ id, settings }) {
      const used = await store.accounts.usage(id, clock.now(), MOST_COUNTED);
      return {
        forms: { used: used.forms, limit: settings.formLimit },
        reservations: { used: used.reservations, limit: settings.reservationLimit },
        reservationRecipients: {
          used: used.reservationRecipients,
          limit: settings.reservationRecipients,
        },
        reservationBytes: { used: used.reservationBytes, limit: settings.reservationBytes },
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
    name => !isSame(settings[name], account.settings[name]),
  );
  const partOf = (all: Partial<AccountSettings>) =>
    names.length > 0 ? { settings: Object.fromEntries(names.map(name => [name, all[name]])) } : {};
  return {
    change: { ...(isBlockedNow && { blocked }), ...partOf(settings) },
    before: { ...(isBlockedNow && { blocked: account.blocked }), ...partOf(account.settings) },
  };
}

function changedMeanwhile(
  settings: AccountSettings,
  expected: Partial<AccountSettings>,
): Problem | undefined {
  const names = Object.keys(expected) as (keyof AccountSettings)[];
  const other = names.find(name => !isSame(settings[name], expected[name]));
  if (other === undefined) return undefined;
  const now = JSON.stringify(settings[other] ?? null).slice(0, LONGEST_SHOWN);
  return new Problem('A300', `"settings.${other}" was changed meanwhile: it is ${now} now`, { status: 409 });
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function noSuchAccount(id: string): Problem {
  return new Problem('A300', `There is no account "${id}"`, { status: 404 });
}
