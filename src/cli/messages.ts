/** `bongsu messages …`: finding messages, and the history of one. Masks as the console does. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CHANNELS } from '../domain/channels/channel.ts';
import { STEP_STATES } from '../domain/delivery/lifecycle.ts';
import { parseAccountArgument } from './account-argument.ts';
import { addMessagesCancel } from './messages-cancel.ts';
import { addMessagesSettle } from './messages-settle.ts';
import { operatorCommand, type PlaceOptions, withTools } from './operator.ts';
import { formatPairs, formatTable, print } from './output.ts';

interface SearchOptions extends PlaceOptions {
  readonly limit: number;
  readonly cursor?: string;
}

const DEFAULT_LIMIT = 20;
const MOST = 200;
const FILTERS = [
  'to',
  'account',
  'ref',
  'groupKey',
  'channel',
  'state',
  'code',
  'from',
  'until',
  'cursor',
] as const;

export function addMessagesCommands(program: Command, env: NodeJS.ProcessEnv): void {
  const group = program.command('messages').description('find, show, cancel and settle messages');

  const search = operatorCommand(
    group.command('search'),
    'list messages that meet every filter given, newest first',
    [
      'messages search --to 010-1234-5678',
      'messages search --account shop --state failed --from 2026-03-02T00:00:00+09:00',
      'messages search --code 23001 --json',
    ],
  );
  search
    .option('--to <number>', 'recipient: the whole number, however it is written')
    .option('--account <id>', 'of this account', parseAccountArgument)
    .option('--ref <ref>', 'with this reference of the client')
    .option('--group-key <group>', 'with this group of the client')
    .addOption(new Option('--channel <channel>', 'with this channel in its flow').choices(CHANNELS))
    .addOption(new Option('--state <state>', 'in this state').choices(STEP_STATES))
    .option('--code <code>', 'with this report code')
    .option('--from <time>', 'accepted at or after, ISO 8601 with offset')
    .option('--until <time>', 'accepted before')
    .option('--limit <n>', `maximum number of messages to list, up to ${MOST}`, parseLimit, DEFAULT_LIMIT)
    .option('--cursor <next>', 'continue after the "next" of an earlier answer');
  search.action((options: SearchOptions & Readonly<Record<string, unknown>>) =>
    withTools(env, options, async ({ messages, where }) => {
      const given = FILTERS.filter(name => options[name] !== undefined);
      const filters = Object.fromEntries(given.map(name => [name, options[name]]));
      const found = await messages.find(filters, options.limit);
      print(options, found, () => {
        if (found.messages.length === 0) return `no such messages in ${where}`;
        const rows = found.messages.map(message => [
          message.msgKey,
          message.account,
          message.to,
          message.channels.join(' > '),
          message.state,
          message.code ?? '-',
          message.carrier ?? '-',
          message.acceptedAt,
          message.ref ?? '-',
        ]);
        const columns = [
          'msgKey',
          'account',
          'to',
          'channels',
          'state',
          'code',
          'carrier',
          'accepted',
          'ref',
        ];
        const more = found.next === null ? '' : `\n\nmore with --cursor ${found.next}`;
        return `${formatTable(columns, rows)}${more}`;
      });
    }),
  );

  addMessagesCancel(group, env);
  addMessagesSettle(group, env);

  const show = operatorCommand(
    group.command('show').argument('<msg-key>', 'msgKey of the message'),
    'show the state and the history of one message',
    ['messages show 01KEXAMPLE', 'messages show 01KEXAMPLE --json'],
  );
  show.action((msgKey: string, options: PlaceOptions) =>
    withTools(env, options, async ({ messages }) => {
      const message = await messages.detail(msgKey);
      print(options, message, () => {
        const facts = formatPairs({
          msgKey: message.msgKey,
          account: message.account,
          to: message.to,
          channels: message.flow.map(({ channel }) => channel).join(' > '),
          state: message.state,
          accepted: message.acceptedAt,
          ref: message.ref ?? '-',
        });
        const rows = message.timeline.map(({ at, step, attempt, event, carrier, code, why }) => [
          at,
          String(step + 1),
          attempt ? String(attempt) : '-',
          event,
          carrier ?? '-',
          code ?? '-',
          why ?? '',
        ]);
        const columns = ['at', 'step', 'attempt', 'event', 'carrier', 'code', 'why'];
        return `${facts}\n\n${formatTable(columns, rows)}`;
      });
    }),
  );
}

function parseLimit(value: string): number {
  const limit = /^\d{1,3}$/.test(value) ? Number(value) : 0;
  if (limit < 1 || limit > MOST) throw new InvalidArgumentError(`Expected a whole number from 1 to ${MOST}.`);
  return limit;
}
