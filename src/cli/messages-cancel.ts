/** `bongsu messages cancel`: messages that have not been handed to a carrier, by their keys or by filters. */
import { type Command, Option } from 'commander';
import { CHANNELS } from '../domain/channels/channel.ts';
import { parseAccountArgument } from './account-argument.ts';
import { assertAnswerable, type ConfirmOptions, isConfirmed } from './confirm.ts';
import { Failure } from './failure.ts';
import { operatorCommand, type PlaceOptions, withTools } from './operator.ts';
import { print } from './output.ts';

interface CancelOptions extends PlaceOptions, ConfirmOptions {
  readonly [filter: string]: unknown;
}

const FILTERS = ['to', 'account', 'ref', 'groupKey', 'channel', 'from', 'until'] as const;

export function addMessagesCancel(group: Command, env: NodeJS.ProcessEnv): void {
  const cancel = operatorCommand(
    group.command('cancel').argument('[msg-keys...]', 'msgKeys of messages; or give filters'),
    'cancel messages that have not been handed to a carrier; needs --url, because the gateway has them in hand',
    [
      'messages cancel 01KEXAMPLE --url https://gateway.example',
      'messages cancel --account shop --group-key spring --url https://gateway.example',
    ],
  );
  cancel
    .option('--to <number>', 'to this recipient')
    .option('--account <id>', 'of this account', parseAccountArgument)
    .option('--ref <ref>', 'with this reference of the client')
    .option('--group-key <group>', 'with this group of the client')
    .addOption(new Option('--channel <channel>', 'with this channel in its flow').choices(CHANNELS))
    .option('--from <time>', 'accepted at or after, ISO 8601 with offset')
    .option('--until <time>', 'accepted before')
    .option('--yes', 'do not ask');
  cancel.action((msgKeys: readonly string[], options: CancelOptions) => {
    assertAnswerable(options, 'cancelled');
    return withTools(env, options, async ({ messages }) => {
      const filters = Object.fromEntries(
        FILTERS.filter(name => options[name] !== undefined).map(name => [name, options[name]]),
      );
      const order = msgKeys.length > 0 ? { msgKeys } : { filters };
      const { cancellable, isMore } =
        msgKeys.length > 0 ? { cancellable: msgKeys.length, isMore: false } : await messages.cancel(order);
      if (cancellable === 0) throw new Failure('no message that waits meets these filters');
      const question = `Cancel ${cancellable} messages${isMore ? ' (there are more)' : ''}?`;
      if (!options.yes && !(await isConfirmed(question))) throw new Failure('nothing was cancelled');
      const done = await messages.cancel(msgKeys.length > 0 ? order : { filters, most: cancellable });
      print(options, done, () => {
        const late = done.tooLate === 0 ? '' : `; ${done.tooLate} were too late`;
        return `${done.cancelled} cancelled${late}`;
      });
    });
  });
}
