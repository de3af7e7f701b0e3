/** What commands on many messages have in common: keys or filters, the number first, a question, and the answer. */
import { type Command, Option } from 'commander';
import { CHANNELS } from '../domain/channels/channel.ts';
import { parseAccountArgument } from './account-argument.ts';
import { type ConfirmOptions, isConfirmed } from './confirm.ts';
import { Failure } from './failure.ts';
import type { PlaceOptions } from './operator.ts';
import type { CancelRequest } from './tools.ts';

export interface OrderOptions extends PlaceOptions, ConfirmOptions {
  readonly [filter: string]: unknown;
}

const FILTERS = [
  ...(['to', 'account', 'ref', 'groupKey', 'channel', 'carrier', 'state', 'from', 'until'] as const),
];

export function addOrderFilters(command: Command): Command {
  return command
    .option('--to <number>', 'to this recipient')
    .option('--account <id>', 'of this account', parseAccountArgument)
    .option('--ref <ref>', 'with this reference of the client')
    .option('--group-key <group>', 'with this group of the client')
    .addOption(new Option('--channel <channel>', 'with this channel in its flow').choices(CHANNELS))
    .option('--carrier <name>', 'whose current or last attempt went to this carrier')
    .option('--from <time>', 'accepted at or after, ISO 8601 with offset')
    .option('--until <time>', 'accepted before')
    .option('--yes', 'do not ask for confirmation');
}

/** The order to carry out: never for more messages than the question was about. */
export async function confirmedOrder(
  msgKeys: readonly string[],
  options: OrderOptions,
  words: {
    readonly count: (order: CancelRequest) => Promise<{ readonly count: number; readonly isMore: boolean }>;
    readonly none: string;
    readonly question: (messages: string) => string;
    readonly left: string;
  },
): Promise<CancelRequest> {
  const given = FILTERS.filter(name => options[name] !== undefined);
  const filters = Object.fromEntries(given.map(name => [name, options[name]]));
  const isByKey = msgKeys.length > 0;
  const { count, isMore } = isByKey
    ? { count: msgKeys.length, isMore: false }
    : await words.count({ filters });
  if (count === 0) throw new Failure(words.none);
  const question = words.question(`${count} messages${isMore ? ' (there are more)' : ''}`);
  if (!options.yes && !(await isConfirmed(question))) throw new Failure(words.left);
  return isByKey ? { msgKeys } : { filters, most: count };
}
