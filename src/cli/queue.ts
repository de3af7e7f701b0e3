/** `bongsu queue …`: messages that are being delivered. */
import { type Command, InvalidArgumentError } from 'commander';
import { systemClock } from '../platform/clock.ts';
import { zonedTimeFormatter } from '../platform/zoned-time.ts';
import { operatorCommand, type PlaceOptions, withTools } from './operator.ts';
import { formatTable, print } from './output.ts';

const DEFAULT_PEEK = 20;
const MOST_PEEK = 1000;

export function addQueueCommands(program: Command, env: NodeJS.ProcessEnv): void {
  const group = program.command('queue').description('messages that are being delivered');

  const show = operatorCommand(
    group.command('show'),
    'show the depth by phase, and the age of the oldest message',
    ['queue show', 'queue show --json'],
  );
  show.action((options: PlaceOptions) =>
    withTools(env, options, async ({ call, timeZone }) => {
      const { oldestReadyAt, ...depth } = await call('GET /queue', {});
      // The clock of another node may be ahead.
      const headAgeMs = oldestReadyAt === undefined ? null : Math.max(0, systemClock.now() - oldestReadyAt);
      const headDueAt =
        oldestReadyAt === undefined ? null : zonedTimeFormatter(await timeZone())(oldestReadyAt);
      print(options, { ...depth, headDueAt, headAgeMs }, () => {
        const table = formatTable(
          ['phase', 'messages', 'meaning'],
          [
            ['ready', String(depth.ready), 'due, waiting for their turn'],
            [
              'put off',
              String(depth.putOff),
              'waiting for their time: a retry, or the permitted hours of an advertisement',
            ],
            ['claimed', String(depth.claimed), 'being submitted'],
            ['waiting', String(depth.waiting), 'submitted, waiting for a receipt'],
          ],
        );
        const head = headAgeMs === null ? 'none' : `${(headAgeMs / 1000).toFixed(1)} s, due ${headDueAt}`;
        return `${table}\n\noldest ready message: ${head}`;
      });
    }),
  );

  const setAside = operatorCommand(
    group.command('set-aside'),
    'list answers and receipts that could not be stored',
    ['queue set-aside', 'queue set-aside --json'],
  );
  setAside.action((options: PlaceOptions) =>
    withTools(env, options, async ({ call, timeZone }) => {
      const formatTime = zonedTimeFormatter(await timeZone());
      const entries = (await call('GET /queue/set-aside', {})).map(({ at, reason, event }) => ({
        at: formatTime(at),
        reason,
        event,
      }));
      print(options, entries, () => {
        if (entries.length === 0) return 'nothing is set aside';
        return formatTable(
          ['at', 'reason', 'event'],
          entries.map(entry => Object.values(entry)),
        );
      });
    }),
  );

  const peek = operatorCommand(group.command('peek'), 'list the oldest messages that are being delivered', [
    'queue peek',
    'queue peek --limit 100 --json',
  ]);
  peek.option('--limit <n>', 'maximum number of messages to list', parseLimit, DEFAULT_PEEK);
  peek.action((options: PlaceOptions & { readonly limit: number }) =>
    withTools(env, options, async ({ call, where }) => {
      const { messages } = await call('GET /queue/messages', { limit: String(options.limit) });
      print(options, messages, () => {
        if (messages.length === 0) return `no messages are being delivered in ${where}`;
        const columns = [
          'msgKey',
          'account',
          'to',
          'channel',
          'state',
          'step',
          'attempt',
          'accepted',
          'postponed until',
        ];
        return formatTable(
          columns,
          messages.map(message => Object.values(message).map(value => String(value ?? ''))),
        );
      });
    }),
  );
}

function parseLimit(value: string): number {
  const limit = /^\d{1,4}$/.test(value) ? Number(value) : 0;
  if (limit < 1 || limit > MOST_PEEK) {
    throw new InvalidArgumentError(`Expected a whole number from 1 to ${MOST_PEEK}.`);
  }
  return limit;
}
