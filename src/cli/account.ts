/** `bongsu account …`: works on the store directly, so a running server sees a change with the next call. */
import type { Command } from 'commander';
import type { Accounts } from '../composition/operator-tools.ts';
import type { Config } from '../config/config.ts';
import type { Account } from '../domain/account/account.ts';
import { type AccountView, accountView } from '../domain/account/account-settings.ts';
import type { AccountId } from '../domain/ids.ts';
import { Problem } from '../domain/request/problem.ts';
import { zonedTimeFormatter } from '../platform/zoned-time.ts';
import { parseAccountArgument } from './account-argument.ts';
import {
  accountLines,
  addSettingOptions,
  changesOf,
  type SettingOptions,
  usageLines,
} from './account-settings.ts';
import { assertAnswerable, type ConfirmOptions, isConfirmed } from './confirm.ts';
import { Failure, warn } from './failure.ts';
import { addPasswordOption, newPassword, type PasswordOptions, withPassword } from './new-password.ts';
import { describeStore, withNewStore, withOperator } from './operator.ts';
import { describeCommand, formatPairs, formatTable, type OutputOptions, print } from './output.ts';

export function addAccountCommands(program: Command, env: NodeJS.ProcessEnv): void {
  const group = program.command('account').description('accounts: create, change, block, delete');

  const create = describeCommand(commandOnId('create'), 'create an account', [
    'account create shop',
    'account create shop --channels sms,international --send-rate 50',
    'account create shop --password-stdin < password.txt',
  ]);
  addSettingOptions(addPasswordOption(create)).action(
    async (id: AccountId, options: OutputOptions & PasswordOptions & SettingOptions) => {
      const given = await newPassword(options);
      const create = async (accounts: Accounts) => {
        const isCreated = await accounts.create(id, given.password, changesOf(options));
        if (!isCreated) throw new Failure(`account "${id}" already exists`);
      };
      const view = await withNewStore(env, (operator, config) =>
        doAndRead(id, operator.accounts, config, create),
      );
      print(options, { ...view, ...given.shown }, () => withPassword(`account ${id} created`, given));
      warnOfWebhook(view);
    },
  );

  const set = describeCommand(
    commandOnId('set'),
    'change settings; those that are left out stay as they are',
    ['account set shop --no-pull --send-rate none', 'account set shop --channels all'],
  );
  addSettingOptions(set).action(async (id: AccountId, options: OutputOptions & SettingOptions) => {
    const view = await withAccount(id, accounts => accounts.change(id, { settings: changesOf(options) }));
    print(options, view, () => formatPairs(accountLines(view)));
    warnOfWebhook(view);
  });

  const setPassword = describeCommand(commandOnId('set-password'), 'give an account a new password', [
    'account set-password shop',
    'account set-password shop --password-stdin < password.txt',
  ]);
  addPasswordOption(setPassword).action(async (id: AccountId, options: OutputOptions & PasswordOptions) => {
    const given = await newPassword(options);
    await withAccount(id, accounts => accounts.setPassword(id, given.password));
    print(options, { id, ...given.shown }, () => withPassword(`password of account ${id} changed`, given));
  });

  const revokeTokens = describeCommand(
    commandOnId('revoke-tokens'),
    'end all tokens of an account, on every node; its password stays',
    ['account revoke-tokens shop'],
  );
  revokeTokens.action(async (id: AccountId, options: OutputOptions) => {
    const view = await withAccount(id, accounts => accounts.revokeTokens(id));
    print(options, view, () => `tokens of account ${id} revoked`);
  });

  const block = describeCommand(commandOnId('block'), 'refuse its calls (A110) and end all its tokens', [
    'account block shop',
  ]);
  block.action((id: AccountId, options: OutputOptions) => setBlocked(id, true, options));

  const unblock = describeCommand(commandOnId('unblock'), 'accept its calls again', ['account unblock shop']);
  unblock.action((id: AccountId, options: OutputOptions) => setBlocked(id, false, options));

  const remove = describeCommand(
    commandOnId('delete'),
    'delete a blocked account; its messages stay as long as those of others',
    ['account delete shop', 'account delete shop --yes'],
  );
  remove.option('--yes', 'do not ask');
  remove.action(async (id: AccountId, options: OutputOptions & ConfirmOptions) => {
    assertAnswerable(options, 'deleted');
    const deleted = await withOperator(env, async ({ accounts }, config) => {
      await readAccount(id, accounts, config);
      const question = `Delete ${id} with its tokens, forms, registry and files? This cannot be undone.`;
      if (!options.yes && !(await isConfirmed(question))) throw new Failure('nothing was deleted');
      return accounts.remove(id);
    });
    if (deleted instanceof Problem) throw new Failure(deleted.result);
    print(options, deleted, () => `account ${id} deleted; its messages are kept until ${deleted.keptUntil}`);
  });

  const show = describeCommand(commandOnId('show'), 'show one account', ['account show shop --json']);
  show.action(async (id: AccountId, options: OutputOptions) => {
    const { view, usage } = await withOperator(env, async ({ accounts }, config) => {
      const account = await readAccount(id, accounts, config);
      const formatTime = zonedTimeFormatter(config.timeZone);
      return { view: accountView(account, formatTime), usage: await accounts.usage(account) };
    });
    print(options, { ...view, usage }, () => formatPairs({ ...accountLines(view), ...usageLines(usage) }));
  });

  const list = describeCommand(group.command('list'), 'list the accounts', ['account list --json']);
  list.action((options: OutputOptions) =>
    withOperator(env, async ({ accounts }, config) => {
      const formatTime = zonedTimeFormatter(config.timeZone);
      const views = (await accounts.list()).map(account => accountView(account, formatTime));
      print(options, views, () =>
        views.length === 0 ? `no accounts in ${describeStore(config)}` : listTable(views),
      );
    }),
  );

  function commandOnId(name: string): Command {
    return group.command(name).argument('<id>', 'account id', parseAccountArgument);
  }

  async function setBlocked(id: AccountId, blocked: boolean, options: OutputOptions): Promise<void> {
    const view = await withAccount(id, accounts => accounts.change(id, { blocked }));
    print(options, view, () => `account ${id} is ${blocked ? 'blocked' : 'not blocked'}`);
  }

  /** Does `work`, then reads the account. An account that does not exist is a failure. */
  function withAccount(id: AccountId, work: (accounts: Accounts) => Promise<unknown>): Promise<AccountView> {
    return withOperator(env, ({ accounts }, config) => doAndRead(id, accounts, config, work));
  }
}

async function doAndRead(
  id: AccountId,
  accounts: Accounts,
  config: Config,
  work: (accounts: Accounts) => Promise<unknown>,
): Promise<AccountView> {
  await work(accounts);
  const account = await readAccount(id, accounts, config);
  return accountView(account, zonedTimeFormatter(config.timeZone));
}

async function readAccount(id: AccountId, accounts: Accounts, config: Config): Promise<Account> {
  const account = await accounts.find(id);
  if (!account) throw new Failure(`there is no account "${id}" in ${describeStore(config)}`);
  return account;
}

function listTable(views: readonly AccountView[]): string {
  const columns = [
    'account',
    'blocked',
    'pull',
    'channels',
    'send rate',
    'call rate',
    'report mode',
    'created',
  ];
  const rows = views.map(view => {
    const lines = accountLines(view);
    return columns.map(column => lines[column] ?? '');
  });
  return formatTable(columns, rows);
}

function warnOfWebhook({ id, settings }: AccountView): void {
  const isMissing = settings.reportMode === 'webhook' && settings.webhookUrl === null;
  if (isMissing) warn(`account ${id} has no webhook URL: set one with --webhook-url`);
}
