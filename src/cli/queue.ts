/** `bongsu queue …`: messages that are being delivered, read from the store. */
import { type Command, InvalidArgumentError } from 'commander';
import { maskNumber } from '../domain/request/phone-number.ts';
import { systemClock } from '../platform/clock.ts';
import { zonedTimeFormatter } from '../platform/zoned-time.ts';
import { describeStore, withOperator } from './operator.ts';
import { describeCommand, formatTable, type OutputOptions, print } from './output.ts';

const DEFAULT_PEEK = 20;
const MOST_PEEK = 1000;

export function addQueueCommands(program: Command, env: NodeJS.ProcessEnv): void {
  const group = program.command('queue').description('messages that are being delivered');

  const show = describeCommand(
    group.command('show'),
    'show the depth by phase, and the age of the oldest message',
    ['queue show', 'queue show --json'],
  );
  show.action((options: OutputOptions) =>
    withOperator(env, async ({ queue }, config) => {
      const { oldestReadyAt, ...depth } = await queue.depth();
      // The clock of another node may be ahead.
      const headAgeMs = oldestReadyAt === undefined ? null : Math.max(0, systemClock.now() - oldestReadyAt);
      const headDueAt =
        oldestReadyAt === undefined ? null : zonedTimeFormatter(config.timeZone)(oldestReadyAt);
      print(options, { ...depth, headDueAt, headAgeMs }, () => {
        const table = formatTable(
          ['phase', 'messages', 'meaning'],
          [
            ['ready', String(depth.ready), 'due, waiting for their turn'],
            ['put off', String(depth.putOff), 'waiting for a retry'],
            ['claimed', String(depth.claimed), 'being submitted'],
            ['waiting', String(depth.waiting), 'submitted, waiting for a receipt'],
          ],
        );
        const head = headAgeMs === null ? 'none' : `${(headAgeMs / 1000).toFixed(1)} s, due ${headDueAt}`;
        return `${table}\n\noldest ready message: ${head}`;
      });
    }),
  );

  const setAside = describeCommand(
    group.command('set-aside'),
    'list answers and receipts that could not be stored',
    ['queue set-aside', 'queue set-aside --json'],
  );
  setAside.action((options: OutputOptions) =>
    withOperator(env, async ({ queue }, config) => {
      const formatTime = zonedTimeFormatter(config.timeZone);
      const entries = (await queue.setAside()).map(({ at, reason, event }) => ({
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

  const peek = describeCommand(group.command('peek'), 'list the oldest messages that are being delivered', [
    'queue peek',
    'queue peek --limit 100 --json',
  ]);
  peek.option('--limit <n>', 'most messages to list', parseLimit, DEFAULT_PEEK);
  peek.action((options: OutputOptions & { readonly limit: number }) =>
    withOperator(env, async ({ queue }, config) => {
      const formatTime = zonedTimeFormatter(config.timeZone);
      const messages = (await queue.peek(options.limit)).map(message => ({
        msgKey: message.msgKey,
        account: message.account,
        to: maskNumber(message.to),
        channel: message.flow[message.step]?.channel ?? '-',
        state: message.state,
        step: message.step,
        attempt: message.attempt,
        acceptedAt: formatTime(message.acceptedAt),
      }));
      print(options, messages, () => {
        if (messages.length === 0) return `no messages are being delivered in ${describeStore(config)}`;
        const columns = ['msgKey', 'account', 'to', 'channel', 'state', 'step', 'attempt', 'accepted'];
        return formatTable(
          columns,
          messages.map(message => Object.values(message).map(String)),
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
