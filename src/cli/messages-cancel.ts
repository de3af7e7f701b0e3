/** `bongsu messages cancel`: messages that have not been handed to a carrier, by their keys or by filters. */
import type { Command } from 'commander';
import { assertAnswerable } from './confirm.ts';
import { Failure } from './failure.ts';
import { addOrderFilters, confirmedOrder, type OrderOptions } from './messages-order.ts';
import { operatorCommand, withTools } from './operator.ts';
import { print } from './output.ts';

export function addMessagesCancel(group: Command, env: NodeJS.ProcessEnv): void {
  const cancel = operatorCommand(
    group.command('cancel').argument('[msg-keys...]', 'msgKeys of messages; or give filters'),
    'cancel messages that have not been handed to a carrier; only on a running gateway (--url)',
    [
      'messages cancel 01KEXAMPLE --url https://gateway.example',
      'messages cancel --account shop --group-key spring --url https://gateway.example',
    ],
  );
  addOrderFilters(cancel).action((msgKeys: readonly string[], options: OrderOptions) => {
    assertAnswerable(options, 'cancelled');
    return withTools(env, options, async ({ messages }) => {
      const order = await confirmedOrder(msgKeys, options, {
        count: async asked => {
          const { cancellable, isMore } = await messages.cancel(asked);
          return { count: cancellable, isMore };
        },
        none: 'no pending message matches these filters',
        question: them => `Cancel ${them}?`,
        left: 'nothing was cancelled',
      });
      const done = await messages.cancel(order);
      print(options, done, () => {
        const late = done.tooLate === 0 ? '' : `; ${done.tooLate} could no longer be cancelled`;
        return `${done.cancelled} cancelled${late}`;
      });
      if (done.cancelled === 0) throw new Failure('nothing was cancelled');
    });
  });
}
