/** The operator's side: accounts, messages with their history, the queue, chaos in the simulated network. */
import { type Account, type AccountSettings, DEFAULT_ACCOUNT_SETTINGS } from '../domain/account.ts';
import { type Chaos, NO_CHAOS, parseChaos } from '../domain/chaos.ts';
import { type AccountId, parseMsgKey } from '../domain/ids.ts';
import { Problem } from '../domain/problem.ts';
import { renderStep } from '../domain/substitution.ts';
import type { Clock } from '../platform/clock.ts';
import { isSameSecret, sha256 } from '../platform/hashing.ts';
import { hashPassword } from '../platform/password.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { MessageView, QueueDepth, Store } from '../store/store.ts';

export type Operator = ReturnType<typeof createOperator>;

/** The name under which a generated admin token's hash is remembered. */
export const ADMIN_TOKEN_HASH = 'adminTokenHash';

export function createOperator(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly formatTime: FormatTime;
  readonly adminToken: string | undefined;
  /** Hands chaos settings to the simulated networks. */
  readonly applyChaos: (chaos: Chaos) => void;
}) {
  const { store, clock, formatTime, adminToken, applyChaos } = deps;
  let chaos = NO_CHAOS;

  return {
    async isOperator(authorization: string | undefined): Promise<boolean> {
      const token = /^\s*bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1];
      if (token === undefined) return false;
      const expected = adminToken ? sha256(adminToken) : await store.accounts.recall(ADMIN_TOKEN_HASH);
      return expected !== undefined && isSameSecret(sha256(token), expected);
    },

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

    queue: (): Promise<QueueDepth> => store.queue.depth(),
    peek: (limit: number): Promise<MessageView[]> => store.queue.peek(limit),

    /** One message: what was asked, where it stands, and everything that happened to it. */
    async message(key: string): Promise<object | Problem> {
      const msgKey = parseMsgKey(key);
      const message = msgKey && (await store.messages.find(msgKey));
      if (!message) return new Problem('A300', 'There is no such message', { status: 404 });
      const { acceptedAt, history, words, ...rest } = message;
      return {
        ...rest,
        ...(words && { replaceWords: words }),
        /** Every step as the recipient gets it. */
        rendered: message.flow.map(step => renderStep(step, words)),
        acceptedAt: formatTime(acceptedAt),
        timeline: history.map(entry => ({ ...entry, at: formatTime(entry.at) })),
      };
    },

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
