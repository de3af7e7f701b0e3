/**
 * `npm run bench statistics`: how long statistics over a million messages take, through the whole HTTP side of a gateway, on
 * both engines; and what counting the messages costs.
 *
 * The messages are those of 30 days: 50 accounts with 3 senders each, 4 channels, 3 carriers, a tenth of them failed with
 * one of 12 codes. Requests go one after the other while the gateway has nothing else to do.
 *
 * BENCH_MESSAGES fewer messages; BENCH_ENGINE=sqlite or postgres for one engine.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openGateway } from '../src/composition/gateway.ts';
import { loadConfig } from '../src/config/config.ts';
import { CHANNELS } from '../src/domain/channels/channel.ts';
import type { Flow } from '../src/domain/delivery/flow.ts';
import { settleStep } from '../src/domain/delivery/settlement.ts';
import { type AccountId, msgKeyOf, type RequestId, timePrefix } from '../src/domain/ids.ts';
import type { ReportCode } from '../src/domain/reports/report-codes.ts';
import { calendarOf } from '../src/platform/zoned-time.ts';
import type { Decide, Store } from '../src/store/store.ts';
import { startPostgres } from '../test/harness/postgres.ts';

const MESSAGES = Number(process.env.BENCH_MESSAGES ?? 1_000_000);
const ENGINES = process.env.BENCH_ENGINE ? [process.env.BENCH_ENGINE] : ['sqlite', 'postgres'];
const RUNS = 200;
const BATCH = 1000;
const ADMIN_TOKEN = 'bench-admin-token';
const DAY_MS = 24 * 3_600_000;
const SPAN_MS = 30 * DAY_MS;
const CARRIERS = ['alpha', 'beta', 'gamma'];
const CODES = [
  '22001',
  '22002',
  '22003',
  '22004',
  '23001',
  '23002',
  '23003',
  '23004',
  '23005',
  '23006',
  '23007',
  '23008',
];
const SENT = ['sms', 'mms', 'international', 'alimtalk'] as const;

const newest = Date.now();
const calendar = calendarOf('Asia/Seoul');
/** Like random numbers, and the same each time. */
function mixed(index: number, salt: number): number {
  let hash = Math.imul(index ^ Math.imul(salt, 0x9e3779b9), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
const pick = <T>(list: readonly T[], index: number, salt: number): T =>
  list[Math.floor(mixed(index, salt) * list.length)] as T;

/** Whole days are asked for, as the console does. */
const from = (days: number) => {
  const start = calendar.startOf(calendar.dateOf(newest - days * DAY_MS));
  return `from=${encodeURIComponent(new Date(start).toISOString())}`;
};

const QUESTIONS: Readonly<Record<string, string>> = {
  'today, by hour': 'by=hour',
  '30 days, total': from(30),
  '30 days, by day': `${from(30)}&by=day`,
  '30 days, by day and channel': `${from(30)}&by=day,channel`,
  '30 days, by hour': `${from(30)}&by=hour`,
  '30 days, by hour and carrier': `${from(30)}&by=hour,carrier`,
  '30 days, by account': `${from(30)}&by=account`,
  '30 days, by sender': `${from(30)}&by=sender`,
  '30 days, by code, channel and carrier': `${from(30)}&by=code,channel,carrier`,
  '30 days, usage (account and channel)': `${from(30)}&by=account,channel`,
  '30 days, one account, by hour': `${from(30)}&by=hour&account=account-7`,
  '30 days, one account, by sender and code': `${from(30)}&by=sender,code&account=account-7`,
  '30 days, one code, by account': `${from(30)}&by=account&code=23001`,
  '7 days, by hour and account': `${from(7)}&by=hour,account`,
};

for (const engine of ENGINES) {
  const dataDir = mkdtempSync(join(tmpdir(), 'bongsu-bench-'));
  const postgres = engine === 'postgres' ? await startPostgres({ fsync: true }) : undefined;
  const databaseUrl = await postgres?.createDatabase();
  const env = { BONGSU_DATA_DIR: dataDir, BONGSU_LOG: 'error', BONGSU_ADMIN_TOKEN: ADMIN_TOKEN };
  const gateway = await openGateway(
    loadConfig({ ...env, ...(databaseUrl && { BONGSU_DATABASE_URL: databaseUrl }) }, CHANNELS),
  );
  const ask = async (query: string) => {
    const startedAt = performance.now();
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const url = `/admin/v1/statistics/traffic?${query}`;
    const { statusCode, body } = await gateway.http.inject({ url, headers });
    if (statusCode !== 200) throw new Error(`${query}: ${statusCode}`);
    return { ms: performance.now() - startedAt, rows: JSON.parse(body).data.rows.length as number };
  };

  const filled = await fill(gateway.store);
  process.stdout.write(`\n${engine}, ${MESSAGES} messages: ${filled}\n\n`);
  process.stdout.write('| statistics | rows | p50 ms | p99 ms |\n| --- | --- | --- | --- |\n');
  for (const [name, query] of Object.entries(QUESTIONS)) {
    const { rows } = await ask(query);
    const times: number[] = [];
    for (let run = 0; run < RUNS; run++) times.push((await ask(query)).ms);
    const [p50, p99] = [0.5, 0.99].map(share => percentile(times, share).toFixed(1));
    process.stdout.write(`| ${name} | ${rows} | ${p50} | ${p99} |\n`);
  }
  await gateway.close();
  await postgres?.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

/** Accepts, claims, settles and counts for real, a batch at a time. */
async function fill(store: Store): Promise<string> {
  const startedAt = performance.now();
  let countMs = 0;
  for (let first = 0; first < MESSAGES; first += BATCH) {
    const now = newest - SPAN_MS + Math.floor((first / MESSAGES) * SPAN_MS);
    const batch = Array.from({ length: Math.min(BATCH, MESSAGES - first) }, (_, index) => first + index);
    await Promise.all(batch.map(index => accept(store, index, now)));
    for (const carrier of CARRIERS) await settle(store, carrier, now);
    const countedFrom = performance.now();
    while (await store.rollups.count({ now, acceptedBefore: now + 1, limit: 500, calendar }));
    countMs += performance.now() - countedFrom;
    if (first % 100_000 === 0) process.stderr.write(`${first} … `);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const perMessage = ((countMs / MESSAGES) * 1000).toFixed(1);
  return `filled in ${seconds.toFixed(0)} s, of which counting took ${perMessage} µs a message`;
}

async function settle(store: Store, carrier: string, now: number): Promise<void> {
  const accounts = await store.queue.readyAccounts({ carrier, after: undefined, limit: BATCH });
  const shares = accounts.map(account => ({ account, limit: BATCH }));
  const claimed = await store.queue.claim({
    owner: 'bench',
    claim: `${carrier}/${now}`,
    carrier,
    shares,
    now,
  });
  const numbered = claimed.map(live => ({ ...live, index: Number(live.ref) }));
  // Receipts come at different times, so that there are latencies.
  for (const [tenth, steps] of Map.groupBy(numbered, ({ index }) => index % 10)) {
    const events = steps.map(({ msgKey, step, attempt, index }) => {
      const reportCode = pick(CODES, index, 5) as ReportCode;
      const event =
        tenth === 0 ? ({ name: 'refused', reportCode } as const) : ({ name: 'receivedDelivered' } as const);
      return { kind: 'step', msgKey, step, attempt, event } as const;
    });
    await store.queue.settle(events, decideAt(now + 300 * 2 ** tenth));
  }
}

function accept(store: Store, index: number, now: number) {
  const requestId = `${timePrefix(now)}${String(index).padStart(19, '0')}` as RequestId;
  const account = Math.floor(mixed(index, 1) * 50);
  const carrier = pick(CARRIERS, index, 2);
  const route = { carrier, why: 'routes[0]' };
  const message = { msgKey: msgKeyOf(requestId, 0), to: '01012345678', words: undefined, route };
  return store.messages.accept({
    ...{ requestId, account: `account-${account}` as AccountId, acceptedAt: now, ref: String(index) },
    ...{
      paymentCode: undefined,
      flow: flowOf(index, account),
      messages: [message],
      deadlineAt: now + SPAN_MS,
    },
    ...{ claim: undefined, idempotency: undefined, isBulk: false, reportsLateDelivery: false },
  });
}

function flowOf(index: number, account: number): Flow {
  const channel = pick(SENT, index, 3);
  const sender = `02${String(1000 * account + Math.floor(mixed(index, 4) * 3)).padStart(7, '0')}`;
  return [
    { channel, from: sender, senderKey: sender, msgType: 'AT', parts: 1, text: '[봉수] 인증번호 482913' },
  ] as unknown as Flow;
}

function decideAt(now: number): Decide {
  const deadlines = { textMs: SPAN_MS, mmsMs: SPAN_MS, messengerMs: SPAN_MS };
  const route = () => ({ carrier: 'alpha', why: 'routes[0]' });
  return (live, event) => settleStep(live, event, { now, deadlines, route, jitter: 0 });
}

function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
