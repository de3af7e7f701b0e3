/** `bongsu inbound …`: what people send to numbers of accounts, what is nobody's, and a handset of the sandbox. */
import { type Command, InvalidArgumentError } from 'commander';
import { parseAccountArgument } from './account-argument.ts';
import { operatorCommand, type PlaceOptions, withTools } from './operator.ts';
import { formatTable, print } from './output.ts';

interface ListOptions extends PlaceOptions {
  readonly account?: string;
  readonly unmatched?: boolean;
  readonly from?: string;
  readonly to?: string;
  readonly cursor?: string;
  readonly limit: number;
}

const DEFAULT_LIMIT = 20;
const MOST = 200;

export function addInboundCommands(program: Command, env: NodeJS.ProcessEnv): void {
  const group = program.command('inbound').description('messages received on account numbers');

  const list = operatorCommand(group.command('list'), 'list inbound messages, newest first', [
    'inbound list --account shop',
    'inbound list --unmatched',
    'inbound list --from 010-1234-5678 --json',
  ]);
  list
    .option('--account <id>', 'of this account', parseAccountArgument)
    .option('--unmatched', 'to numbers that are not registered')
    .option('--from <number>', 'sender: the whole number, however it is written')
    .option('--to <number>', 'to this number')
    .option('--limit <n>', `maximum number of messages to list, up to ${MOST}`, parseLimit, DEFAULT_LIMIT)
    .option('--cursor <next>', 'continue after the "next" of an earlier answer');
  list.action((options: ListOptions) =>
    withTools(env, options, async ({ inbound, where }) => {
      const { from, to, cursor } = options;
      const account = options.unmatched ? 'none' : options.account;
      const found = await inbound.list({ account, from, to, cursor }, options.limit);
      print(options, found, () => {
        if (found.messages.length === 0) return `no inbound messages in ${where}`;
        const rows = found.messages.map(message => [
          message.msgKey,
          message.account ?? '-',
          message.from,
          message.to,
          message.handover,
          message.receivedAt,
          message.text ?? '-',
        ]);
        const table = formatTable(['msgKey', 'account', 'from', 'to', 'handover', 'received', 'text'], rows);
        return found.next === null ? table : `${table}\nmore: --cursor ${found.next}`;
      });
    }),
  );

  const assign = operatorCommand(
    group
      .command('assign')
      .argument('<msgKey>', 'key of a message that matches no account')
      .argument('<account>', 'account that gets it', parseAccountArgument),
    'give an unmatched message to an account',
    ['inbound assign 06C3Q8ZD9GYYRC3W1V5N2X4K7M0PT0AB shop'],
  );
  assign.action((msgKey: string, account: string, options: PlaceOptions) =>
    withTools(env, options, async ({ inbound }) => {
      const message = await inbound.assign(msgKey, account);
      print(options, message, () => `${message.msgKey} belongs to ${account}`);
    }),
  );

  const simulate = operatorCommand(
    group
      .command('simulate')
      .argument('<from>', 'number of the handset')
      .argument('<to>', 'number that receives the message')
      .argument('<text>', 'text of the message'),
    'simulate an inbound message',
    ['inbound simulate 01012345678 15881234 "When do you open?"'],
  );
  simulate.action((from: string, to: string, text: string, options: PlaceOptions) =>
    withTools(env, options, async ({ inbound }) => {
      const said = await inbound.simulate({ from, to, text });
      print(options, said, () => `${said.msgKey} ${said.account ?? 'matches no account'}`);
    }),
  );
}

function parseLimit(text: string): number {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MOST) throw new InvalidArgumentError(`expected a number from 1 to ${MOST}`);
  return limit;
}
