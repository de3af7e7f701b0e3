/**
 * `npm run suite scale`: a PostgreSQL with a large day that is over, a campaign whose texts have to go, and a reader that holds its locks
 * for minutes, as `pg_dump` does. Sends go on beside all of it, by a gateway of its own process.
 *
 *   --records N    messages with their records in the day that is over (200,000)
 *   --campaign N   recipients whose texts have to go (20,000), a thousand in each request
 *   --rate N       sends a second (50)
 *   --seconds N    of each phase at least (10); the reader reads all once, however long that takes
 *   --minute N     seconds that a minute of the gateway's sweeps has (2): 60 for their real pace
 *
 * Fails if a send is refused, a sweep reports a failure, a text stays, or the day is not dropped when the reader has left.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { startPostgres } from '../harness/postgres.ts';
import { DAY_MS, type Day, fillDay, openAt, startBehind, textsGoneUntil } from './large-day-rows.ts';
import { LongReader } from './long-reader.ts';
import { Sender, type Sent } from './steady-sender.ts';

const GATEWAY = new URL('./hurried-gateway.ts', import.meta.url).pathname;
const PASSWORD = 'correct horse battery staple';
/** Of the gateway's minutes: after rounds without a lock it leaves out up to 60. */
const MOST_MINUTES = 75;

const LOOK_MS = 250;

interface Phase extends Sent {
  readonly phase: string;
  readonly seconds: number;
}

async function run(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      records: { type: 'string', default: '200000' },
      campaign: { type: 'string', default: '20000' },
      rate: { type: 'string', default: '50' },
      seconds: { type: 'string', default: '10' },
      minute: { type: 'string', default: '2' },
    },
  });
  const [records, campaign, rate] = [Number(values.records), Number(values.campaign), Number(values.rate)];
  const [leastMs, minuteMs] = [1000 * Number(values.seconds), 1000 * Number(values.minute)];
  const startedAt = performance.now();
  const tell = (text: string) =>
    console.log(`${String(Math.round((performance.now() - startedAt) / 1000)).padStart(5)} s  ${text}`);

  const postgres = await startPostgres({ fsync: true });
  const dataDir = mkdtempSync(join(tmpdir(), 'bongsu-scale-'));
  const url = await postgres.createDatabase('empty');
  const sql = new Client(url);
  await sql.connect();
  // As for a server that is written to this much; and a dump reads each table by one process.
  await sql.query(`ALTER SYSTEM SET max_wal_size = '4GB'`);
  await sql.query('ALTER SYSTEM SET max_parallel_workers_per_gather = 0');
  await sql.query('SELECT pg_reload_conf()');
  const phases: Phase[] = [];
  const failures: string[] = [];
  try {
    // A day is in UTC, as partitions are.
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const over: Day = { startsAt: today - 10 * DAY_MS, messages: records, hasTexts: false };
    const ended: Day = { startsAt: today - 3 * DAY_MS, messages: campaign, hasTexts: true };
    for (const day of [over, ended]) {
      await openAt(url, day.startsAt);
      await fillDay(sql, day, tell);
    }
    await startBehind(sql, ended);
    const { rows } = await sql.query('SELECT pg_database_size(current_database()) AS bytes');
    const filledMs = performance.now() - startedAt;
    const megabytes = Math.round(Number(rows[0].bytes) / 1e6);
    tell(`filled: ${megabytes} MB`);

    const isOver = new Date(over.startsAt).toISOString().slice(0, 10).replaceAll('-', '');
    const partitionsLeft = async () => {
      const found = await sql.query(`SELECT FROM pg_class WHERE relkind = 'r' AND relname LIKE $1`, [
        `%\\_${isOver}`,
      ]);
      return found.rowCount ?? 0;
    };
    const textsLeft = async () => {
      const found = await sql.query(
        `SELECT count(*)::integer AS texts FROM request WHERE account = 'campaign' AND text_removed_at IS NULL`,
      );
      return Number(found.rows[0].texts);
    };
    const phase = async (name: string, gateway: { readonly url: string }, work: () => Promise<unknown>) => {
      const sender = await Sender.begin({ url: gateway.url, id: 'demo', password: PASSWORD }, rate);
      const begunAt = performance.now();
      await Promise.all([work(), pause(leastMs)]);
      const found = { phase: name, seconds: (performance.now() - begunAt) / 1000, ...(await sender.end()) };
      phases.push(found);
      tell(`${name}: ${JSON.stringify(found)}`);
    };

    const env = { BONGSU_DATABASE_URL: url, BONGSU_DATA_DIR: dataDir };
    const before = await startGateway({ ...env, BONGSU_INQUIRY_WINDOW: '30d', BONGSU_TEXT_RETENTION: '30d' });
    await phase('nothing is due', before, async () => {});
    failures.push(...(await before.stop()));
    // While texts are kept longer, what removes them goes back.
    await textsGoneUntil(sql, ended);

    const reader = await LongReader.begin(url);
    tell(`the reader is ${reader.kind}`);
    const dueEnv = {
      ...env,
      BONGSU_INQUIRY_WINDOW: '7d',
      BONGSU_TEXT_RETENTION: '2d',
      MINUTE_MS: String(minuteMs),
    };
    const gateway = await startGateway(dueEnv);
    const dueAt = performance.now();
    let textsGoneMs = 0;
    let readMs = 0;
    await phase('texts and a day are due, beside the reader', gateway, async () => {
      const texts = async () => {
        await waitUntil('all texts are gone', async () => (await textsLeft()) === 0, MOST_MINUTES * minuteMs);
        textsGoneMs = performance.now() - dueAt;
      };
      const reading = async () => {
        await reader.hasReadAll;
        readMs = performance.now() - dueAt;
      };
      await Promise.all([texts(), reading()]);
    });
    const keptByReader = await partitionsLeft();
    const leftAt = performance.now();
    await reader.leave();
    let droppedMs = 0;
    await phase('the reader has left', gateway, async () => {
      await waitUntil(
        'the day is dropped',
        async () => (await partitionsLeft()) === 0,
        MOST_MINUTES * minuteMs,
      );
      droppedMs = performance.now() - leftAt;
    });
    failures.push(...(await gateway.stop()));

    show(phases);
    console.log(`
${records.toLocaleString('en')} messages with records in the day that is over, ${campaign.toLocaleString('en')} recipients with texts: ${megabytes.toLocaleString('en')} MB, filled in ${seconds(filledMs)}.
The reader (${reader.kind}) had read all after ${seconds(readMs)}.
Texts gone ${seconds(textsGoneMs)} after the start of the gateway, whose sweeps come every ${seconds(minuteMs)}.
Partitions of the day beside the reader: ${keptByReader}; dropped ${seconds(droppedMs)} after it had left.
${cpus().length} × ${cpus()[0]?.model.trim()}, load ${loadavg()
      .map(each => each.toFixed(1))
      .join(' ')}.`);
    for (const failure of failures) console.log(failure);
    return failures.length === 0 && phases.every(({ refused }) => refused === 0);
  } finally {
    await sql.end();
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

interface RunningGateway {
  readonly url: string;
  /** Resolves to the failures in its log. */
  stop(): Promise<string[]>;
}

async function startGateway(env: Readonly<Record<string, string>>): Promise<RunningGateway> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', GATEWAY], {
    env: { ...process.env, BONGSU_DEMO_ACCOUNT: `demo:${PASSWORD}`, BONGSU_SIMULATOR_LATENCY: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  let log = '';
  let out = '';
  child.stderr.on('data', chunk => {
    log += chunk;
  });
  child.stdout.on('data', chunk => {
    out += chunk;
  });
  await waitUntil(
    'the gateway listens',
    async () => /http:\S+\n/.test(out) || child.exitCode !== null,
    120_000,
  );
  if (child.exitCode !== null) throw new Error(`the gateway ended:\n${log}`);
  const url = out.trim();
  return {
    url,
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      return log.split('\n').filter(line => /"level":(50|60)/.test(line));
    },
  };
}

async function waitUntil(what: string, isSo: () => Promise<boolean>, withinMs: number): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > giveUpAt) throw new Error(`waited in vain until ${what}`);
    await pause(LOOK_MS);
  }
}

function show(phases: readonly Phase[]): void {
  console.log(
    '\n| phase | time | sends | p50 | p99 | longest | over 1 s |\n| --- | --- | --- | --- | --- | --- | --- |',
  );
  for (const { phase, seconds: time, sends, p50Ms, p99Ms, longestMs, overSecond } of phases) {
    const cells = [phase, `${Math.round(time)} s`, sends, ms(p50Ms), ms(p99Ms), ms(longestMs), overSecond];
    console.log(`| ${cells.join(' | ')} |`);
  }
}

function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 1 : 0)} ms`;
}

function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 1000)} s`;
}

// So that whatever was started is ended too.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
process.exit((await run()) ? 0 : 1);
