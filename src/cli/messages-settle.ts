/** `bongsu messages settle`: ends messages whose outcome is unknown, as their carrier has told it, by their keys or by filters. */
import { type Command, Option } from 'commander';
import { SETTLEABLE } from '../domain/delivery/lifecycle.ts';
import { assertAnswerable } from './confirm.ts';
import { Failure, WrongUsage } from './failure.ts';
import { addOrderFilters, confirmedOrder, type OrderOptions } from './messages-order.ts';
import { operatorCommand, withTools } from './operator.ts';
import { print } from './output.ts';

interface SettleOptions extends OrderOptions {
  readonly outcome: string;
  readonly code?: string;
  readonly reason: string;
}

export function addMessagesSettle(group: Command, env: NodeJS.ProcessEnv): void {
  const settle = operatorCommand(
    group.command('settle').argument('[msg-keys...]', 'msgKeys of messages; or give filters'),
    'end messages whose outcome is unknown, by what their carrier has told you; needs --url',
    [
      'messages settle 01KEXAMPLE --outcome delivered --reason "list of sky, 2 March" --url https://gateway.example',
      'messages settle --carrier sky --from 2026-03-02T00:00:00+09:00 --until 2026-03-02T01:00:00+09:00 --outcome failed --code 23014 --reason "sky lost them" --url https://gateway.example',
    ],
  );
  addOrderFilters(settle)
    .addOption(
      new Option('--state <state>', 'only messages in this state (default: unknown)').choices(SETTLEABLE),
    )
    .addOption(
      new Option('--outcome <outcome>', 'the outcome to record')
        .choices(['delivered', 'failed'])
        .makeOptionMandatory(),
    )
    .option(
      '--code <code>',
      'with --outcome failed: the report code, such as 23014; it must be a code of their channel',
    )
    .requiredOption(
      '--reason <text>',
      '5 to 200 characters on one line, for the audit log and the timelines of the messages',
    );
  settle.action((msgKeys: readonly string[], options: SettleOptions) => {
    const { outcome, code, reason } = options;
    if ((code !== undefined) !== (outcome === 'failed')) {
      throw new WrongUsage('--code is needed with --outcome failed, and only with it');
    }
    assertAnswerable(options, 'settled');
    return withTools(env, options, async ({ messages }) => {
      const order = await confirmedOrder(msgKeys, options, {
        count: async asked => {
          const { settleable, isMore } = await messages.settle(asked);
          return { count: settleable, isMore };
        },
        none: 'no message that matches these filters can be settled',
        question: them => `Settle ${them} as ${outcome}${code === undefined ? '' : ` (${code})`}?`,
        left: 'nothing was settled',
      });
      const done = await messages.settle({ ...order, outcome, reason, ...(code !== undefined && { code }) });
      print(options, done, () => {
        const late =
          done.tooLate === 0
            ? ''
            : `; ${done.tooLate} had already ended, or moved to another step or carrier`;
        return `${done.settled} settled${late}`;
      });
      if (done.settled === 0) throw new Failure('nothing was settled');
    });
  });
}
