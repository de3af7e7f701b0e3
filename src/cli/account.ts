/** `bongsu account …`: accounts, in the store of this machine or on a gateway. Nodes see a change with the next call. */
import type { Command } from 'commander';
import type { AccountView } from '../domain/account/account-settings.ts';
import type { AccountId } from '../domain/ids.ts';
import { parseAccountArgument } from './account-argument.ts';
import {
  accountLines,
  addSettingOptions,
  changesOf,
  type SettingOptions,
  usageLines,
} from './account-settings.ts';
import { assertAnswerable, type ConfirmOptions, isConfirmed } from './confirm.ts';
import { Failure, WrongUsage, warn } from './failure.ts';
import { addPasswordOption, newPassword, type PasswordOptions, withPassword } from './new-password.ts';
import { operatorCommand, type PlaceOptions, withNewTools, withTools } from './operator.ts';
import { formatPairs, formatTable, print } from './output.ts';
import type { CommandTools } from './tools.ts';

type Accounts = CommandTools['accounts'];

export function addAccountCommands(program: Command, env: NodeJS.ProcessEnv): void {
  const group = program.command('account').description('accounts: create, change, block, delete');

  const create = operatorCommand(commandOnId('create'), 'create an account', [
    'account create shop',
    'account create shop --channels sms,international --send-rate 50',
    'account create shop --password-stdin < password.txt',
  ]);
  addSettingOptions(addPasswordOption(create)).action(
    async (id: AccountId, options: PlaceOptions & PasswordOptions & SettingOptions) => {
      const given = await passwordOf(options);
      const view = await withNewTools(env, options, ({ accounts }) =>
        accounts.create(id, given.password, changesOf(options)),
      );
      print(options, { ...view, ...given.shown }, () => withPassword(`account ${id} created`, given));
      warnOfWebhook(view);
    },
  );

  const set = operatorCommand(
    commandOnId('set'),
    'change settings; settings without an option do not change',
    ['account set shop --no-pull --send-rate none', 'account set shop --channels all'],
  );
  addSettingOptions(set).action(async (id: AccountId, options: PlaceOptions & SettingOptions) => {
    const view = await withAccounts(options, accounts =>
      accounts.change(id, { settings: changesOf(options) }),
    );
    print(options, view, () => formatPairs(accountLines(view)));
    warnOfWebhook(view);
  });

  const setPassword = operatorCommand(commandOnId('set-password'), 'give an account a new password', [
    'account set-password shop',
    'account set-password shop --password-stdin < password.txt',
  ]);
  addPasswordOption(setPassword).action(async (id: AccountId, options: PlaceOptions & PasswordOptions) => {
    const given = await passwordOf(options);
    await withAccounts(options, accounts => accounts.setPassword(id, given.password));
    print(options, { id, ...given.shown }, () => withPassword(`password of account ${id} changed`, given));
  });

  const revokeTokens = operatorCommand(
    commandOnId('revoke-tokens'),
    'revoke all tokens of an account on every node; its password does not change',
    ['account revoke-tokens shop'],
  );
  revokeTokens.action(async (id: AccountId, options: PlaceOptions) => {
    const view = await withAccounts(options, accounts => accounts.revokeTokens(id));
    print(options, view, () => `tokens of account ${id} revoked`);
  });

  const block = operatorCommand(
    commandOnId('block'),
    'block an account: refuse its calls (A110) and end all its tokens',
    ['account block shop'],
  );
  block.action((id: AccountId, options: PlaceOptions) => setBlocked(id, true, options));

  const unblock = operatorCommand(commandOnId('unblock'), 'unblock an account: accept its calls again', [
    'account unblock shop',
  ]);
  unblock.action((id: AccountId, options: PlaceOptions) => setBlocked(id, false, options));

  const remove = operatorCommand(
    commandOnId('delete'),
    'delete a blocked account; its messages are kept as long as any others',
    ['account delete shop', 'account delete shop --yes'],
  );
  remove.option('--yes', 'do not ask for confirmation');
  remove.action(async (id: AccountId, options: PlaceOptions & ConfirmOptions) => {
    assertAnswerable(options, 'deleted');
    const deleted = await withAccounts(options, async accounts => {
      await accounts.show(id);
      const question = `Delete ${id} with its tokens, forms, registry and files? This cannot be undone.`;
      if (!options.yes && !(await isConfirmed(question))) throw new Failure('nothing was deleted');
      return accounts.remove(id);
    });
    print(options, deleted, () => `account ${id} deleted; its messages are kept until ${deleted.keptUntil}`);
  });

  const show = operatorCommand(commandOnId('show'), 'show one account', ['account show shop --json']);
  show.action(async (id: AccountId, options: PlaceOptions) => {
    const { usage, ...view } = await withAccounts(options, accounts => accounts.show(id));
    print(options, { ...view, usage }, () => formatPairs({ ...accountLines(view), ...usageLines(usage) }));
  });

  const list = operatorCommand(group.command('list'), 'list the accounts', [
    'account list --json',
    'account list --url https://msg.example.com',
  ]);
  list.action((options: PlaceOptions) =>
    withTools(env, options, async ({ accounts, where }) => {
      const views = await accounts.list();
      print(options, views, () => (views.length === 0 ? `no accounts in ${where}` : listTable(views)));
    }),
  );

  function commandOnId(name: string): Command {
    return group.command(name).argument('<id>', 'account id', parseAccountArgument);
  }

  async function setBlocked(id: AccountId, blocked: boolean, options: PlaceOptions): Promise<void> {
    const view = await withAccounts(options, accounts => accounts.change(id, { blocked }));
    print(options, view, () => `account ${id} is ${blocked ? 'blocked' : 'not blocked'}`);
  }

  function withAccounts<T>(options: PlaceOptions, work: (accounts: Accounts) => Promise<T>): Promise<T> {
    return withTools(env, options, ({ accounts }) => work(accounts));
  }
}

/** Standard input has room for one secret. */
function passwordOf(options: PlaceOptions & PasswordOptions): ReturnType<typeof newPassword> {
  if (options.passwordStdin && options.tokenStdin) {
    throw new WrongUsage('--password-stdin and --token-stdin both read standard input');
  }
  return newPassword(options);
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
