/**
 * `bongsu send --csv recipients.csv …`: a flow, a body or a text to a whole list, ten recipients a request.
 *
 * The result of each row is written to a file next to the list. A run that was interrupted continues where the
 * results end; a request whose answer was lost is repeated under the same idempotency key, so nobody gets it twice. A run is a
 * list, a message and the name that `--run` gives. The key covers these and the rows: equal rows of another file are sent, and
 * so is another message to the same list. What the gateway answers from memory is told as a replay.
 */
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import {
  type BongsuClient,
  type Destination,
  GatewayRefusal,
  type OmniSend,
} from '../../client/bongsu-client.ts';
import { PLACEHOLDER, placeholdersIn } from '../domain/text/substitution.ts';
import { sleep, systemClock } from '../platform/clock.ts';
import { REPLAY, ResultsFile, type RowResult, readRecipients } from './bulk-files.ts';
import { Failure, WrongUsage, warn } from './failure.ts';
import { formatTable, type OutputOptions, print } from './output.ts';
import { Progress } from './progress.ts';

export interface BulkOptions extends OutputOptions {
  readonly flow: Omit<OmniSend, 'destinations'>;
  readonly csv: string;
  /** Another name sends the same list again. */
  readonly run?: string;
}

export const BATCH = 10;
const CONCURRENT = 4;
const LONGEST_PAUSE_MS = 10_000;
/** Characters of a hex digest, enough to tell the runs of one list apart. */
const RUN_LENGTH = 16;
const SUCCESS = 'A000';

/** The rows of the list, which has a value for every placeholder of the flow. */
export function recipientsFor({ flow, csv }: Pick<BulkOptions, 'flow' | 'csv'>): Destination[] {
  const recipients = readRecipients(csv);
  const columns = Object.keys(recipients[0]?.replaceWords ?? {});
  const missing = placeholdersIn(flow.messageFlow ?? []).filter(key => !columns.includes(key));
  if (recipients.length > 0 && missing.length > 0) {
    const names = missing.map(key => `#{${key}}`).join(', ');
    throw new WrongUsage(`${csv} has no column for ${names}: every row would be refused`);
  }
  const odd = recipients.findIndex(({ replaceWords = {} }) =>
    Object.values(replaceWords).some(value => value.search(PLACEHOLDER) >= 0),
  );
  if (odd >= 0) warn(`row ${odd + 1} of ${csv} has a value like #{name}: it is sent literally`);
  return recipients;
}

export async function sendBulk(client: BongsuClient, options: BulkOptions): Promise<void> {
  const { flow } = options;
  const recipients = recipientsFor(options);
  const run = runOf(flow, options.run);
  const file = new ResultsFile(options.csv, recipients, run, BATCH);
  const path = realpathSync(options.csv);
  const skipped = file.results.length;
  const progress = new Progress(recipients.length, skipped);
  const batches: { readonly first: number; readonly rows: readonly Destination[] }[] = [];
  for (let first = skipped; first < recipients.length; ) {
    const end = file.endOf(first);
    batches.push({ first, rows: recipients.slice(first, end) });
    first = end;
  }

  // Several requests run at once; their results are written in the order of the list, because a later run continues
  // after the last one.
  const underWay: Promise<RowResult[]>[] = [];
  try {
    for (let next = 0; next < batches.length || underWay.length > 0; ) {
      while (next < batches.length && underWay.length < CONCURRENT) {
        const { first = 0, rows = [] } = batches[next++] ?? {};
        const sending = sendBatch(client, flow, rows, keyOf(first, rows));
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

  function keyOf(first: number, rows: readonly Destination[]): string {
    const hash = createHash('sha256').update(JSON.stringify([run, path, first, rows]));
    return `bulk-${hash.digest('base64url')}`;
  }
}

/** What is sent, and under which name: the same list gets another message, or the same again under another name. */
function runOf(flow: Omit<OmniSend, 'destinations'>, name = ''): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([name, flow]))
    .digest('hex');
  return digest.slice(0, RUN_LENGTH);
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
      return sent.destinations.map(({ to, msgKey, code, result }) => {
        const reason = code === SUCCESS ? (sent.isReplay ? REPLAY : '') : result;
        return { to, msgKey: msgKey ?? '', code, reason };
      });
    } catch (error) {
      if (!(error instanceof GatewayRefusal && error.code === 'A020')) throw error;
      await sleep(systemClock, pauseMs);
    }
  }
}

function summarize(options: BulkOptions, file: ResultsFile, skipped: number): void {
  const { results } = file;
  const byCode = Map.groupBy(results, ({ code }) => code);
  const refused = results.length - (byCode.get(SUCCESS)?.length ?? 0);
  const replayed = results.filter(({ reason }) => reason === REPLAY).length;
  const codes = Object.fromEntries([...byCode].map(([code, rows]) => [code, rows.length]));
  const summary = { rows: results.length, skipped, refused, replayed, codes, results: file.path };
  print(options, summary, () => {
    const rows = [...byCode].map(([code, ofCode]) => [code, String(ofCode.length), ofCode[0]?.reason ?? '']);
    const before = skipped > 0 ? `, ${skipped} of them in an earlier run` : '';
    return `${formatTable(['code', 'rows', 'reason'], rows)}\n\n${summary.rows} rows${before}: ${file.path}`;
  });
  if (skipped > 0 && skipped === results.length) {
    warn('every row was sent before by the same command: nothing was sent now; --run NAME sends them again');
  }
  if (replayed > 0) {
    warn(
      `${replayed} of ${summary.rows} rows are replays: they were sent before by the same command, and not again; --run NAME sends them again`,
    );
  }
  if (refused > 0) throw new Failure(`${refused} of ${summary.rows} rows were refused: see ${file.path}`);
}
