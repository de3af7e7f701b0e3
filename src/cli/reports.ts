/** `bongsu reports …`: collects reports over HTTP, as a client does. */
import type { Command } from 'commander';
import { addCredentialOptions, type CredentialOptions, openClient } from './credentials.ts';
import { describeCommand, type OutputOptions, print } from './output.ts';
import { reportTable } from './report-table.ts';

type Options = OutputOptions & CredentialOptions;

export function addReportsCommands(program: Command, env: NodeJS.ProcessEnv): void {
  const group = program.command('reports').description('delivery reports of an account');

  const poll = describeCommand(
    group.command('poll'),
    'fetch the next batch; it is returned again until acknowledged',
    ['reports poll --id shop', 'reports poll --json'],
  );
  addCredentialOptions(poll).action(async (options: Options) => {
    const client = await openClient(options, env);
    const batch = await client.poll();
    print(options, batch, () => {
      if (!batch.report) return 'no records';
      return `${reportTable(batch.report)}\n\nreportId ${batch.reportId}: bongsu reports ack ${batch.reportId}`;
    });
  });

  const ack = describeCommand(
    group.command('ack').argument('<report-id>', 'reportId of the batch'),
    'acknowledge a batch; the next poll returns the next one',
    ['reports ack 01KEXAMPLE --id shop'],
  );
  addCredentialOptions(ack).action(async (reportId: string, options: Options) => {
    const client = await openClient(options, env);
    await client.acknowledge(reportId);
    print(options, { reportId }, () => `batch ${reportId} acknowledged`);
  });

  const show = describeCommand(
    group.command('show').argument('<msg-key>', 'msgKey of the message'),
    'show the records of one message',
    ['reports show 01KEXAMPLE --id shop'],
  );
  addCredentialOptions(show).action(async (msgKey: string, options: Options) => {
    const client = await openClient(options, env);
    const report = await client.inquire(msgKey);
    print(options, { report }, () =>
      report.length === 0
        ? 'no records: the message is still being delivered, too old, or belongs to another account'
        : reportTable(report),
    );
  });
}
