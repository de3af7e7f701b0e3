/** `bongsu send`: one text message over HTTP, as a client sends it; or a flow to a list of recipients, see bulk.ts. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type BongsuClient, GatewayRefusal, type Report, type Sms } from '../../client/bongsu-client.ts';
import { DELIVERED } from '../domain/reports/report-codes.ts';
import { sleep, systemClock } from '../platform/clock.ts';
import { parseDurationMs } from '../platform/duration.ts';
import { type BulkOptions, sendBulk } from './bulk.ts';
import { addCredentialOptions, type CredentialOptions, openClient } from './credentials.ts';
import { Failure, WrongUsage } from './failure.ts';
import { describeCommand, type OutputOptions, print } from './output.ts';
import { reportTable } from './report-table.ts';
import { readStandardInput } from './standard-input.ts';

interface SendOptions extends OutputOptions, CredentialOptions, Omit<Sms, 'from'> {
  readonly omni?: string;
  readonly csv?: string;
  readonly run?: string;
  readonly from?: string;
  readonly channel?: 'sms' | 'international';
  readonly wait?: boolean;
  readonly timeout: number;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;

export function addSendCommand(program: Command, env: NodeJS.ProcessEnv): void {
  const command = describeCommand(program.command('send'), 'send a text message and print its msgKey', [
    'send --id shop --from 0212345678 --to 01012345678 --text "your order left" --wait',
    'send --id shop --from 0212345678 --to +14155550123 --text - < message.txt',
    'send --id shop --omni flow.json --csv recipients.csv',
  ]);
  addCredentialOptions(command)
    .option('--to <number>', 'recipient')
    .option('--text <text>', 'message; "-" reads standard input')
    .option('--from <number>', 'sender number')
    .addOption(
      new Option(
        '--channel <channel>',
        'default: international for + numbers other than +82, else sms',
      ).choices(['sms', 'international']),
    )
    .option('--omni <file>', 'flow as JSON, for the recipients of --csv')
    .option('--csv <file>', 'recipients: a column "to", and one for each #{word} of the flow')
    .option('--run <name>', 'name of this run; a new name sends the same list again within a day')
    .option('--ref <ref>', 'your own reference; it is in the report')
    .option('--wait', 'wait for the report and print it; exit code 1 if it was not delivered')
    .option(
      '--timeout <time>',
      'longest wait, such as 90s or 5m (default 60s)',
      parseTimeout,
      DEFAULT_TIMEOUT_MS,
    )
    .action(async (options: SendOptions) => {
      const bulk = bulkOf(options);
      if (bulk) {
        await sendBulk(await openClient(options, env), bulk);
        return;
      }
      if (options.text === '-' && options.passwordStdin) {
        throw new WrongUsage('--text - and --password-stdin both read standard input: use one of them');
      }
      const client = await openClient(options, env);
      await send(client, options);
    });
}

/** The options of a bulk send; undefined if it is a single one. */
function bulkOf(options: SendOptions): BulkOptions | undefined {
  const { omni, csv, to, text } = options;
  if (omni === undefined && csv === undefined) {
    const missing = to === undefined ? '--to <number>' : '--text <text>';
    if (to === undefined || text === undefined)
      throw new WrongUsage(`required option '${missing}' not specified`);
    return undefined;
  }
  if (omni === undefined || csv === undefined) throw new WrongUsage('--omni and --csv must be used together');
  if (to !== undefined || text !== undefined) {
    throw new WrongUsage('--to and --text cannot be used with --omni and --csv');
  }
  return { ...options, omni, csv };
}

async function send(client: BongsuClient, options: SendOptions): Promise<void> {
  const { to, from, ref } = options;
  const text = options.text === '-' ? await readStandardInput() : options.text;
  const channel = options.channel ?? channelOf(to);
  // Without a sender the gateway refuses with its own code and explanation.
  const message = { to, text, from: from ?? '', ...(ref !== undefined && { ref }) };
  const sent = await client.send(channel, message);
  if (!options.wait) {
    print(options, sent, () => sent.msgKey);
    return;
  }
  // The key is printed whatever happens while waiting: at once for people, together with the records for programs.
  if (!options.json) process.stdout.write(`${sent.msgKey}\n`);
  let report: readonly Report[] = [];
  try {
    report = await awaitReport(client, sent.msgKey, options.timeout);
  } finally {
    if (options.json || report.length > 0) print(options, { ...sent, report }, () => reportTable(report));
  }
  const last = report.at(-1);
  if (last?.reportCode !== DELIVERED)
    throw new Failure(`not delivered: ${last?.reportCode} ${last?.reportText}`);
}

function channelOf(to: string): 'sms' | 'international' {
  return to.startsWith('+') && !to.startsWith('+82') ? 'international' : 'sms';
}

async function awaitReport(
  client: BongsuClient,
  msgKey: string,
  timeoutMs: number,
): Promise<readonly Report[]> {
  const giveUpAt = performance.now() + timeoutMs;
  let pauseMs = SHORTEST_PAUSE_MS;
  for (;;) {
    const report = await inquirePatiently(client, msgKey);
    if (report.length > 0) return report;
    const leftMs = giveUpAt - performance.now();
    if (leftMs <= 0) {
      throw new Failure(
        `no record within ${timeoutMs / 1000} s; look again with: bongsu reports show ${msgKey}`,
      );
    }
    await sleep(systemClock, Math.min(pauseMs, leftMs));
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
}

/** The call rate of the account may be lower than our polling rate: then ask again later. */
async function inquirePatiently(client: BongsuClient, msgKey: string): Promise<readonly Report[]> {
  try {
    return await client.inquire(msgKey);
  } catch (error) {
    if (error instanceof GatewayRefusal && error.code === 'A020') return [];
    throw error;
  }
}

function parseTimeout(value: string): number {
  const ms = parseDurationMs(/^\d+$/.test(value) ? `${value}s` : value);
  if (ms === undefined) throw new InvalidArgumentError('Expected a time such as 90s or 5m.');
  return ms;
}
