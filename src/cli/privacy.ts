/** `bongsu privacy …`: what is kept of a recipient. */
import { createWriteStream, rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, InvalidArgumentError } from 'commander';
import type { AccountId } from '../domain/ids.ts';
import { canonicalNumber, maskNumber } from '../domain/request/phone-number.ts';
import { parseAccountArgument } from './account-argument.ts';
import { assertAnswerable, type ConfirmOptions, isConfirmed } from './confirm.ts';
import { Failure, warn } from './failure.ts';
import { operatorCommand, type PlaceOptions, withTools } from './operator.ts';
import { formatPairs, formatTable, print } from './output.ts';
import type { CommandTools, Subject } from './tools.ts';

interface SubjectOptions extends PlaceOptions {
  /** Canonical. */
  readonly recipient: string;
  readonly account?: AccountId;
}

type Result = Awaited<ReturnType<CommandTools['privacy']['erase']>>;
type Counts = Result['counts'];

export function addPrivacyCommands(program: Command, env: NodeJS.ProcessEnv): void {
  const group = program.command('privacy').description('data of a recipient: export, erase');

  const exporting = operatorCommand(
    commandOnRecipient('export'),
    'write all stored data of a recipient as JSON',
    ['privacy export --recipient 010-1234-5678', 'privacy export --recipient 01012345678 --out kim.json'],
  );
  exporting.option('--out <file>', 'a new file to write to, instead of standard output');
  exporting.action((options: SubjectOptions & { readonly out?: string }) =>
    withSubject(options, async ({ privacy }, subject) => {
      const pieces = Readable.from(privacy.export(subject));
      if (options.out === undefined) {
        await pipeline(pieces, process.stdout, { end: false });
        return;
      }
      const file = createWriteStream(options.out, { flags: 'wx', mode: 0o600 });
      try {
        await pipeline(pieces, file);
      } catch (error) {
        // Half an answer must not pass for one. A file that was there before is not ours.
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') rmSync(options.out, { force: true });
        throw error;
      }
      print(options, { out: options.out }, () => `written to ${options.out}`);
    }),
  );

  const erase = operatorCommand(
    commandOnRecipient('erase'),
    'erase a recipient from all messages; pending ones follow when they have ended',
    ['privacy erase --recipient 010-1234-5678', 'privacy erase --recipient 01012345678 --account shop --yes'],
  );
  erase.option('--images', 'also delete uploaded images, unless the same request sent them to others too');
  erase.option('--yes', 'do not ask for confirmation');
  erase.action(async (options: SubjectOptions & ConfirmOptions & { readonly images?: boolean }) => {
    assertAnswerable(options, 'erased');
    await withSubject(options, async ({ privacy, where }, subject) => {
      if (!options.yes) {
        const { ended, open, parkedReceipts, setAside, reserved, optOuts, inbound } =
          await privacy.holdings(subject);
        const kept = {
          'messages that have ended': ended,
          'pending messages': open,
          'receipts without a message': parkedReceipts,
          'events set aside': setAside,
          'messages from this number': inbound,
          'reserved messages': reserved,
          'opt-outs': optOuts,
        };
        process.stdout.write(`${maskNumber(subject.number)} in ${where}:\n${linesOf(kept)}\n`);
        if (!(await isConfirmed('Erase? This cannot be undone.'))) throw new Failure('nothing was erased');
      }
      const images = options.images === true;
      const { order, counts, keptImages, isScrubbed } = await privacy.erase(subject, { images });
      print(options, { order, ...counts, keptImages, isScrubbed }, () =>
        [linesOf(shown(counts)), ...imageLines(keptImages, images), endOf(order, counts)].join('\n'),
      );
      if (!isScrubbed) {
        warn(
          'erased values may still be in files of the database, until the gateway has removed them: see "After erasing" in docs/privacy.md',
        );
      }
    });
  });

  const orders = operatorCommand(group.command('orders'), 'list the orders to erase, newest first', [
    'privacy orders',
    'privacy orders --json',
  ]);
  orders.action((options: PlaceOptions) =>
    withTools(env, options, async ({ privacy, where }) => {
      const list = await privacy.orders();
      print(options, list, () => {
        if (list.length === 0) return `no orders in ${where}`;
        const columns = [
          'order',
          'ordered',
          'recipient',
          'account',
          'erased',
          'pending',
          'left',
          'state',
          'ended',
        ];
        return formatTable(
          columns,
          list.map(order => Object.values(order).map(value => String(value ?? '-'))),
        );
      });
    }),
  );

  function commandOnRecipient(name: string): Command {
    return group
      .command(name)
      .requiredOption(
        '--recipient <number>',
        'phone number in any format: 010-1234-5678, +82 10 1234 5678',
        parseRecipient,
      )
      .option('--account <id>', 'only messages of this account', parseAccountArgument);
  }

  function withSubject(
    options: SubjectOptions,
    work: (tools: CommandTools, subject: Subject) => Promise<void>,
  ): Promise<void> {
    const { recipient: number, account } = options;
    return withTools(env, options, tools => work(tools, { number, account }));
  }
}

function shown(counts: Counts): Readonly<Record<string, number>> {
  return {
    'messages without their recipient': counts.messages,
    'texts removed': counts.texts,
    'texts kept, because others got them': counts.sharedTexts,
    'client references removed': counts.refs,
    'carrier references without number': counts.references,
    'stored answers without number': counts.answers,
    'receipts removed': counts.parkedReceipts,
    'set-aside events without number': counts.setAside,
    'messages from this number': counts.inbound,
    'reserved messages removed': counts.reserved,
    'opt-outs removed': counts.optOuts,
    'opt-outs kept': counts.keptOptOuts,
    'images deleted': counts.images,
    'pending messages': counts.open,
    'that cannot be read': counts.unreadable,
  };
}

function imageLines(kept: Result['keptImages'], isAsked: boolean): string[] {
  if (kept.length === 0) return [];
  return isAsked
    ? kept.map(({ fileKey, reason }) => `image ${fileKey} stays: ${reason}`)
    : [`images of removed texts that stay: ${kept.map(({ fileKey }) => fileKey).join(', ')}`];
}

function endOf(order: string, { open, unreadable }: Counts): string {
  const left = [
    ...(open > 0 ? [`the ${open} pending ones once they have ended`] : []),
    ...(unreadable > 0 ? [`the ${unreadable} unreadable ones once they can be read`] : []),
  ];
  return left.length === 0
    ? `order ${order} is done`
    : `order ${order}: the gateway erases ${left.join(', and ')}; see "bongsu privacy orders"`;
}

function linesOf(counts: Readonly<Record<string, number>>): string {
  return formatPairs(
    Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, String(count)])),
  );
}

function parseRecipient(value: string): string {
  const number = canonicalNumber(value);
  if (number === undefined) throw new InvalidArgumentError('Expected a phone number.');
  return number;
}
