/** The tools of a command on the store of this machine. */
import type { OperatorTools } from '../composition/operator-tools.ts';
import type { Config } from '../config/config.ts';
import { type AccountView, accountView } from '../domain/account/account-settings.ts';
import type { AccountId } from '../domain/ids.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Address } from '../operations/operation.ts';
import type { CallOperation } from '../operations/operations.ts';
import { readVersion } from '../platform/version.ts';
import { zonedTimeFormatter } from '../platform/zoned-time.ts';
import { Failure } from './failure.ts';
import type { CommandTools, Subject } from './tools.ts';

export function localTools(operator: OperatorTools, config: Config): CommandTools {
  const { accounts, messages, sight, privacy, reservations } = operator;
  const { inboundDesk } = operator;
  const formatTime = zonedTimeFormatter(config.timeZone);
  const where = describeStore(config);
  const call: CallOperation = async (address, asked) => {
    await assertPossible(address);
    return done(await operator.perform(address, asked));
  };
  return {
    where,
    call,
    timeZone: async () => config.timeZone,
    status: async () => ({
      version: readVersion(),
      mode: config.mode,
      health: undefined,
      queue: await call('GET /queue', {}),
      carriers: (await call('GET /carriers', {})).carriers,
    }),
    async consoleLink() {
      const issued = await operator.openLink();
      if (!issued) {
        throw new Failure('there is no admin token: invite an operator with "bongsu operator invite"');
      }
      return {
        link: `${operator.gatewayUrl}/console/#code=${issued.code}`,
        expiresAt: formatTime(issued.expiresAt),
      };
    },
    accounts: {
      list: async () => (await accounts.list()).map(account => accountView(account, formatTime)),
      async show(id) {
        const account = await found(id);
        return { ...accountView(account, formatTime), usage: await accounts.usage(account) };
      },
      async create(id, password, settings) {
        done(accounts.problemOf(settings));
        if (!(await accounts.create(id, password, settings))) {
          throw new Failure(`account "${id}" already exists`);
        }
        return view(id);
      },
      async change(id, change) {
        done(accounts.problemOf(change.settings ?? {}, (await accounts.find(id))?.settings));
        done(await accounts.change(id, change));
        return view(id);
      },
      async setPassword(id, password) {
        await accounts.setPassword(id, password);
        await found(id);
      },
      async revokeTokens(id) {
        await accounts.revokeTokens(id);
        return view(id);
      },
      remove: async id => done(await accounts.remove(id)),
    },
    messages: {
      find: async (filters, limit) => done(await messages.find(filters, limit, sight)),
      async detail(msgKey) {
        const message = await messages.detail(msgKey, sight);
        if (message instanceof Problem) throw new Failure(`there is no message ${msgKey} in ${where}`);
        return message;
      },
      // A gateway on SQLite has what waits in memory: only it may change it.
      async cancel() {
        throw new Failure('messages can be cancelled only on a running gateway: give --url');
      },
      async settle() {
        throw new Failure('messages can be settled only on a running gateway: give --url');
      },
    },
    privacy: {
      holdings: async subject => privacy.holdings(await known(subject)),
      async *export(subject) {
        yield* privacy.export(await known(subject));
      },
      erase: async (subject, options) => privacy.erase(await known(subject), options),
      orders: () => privacy.orders(),
    },
    inbound: {
      list: async (filters, limit) => done(await inboundDesk.list(filters, limit, sight)),
      assign: async (msgKey, account) => done(await inboundDesk.assign(msgKey, account)),
      simulate: async message => done(await inboundDesk.simulate(message)),
    },
    reservations: {
      list: async (filters, limit) => done(await reservations.list(filters, limit)),
      show: async resvKey => done(await reservations.show(resvKey, sight)),
      change: async (resvKey, change) => done(await reservations.change(resvKey, change)),
      move: async (resvKey, move) => done(await reservations.move(resvKey, move)),
    },
  };

  async function assertPossible(address: Address): Promise<void> {
    const { OPERATIONS } = await import('../operations/operations.ts');
    const needs = OPERATIONS.get(address)?.needs;
    if (needs === 'gateway') throw new Failure('only a running gateway can do it: give --url');
    if (needs === undefined || config.secrets.databaseUrl) return;
    throw new Failure('with SQLite a gateway can be drained and resumed only over HTTP: give --url');
  }

  async function found(id: AccountId) {
    const account = await accounts.find(id);
    if (!account) throw new Failure(`there is no account "${id}" in ${where}`);
    return account;
  }

  /** An account that does not exist is a failure, not an empty answer. */
  async function known(subject: Subject): Promise<Subject> {
    if (subject.account !== undefined) await found(subject.account);
    return subject;
  }

  async function view(id: AccountId): Promise<AccountView> {
    return accountView(await found(id), formatTime);
  }
}

/** Names the store, so that an empty answer says where was looked. */
function describeStore(config: Config): string {
  return config.secrets.databaseUrl ? 'the PostgreSQL database' : config.dataDir;
}

/** The result of an operation; a problem becomes a failure. */
function done<T>(result: T | Problem): T {
  if (result instanceof Problem) throw new Failure(result.result);
  return result;
}
