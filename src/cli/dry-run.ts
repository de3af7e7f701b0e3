/**
 * `bongsu send --dry-run`: checks a message, or a flow and every row of a list, by the rules of the API, and sends nothing. It
 * asks no gateway: registered senders, routes and rates are checked when it is sent.
 */
import type { Destination } from '../../client/bongsu-client.ts';
import type { Channel } from '../domain/channels/channel.ts';
import { CHANNEL_TABLE } from '../domain/channels/channel-table.ts';
import { compileFlow, parseOmni } from '../domain/request/omni.ts';
import { Problem } from '../domain/request/problem.ts';
import { BATCH, type BulkOptions, recipientsFor } from './bulk.ts';
import { Failure } from './failure.ts';
import { formatPairs, formatTable, type OutputOptions, print } from './output.ts';

const MOST_SHOWN = 20;

export function checkMessage(options: OutputOptions, channel: Channel, body: object): void {
  const { request } = CHANNEL_TABLE[channel];
  const read = request.readSingle(body);
  if (read instanceof Problem) throw new Failure(`would be refused: ${read.code} ${read.result}`);
  const measures = request.measure(body);
  print(options, { channel, isOk: true, measures }, () =>
    formatPairs({
      channel,
      result: 'would be accepted; nothing was sent',
      ...Object.fromEntries(
        measures.map(({ field, value, limit, name }) => [
          `${field}, ${name}`,
          limit === null ? String(value) : `${value} of ${limit}`,
        ]),
      ),
    }),
  );
}

interface RowProblem {
  readonly row: number;
  readonly to: string;
  readonly code: string;
  readonly reason: string;
}

export function checkList(options: BulkOptions): void {
  const { flow } = options;
  const recipients = recipientsFor(options);
  const problems = problemsOf(flow, recipients);
  const refused = problems.length;
  const requests = Math.ceil(recipients.length / BATCH);
  const codes = Object.fromEntries(
    [...Map.groupBy(problems, ({ code }) => code)].map(([code, rows]) => [code, rows.length]),
  );
  const summary = {
    rows: recipients.length,
    requests,
    refused,
    codes,
    problems: problems.slice(0, MOST_SHOWN),
  };
  print(options, summary, () => {
    const lines = [`${recipients.length} rows, ${requests} requests; nothing was sent`];
    if (flow.messageForm !== undefined)
      lines.push('the form is stored on the gateway: its texts were not checked');
    if (refused > 0) {
      const shown = summary.problems.map(({ row, to, code, reason }) => [String(row), to, code, reason]);
      lines.push('', formatTable(['row', 'to', 'code', 'reason'], shown));
    }
    if (refused > MOST_SHOWN) lines.push(`and ${refused - MOST_SHOWN} more`);
    return lines.join('\n');
  });
  if (refused > 0) throw new Failure(`${refused} of ${recipients.length} rows would be refused`);
}

function problemsOf(flow: BulkOptions['flow'], recipients: readonly Destination[]): RowProblem[] {
  const compiled = flow.messageFlow === undefined ? undefined : compileFlow(flow.messageFlow);
  if (compiled instanceof Problem) throw new Failure(`would be refused: ${compiled.code} ${compiled.result}`);
  const problems: RowProblem[] = [];
  for (const [index, recipient] of recipients.entries()) {
    const read = parseOmni({ ...flow, destinations: [recipient] });
    if (read instanceof Problem) throw new Failure(`would be refused: ${read.code} ${read.result}`);
    const [destination] = read.destinations;
    if (!destination) continue;
    const problem = 'problem' in destination ? destination.problem : compiled?.flowFor(destination.words);
    if (!(problem instanceof Problem)) continue;
    problems.push({ row: index + 1, to: recipient.to, code: problem.code, reason: problem.result });
  }
  return problems;
}
