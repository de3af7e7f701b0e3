/** `bongsu operator …`: named operators and their tokens. */
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import {
  DEFAULT_LIFETIME_DAYS,
  INVITATION_HOURS,
  isLifetime,
  LONGEST_LIFETIME_DAYS,
  OPERATOR_NAME_FORM,
  parseOperatorName,
} from '../domain/operator/operator-token.ts';
import { ROLES, type Role } from '../domain/operator/role.ts';
import type { OperatorView } from '../operations/operators.ts';
import { operatorCommand, type PlaceOptions, withNewTools, withTools } from './operator.ts';
import { formatPairs, formatTable, print } from './output.ts';
import type { CommandTools } from './tools.ts';

type Call = CommandTools['call'];

interface AddOptions extends PlaceOptions {
  readonly role: Role;
  readonly expires: number;
}

export function addOperatorCommands(program: Command, env: NodeJS.ProcessEnv): void {
  const group = program.command('operator').description('named operators: their roles and tokens');

  const add = operatorCommand(
    group.command('add').argument('<name>', 'name of the operator', parseName),
    'add an operator; the token is shown only once',
    ['operator add kim --role operator', 'operator add "on call" --role viewer --expires 7d'],
  );
  addNewOptions(add).action(async (name: string, options: AddOptions) => {
    const added = await withNewTools(env, options, ({ call }) =>
      call('POST /operators', { name, role: options.role, lifetimeDays: options.expires }),
    );
    print(options, added, () =>
      formatPairs({
        operator: `${added.name} (${added.role}), id ${added.id}`,
        expires: added.expiresAt,
        token: `${added.token}    (shown only once)`,
      }),
    );
  });

  const invite = operatorCommand(
    group.command('invite').argument('<name>', 'name of the operator', parseName),
    `invite an operator; the link works once, for ${INVITATION_HOURS} hours`,
    ['operator invite kim --role operator'],
  );
  addNewOptions(invite).action(async (name: string, options: AddOptions) => {
    const { link, ...invited } = await withNewTools(env, options, ({ call }) =>
      call('POST /invitations', { name, role: options.role, lifetimeDays: options.expires }),
    );
    print(options, { ...invited, link }, () =>
      formatPairs({
        operator: `${invited.name} (${invited.role}), id ${invited.id}`,
        expires: invited.expiresAt,
        link: `${link}    (shown only once)`,
      }),
    );
  });

  const setRole = operatorCommand(
    group
      .command('set-role')
      .argument('<name>', 'name of the operator, or the id')
      .addArgument(new Argument('<role>', 'what the operator may do').choices(ROLES)),
    'change the role of an operator; it applies from the next call',
    ['operator set-role kim admin'],
  );
  setRole.action(async (given: string, role: Role, options: PlaceOptions) => {
    const changed = await withTools(env, options, async ({ call }) =>
      call('PATCH /operators/{operatorId}', { operatorId: await idOf(call, given), role }),
    );
    print(options, changed, () => `operator ${changed.name} has the role ${changed.role}`);
  });

  const list = operatorCommand(
    group.command('list'),
    'list the operators, including those whose token has expired',
    ['operator list --json'],
  );
  list.action((options: PlaceOptions) =>
    withTools(env, options, async ({ call, where }) => {
      const { operators: views } = await call('GET /operators', {});
      print(options, views, () => (views.length === 0 ? `no operators in ${where}` : listTable(views)));
    }),
  );

  const revoke = operatorCommand(
    group.command('revoke').argument('<name>', 'name of the operator, or the id'),
    'revoke the token and the sessions of an operator on every node, or withdraw an invitation',
    ['operator revoke kim'],
  );
  revoke.action(async (given: string, options: PlaceOptions) => {
    const revoked = await withTools(env, options, async ({ call }) =>
      call('DELETE /operators/{operatorId}', { operatorId: await idOf(call, given) }),
    );
    print(options, revoked, () => `token of operator ${revoked.name} revoked`);
  });
}

function addNewOptions(command: Command): Command {
  return command
    .addOption(new Option('--role <role>', 'what the operator may do').choices(ROLES).makeOptionMandatory())
    .addOption(
      new Option('--expires <days>', 'lifetime of the token, such as 90d')
        .argParser(parseLifetime)
        .default(DEFAULT_LIFETIME_DAYS, `${DEFAULT_LIFETIME_DAYS}d`),
    );
}

/** Of whoever has, or will have, a token under this name; a text that is no name may be an id. */
async function idOf(call: Call, given: string): Promise<string> {
  const { operators } = await call('GET /operators', {});
  const current = operators.filter(({ state }) => state === 'active' || state === 'invited');
  return current.find(({ name }) => name === given.normalize('NFKC').trim())?.id ?? given;
}

function parseName(given: string): string {
  const name = parseOperatorName(given);
  if (name === undefined) throw new InvalidArgumentError(`Expected ${OPERATOR_NAME_FORM}.`);
  return name;
}

function parseLifetime(given: string): number {
  const days = Number(/^(\d{1,4})d$/.exec(given)?.[1]);
  if (!isLifetime(days)) {
    throw new InvalidArgumentError(`Expected days such as 90d, from 1d to ${LONGEST_LIFETIME_DAYS}d.`);
  }
  return days;
}

function listTable(views: readonly OperatorView[]): string {
  const rows = views.map(({ id, name, role, state, createdBy, expiresAt, lastUsedAt }) => [
    ...[name, role, state, expiresAt, lastUsedAt ?? '-', createdBy, id],
  ]);
  return formatTable(['name', 'role', 'token', 'expires', 'last used', 'added by', 'id'], rows);
}
