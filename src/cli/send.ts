/** `bongsu send`: one message on any channel over HTTP, as a client sends it; or to a list of recipients, see bulk.ts. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  type BongsuClient,
  GatewayRefusal,
  type Report,
  type SingleSends,
} from '../../client/bongsu-client.ts';
import { CHANNELS } from '../domain/channels/channel.ts';
import { DELIVERED } from '../domain/reports/report-codes.ts';
import { placeholdersIn } from '../domain/text/substitution.ts';
import { sleep, systemClock } from '../platform/clock.ts';
import { parseDurationMs } from '../platform/duration.ts';
import { sendBulk } from './bulk.ts';
import { addCredentialOptions, type CredentialOptions, openClient } from './credentials.ts';
import { Failure, WrongUsage, warn } from './failure.ts';
import { describeCommand, type OutputOptions, print } from './output.ts';
import { reportTable } from './report-table.ts';
import { flowOf, type Message, messageOf, type Written } from './send-body.ts';
import { readStandardInput } from './standard-input.ts';

interface SendOptions extends OutputOptions, CredentialOptions, Written {
  readonly csv?: string;
  readonly run?: string;
  readonly dryRun?: boolean;
  readonly wait?: boolean;
  readonly timeout: number;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;

export function addSendCommand(program: Command, env: NodeJS.ProcessEnv): void {
  const command = describeCommand(program.command('send'), 'send a message and print its msgKey', [
    'send --id shop --from 0212345678 --to 01012345678 --text "your order left" --wait',
    'send --id shop --from 0212345678 --to +14155550123 --text - < message.txt',
    'send --id shop --channel alimtalk --body message.json --to 01012345678',
    'send --id shop --from 0212345678 --text "Hello #{name}" --csv recipients.csv',
    'send --id shop --omni flow.json --csv recipients.csv --dry-run',
  ]);
  addCredentialOptions(command)
    .option('--to <number>', 'recipient')
    .option('--text <text>', 'message; "-" reads standard input')
    .option('--from <number>', 'sender number')
    .addOption(
      new Option(
        '--channel <channel>',
        'default: international for + numbers other than +82, else sms',
      ).choices(CHANNELS),
    )
    .option(
      '--body <file>',
      'JSON file with the body of a send on --channel; --to, --from, --text and --ref override it',
    )
    .option('--omni <file>', 'flow as JSON, for the recipients of --csv')
    .option(
      '--csv <file>',
      'recipients, UTF-8 or CP949: a column "to", and one for each #{word} of the message',
    )
    .option('--run <name>', 'name of this run; with a new name the same list is sent again within a day')
    .option('--dry-run', 'check the message and every row of the list by the rules of the API; send nothing')
    .option('--ref <ref>', 'your own reference, which the report repeats')
    .option('--wait', 'wait for the report and print it; exit code 1 if it was not delivered')
    .option(
      '--timeout <time>',
      'maximum time to wait, such as 90s or 5m (default 60s)',
      parseTimeout,
      DEFAULT_TIMEOUT_MS,
    )
    .action(async (given: SendOptions) => {
      assertUsable(given);
      const options = given.text === '-' ? { ...given, text: await readStandardInput() } : given;
      if (options.csv !== undefined) {
        const bulk = { ...options, csv: options.csv, flow: flowOf(options) };
        const { warnOfFlow } = await import('./send-warnings.ts');
        warnOfFlow(bulk.flow.messageFlow);
        if (!options.dryRun) return sendBulk(await openClient(options, env), bulk);
        const { checkList } = await import('./dry-run.ts');
        return checkList(bulk);
      }
      const message = messageOf(options);
      warnOfPlaceholders(message);
      const { warnOfMessage } = await import('./send-warnings.ts');
      warnOfMessage(message);
      if (!options.dryRun) return send(await openClient(options, env), message, options);
      const { checkMessage } = await import('./dry-run.ts');
      checkMessage(options, message.channel, message.body);
    });
}

function assertUsable({ to, text, body, omni, csv, wait, passwordStdin, dryRun }: SendOptions): void {
  if (text === '-' && passwordStdin && !dryRun) {
    throw new WrongUsage('--text - and --password-stdin both read standard input: use one of them');
  }
  if (omni !== undefined && csv === undefined) throw new WrongUsage('--omni and --csv must be used together');
  if (csv === undefined) {
    const missing = to === undefined ? '--to <number>' : '--text <text>';
    if (body === undefined && (to === undefined || text === undefined)) {
      throw new WrongUsage(`required option '${missing}' not specified`);
    }
    return;
  }
  if (to !== undefined) throw new WrongUsage('--to cannot be used with --csv: the list has the recipients');
  if (wait) throw new WrongUsage('--wait cannot be used with --csv: see "bongsu reports poll"');
  const messages = [omni, body ?? text].filter(given => given !== undefined);
  if (messages.length !== 1) {
    throw new WrongUsage('--csv needs the message: --text, --body or --omni; not several of them');
  }
}

/** The gateway takes them for text: only a flow has words. */
function warnOfPlaceholders({ body }: Message): void {
  const keys = placeholdersIn(body);
  if (keys.length === 0) return;
  const names = keys.map(key => `#{${key}}`).join(', ');
  warn(`${names} has no value in a single send and is sent literally`);
}

async function send(client: BongsuClient, { channel, body }: Message, options: SendOptions): Promise<void> {
  // The gateway says what is wrong with it.
  const sent = await client.send(channel, body as unknown as SingleSends[typeof channel]);
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
