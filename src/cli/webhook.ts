/** `bongsu webhook …`: the webhook of an account. Works on the store directly, like `account`. */
import type { Command } from 'commander';
import type { Webhooks } from '../composition/operator-tools.ts';
import type { AccountId } from '../domain/ids.ts';
import { Problem } from '../domain/request/problem.ts';
import { parseAccountArgument } from './account-argument.ts';
import { Failure } from './failure.ts';
import { withOperator } from './operator.ts';
import { describeCommand, formatPairs, type OutputOptions, print } from './output.ts';

type View = Exclude<Awaited<ReturnType<Webhooks['show']>>, Problem>;

export function addWebhookCommands(program: Command, env: NodeJS.ProcessEnv): void {
  const group = program.command('webhook').description('webhooks of accounts');

  const show = describeCommand(
    commandOnId('show'),
    'show the URL, whether it is switched off, and how many records wait',
    ['webhook show shop'],
  );
  show.action(async (id: AccountId, options: OutputOptions) => {
    const view = await withWebhooks(webhooks => webhooks.show(id));
    print(options, view, () => formatPairs(linesOf(view)));
  });

  const test = describeCommand(commandOnId('test'), 'send a signed sample record, once', [
    'webhook test shop',
  ]);
  test.action(async (id: AccountId, options: OutputOptions) => {
    const result = await withWebhooks(webhooks => webhooks.test(id));
    print(options, result, () => {
      const status = result.status === null ? '' : `HTTP ${result.status}, `;
      return `${result.isOk ? 'ok' : 'failed'} (${status}${result.durationMs} ms): ${result.detail}`;
    });
    if (!result.isOk) throw new Failure('the webhook test failed');
  });

  const replay = describeCommand(commandOnId('replay'), 'send the records of a time range again', [
    'webhook replay shop --from 2026-03-02T00:00:00+09:00 --until 2026-03-03T00:00:00+09:00',
  ]);
  replay
    .requiredOption('--from <time>', 'reported at or after, ISO 8601 with offset')
    .requiredOption('--until <time>', 'reported before');
  replay.action(
    async (id: AccountId, options: OutputOptions & { readonly from: string; readonly until: string }) => {
      const { from, until } = options;
      const result = await withWebhooks(webhooks => webhooks.replay(id, { from, until }));
      print(options, result, () => `${result.records} records of ${id} will be sent again`);
    },
  );

  const rotate = describeCommand(
    commandOnId('rotate'),
    'create a new signing secret; the previous one stays valid for a day',
    ['webhook rotate shop'],
  );
  rotate.action(async (id: AccountId, options: OutputOptions) => {
    const result = await withWebhooks(webhooks => webhooks.rotate(id));
    print(options, result, () => `secret   ${result.secret}    (shown only once)`);
  });

  const resume = describeCommand(commandOnId('resume'), 'turn it on again after it answered 410', [
    'webhook resume shop',
  ]);
  resume.action(async (id: AccountId, options: OutputOptions) => {
    const view = await withWebhooks(webhooks => webhooks.resume(id));
    print(options, view, () => formatPairs(linesOf(view)));
  });

  function commandOnId(name: string): Command {
    return group.command(name).argument('<id>', 'account id', parseAccountArgument);
  }

  async function withWebhooks<T>(work: (webhooks: Webhooks) => Promise<T | Problem>): Promise<T> {
    const result = await withOperator(env, ({ webhooks }) => work(webhooks));
    if (result instanceof Problem) throw new Failure(result.result);
    return result;
  }
}

function linesOf({ url, isOff, offReason, secrets, pending }: View): Record<string, string> {
  return {
    URL: url ?? 'none',
    sending: isOff ? `no: ${offReason}` : 'yes',
    'waiting records': String(pending),
    secrets:
      secrets.map(({ id, expiresAt }) => (expiresAt ? `${id} (until ${expiresAt})` : id)).join(', ') ||
      'none',
  };
}
