/** `bongsu optout …`: recipients who opted out of an account. */
import { type Command, Option } from 'commander';
import { OPT_OUT_COVERS } from '../domain/delivery/opt-out.ts';
import type { AccountId } from '../domain/ids.ts';
import type { OptOutView } from '../operations/opt-outs.ts';
import type { CsvPart } from '../operations/shapes.ts';
import { parseAccountArgument } from './account-argument.ts';
import { operatorCommand, type PlaceOptions, withTools } from './operator.ts';
import { formatTable, print } from './output.ts';
import { readTextFile } from './text-file.ts';

interface Filters {
  readonly to?: string;
  readonly sender?: string;
  readonly all?: boolean;
  readonly limit?: string;
}

interface EntryOptions {
  readonly sender?: string;
  readonly covers?: string;
}

export function addOptOutCommands(program: Command, env: NodeJS.ProcessEnv): void {
  const group = program.command('optout').description('recipients who opted out of an account');

  operatorCommand(onAccount('list'), 'list the opt-outs of an account, newest first', [
    'optout list shop',
    'optout list shop --to 01012345678 --all --json',
  ])
    .option('--to <number>', 'this recipient only')
    .option('--sender <sender>', 'entries about this sender only')
    .option('--all', 'also those who renewed their consent')
    .option('--limit <n>', 'maximum number of entries to list, up to 1000', '100')
    .action((id: AccountId, options: PlaceOptions & Filters) =>
      withTools(env, options, async ({ call, where }) => {
        const { to, sender, all, limit } = options;
        const query = { to, sender, limit, state: all ? 'all' : 'current' };
        const page = await call('GET /accounts/{id}/optouts', { id, ...query });
        print(options, page.optOuts, () =>
          page.optOuts.length === 0 ? `nobody has opted out of ${id} in ${where}` : table(page.optOuts),
        );
      }),
    );

  operatorCommand(onAccount('add'), 'add recipients', [
    'optout add shop 01012345678',
    'optout add shop 01012345678 01087654321 --sender 0212345678 --covers all',
  ])
    .argument('<numbers...>', 'their numbers')
    .option('--sender <sender>', 'sender number, sender key or brand key; all senders without it')
    .addOption(new Option('--covers <what>', 'advertisements, or all messages').choices(OPT_OUT_COVERS))
    .action((id: AccountId, numbers: readonly string[], options: PlaceOptions & EntryOptions) =>
      withTools(env, options, async ({ call }) => {
        const { sender, covers } = options;
        const optOuts = numbers.map(to => ({ to, sender, covers }));
        const added = await call('POST /accounts/{id}/optouts', { id, optOuts });
        print(options, added, () => `${added.added} added, ${added.known} already on the list of ${id}`);
      }),
    );

  operatorCommand(onAccount('end'), 'record the renewed consent of a recipient', ['optout end shop 17'])
    .argument('<entry>', 'id of the entry, as in "optout list"')
    .action((id: AccountId, entry: string, options: PlaceOptions) =>
      withTools(env, options, async ({ call }) => {
        const ended = await call('DELETE /accounts/{id}/optouts/{optOutId}', { id, optOutId: entry });
        print(options, ended, () => `${ended.to} renewed consent; the entry stays as proof`);
      }),
    );

  operatorCommand(onAccount('import'), 'add the recipients of a CSV file', ['optout import shop list.csv'])
    .argument('<file>', 'CSV with the columns to, sender, covers, or numbers alone')
    .action((id: AccountId, file: string, options: PlaceOptions) =>
      withTools(env, options, async ({ call }) => {
        const added = await call('POST /accounts/{id}/optouts/csv', { id, file: readTextFile(file) });
        print(options, added, () => `${added.added} added, ${added.known} already on the list of ${id}`);
      }),
    );

  operatorCommand(
    onAccount('export'),
    'write the whole list as CSV, those who renewed their consent included',
    ['optout export shop > opt-outs.csv'],
  ).action((id: AccountId, options: PlaceOptions) =>
    withTools(env, options, async ({ call }) => {
      let cursor: string | null | undefined;
      for (let part = 0; cursor !== null; part++) {
        const asked = { id, ...(cursor && { cursor }) };
        const { text, next }: Omit<CsvPart, 'rows'> = await call('GET /accounts/{id}/optouts/csv', asked);
        // Each part has a row of names.
        process.stdout.write(part === 0 ? text : text.slice(text.indexOf('\n') + 1));
        cursor = next;
      }
    }),
  );

  function onAccount(name: string): Command {
    return group.command(name).argument('<id>', 'account id', parseAccountArgument);
  }
}

function table(views: readonly OptOutView[]): string {
  const rows = views.map(({ id, to, sender, covers, since, sinceWay, sinceBy, ended }) => [
    ...[id, to, sender, covers, since, `${sinceWay} (${sinceBy})`, ended ?? ''],
  ]);
  return formatTable(['entry', 'recipient', 'sender', 'covers', 'since', 'how', 'consent renewed'], rows);
}
