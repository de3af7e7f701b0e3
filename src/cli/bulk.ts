/**
 * `bongsu send --omni flow.json --csv recipients.csv`: a flow to a whole list, ten recipients a request.
 *
 * The result of each row is written to a file next to the list. A run that was interrupted continues where the
 * results end; a request whose answer was lost is repeated under the same idempotency key, so nobody gets it twice.
 */
import { createHash } from 'node:crypto';
import {
  type BongsuClient,
  type Destination,
  GatewayRefusal,
  type OmniSend,
} from '../../client/bongsu-client.ts';
import { sleep, systemClock } from '../platform/clock.ts';
import { ResultsFile, type RowResult, readFlow, readRecipients } from './bulk-files.ts';
import { Failure } from './failure.ts';
import { formatTable, type OutputOptions, print } from './output.ts';
import { Progress } from './progress.ts';

export interface BulkOptions extends OutputOptions {
  readonly omni: string;
  readonly csv: string;
  /** Another name sends the same list again. */
  readonly run?: string;
}

const BATCH = 10;
const CONCURRENT = 4;
const LONGEST_PAUSE_MS = 10_000;
const SUCCESS = 'A000';

export async function sendBulk(client: BongsuClient, options: BulkOptions): Promise<void> {
  const flow = readFlow(options.omni);
  const recipients = readRecipients(options.csv);
  const file = new ResultsFile(options.csv, recipients, BATCH);
  const skipped = file.results.length;
  const progress = new Progress(recipients.length, skipped);
  const batches: (readonly Destination[])[] = [];
  for (let first = skipped; first < recipients.length; first += BATCH) {
    batches.push(recipients.slice(first, first + BATCH));
  }

  // Several requests run at once; their results are written in the order of the list, because a later run continues
  // after the last one.
  const underWay: Promise<RowResult[]>[] = [];
  try {
    for (let next = 0; next < batches.length || underWay.length > 0; ) {
      while (next < batches.length && underWay.length < CONCURRENT) {
        const number = skipped / BATCH + next;
        const sending = sendBatch(client, flow, batches[next++] ?? [], keyOf(options, flow, number));
        // A failure is reported when this request is awaited.
        sending.catch(() => {});
        underWay.push(sending);
      }
      const results = (await underWay.shift()) ?? [];
      file.add(results);
      progress.add(results.length);
    }
  } catch (error) {
    progress.end();
    process.stderr.write(
      `bongsu: stopped after ${file.results.length} of ${recipients.length} rows; run the same command to continue\n`,
    );
    throw error;
  }
  progress.end();
  summarize(options, file, skipped);

  function keyOf({ run = '' }: BulkOptions, content: object, number: number): string {
    const batch = recipients.slice(number * BATCH, (number + 1) * BATCH);
    const hash = createHash('sha256').update(JSON.stringify([run, content, number, batch]));
    return `bulk-${hash.digest('base64url')}`;
  }
}

/** One request; a busy gateway is asked again later. */
async function sendBatch(
  client: BongsuClient,
  flow: Omit<OmniSend, 'destinations'>,
  destinations: readonly Destination[],
  idempotencyKey: string,
): Promise<RowResult[]> {
  for (let pauseMs = 500; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      const sent = await client.sendOmni({ ...flow, destinations }, { idempotencyKey });
      return sent.destinations.map(({ to, msgKey, code }) => ({ to, msgKey: msgKey ?? '', code }));
    } catch (error) {
      if (!(error instanceof GatewayRefusal && error.code === 'A020')) throw error;
      await sleep(systemClock, pauseMs);
    }
  }
}

function summarize(options: BulkOptions, file: ResultsFile, skipped: number): void {
  const byCode = Map.groupBy(file.results, ({ code }) => code);
  const refused = file.results.length - (byCode.get(SUCCESS)?.length ?? 0);
  const codes = Object.fromEntries([...byCode].map(([code, rows]) => [code, rows.length]));
  const summary = { rows: file.results.length, skipped, refused, codes, results: file.path };
  print(options, summary, () => {
    const rows = Object.entries(codes).map(([code, count]) => [code, String(count)]);
    const before = skipped > 0 ? `, ${skipped} of them in an earlier run` : '';
    return `${formatTable(['code', 'rows'], rows)}\n\n${summary.rows} rows${before}: ${file.path}`;
  });
  if (refused > 0) throw new Failure(`${refused} of ${summary.rows} rows were refused: see ${file.path}`);
}
