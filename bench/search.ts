/**
 * `npm run bench search`: how long the operator's searches take on an empty store and on one with a million messages,
 * through the whole HTTP side of a gateway, on both engines. Times of the full store are shown as ratios too.
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
import type { Decide, Store } from '../src/store/store.ts';
import { startPostgres } from '../test/harness/postgres.ts';

const MESSAGES = Number(process.env.BENCH_MESSAGES ?? 1_000_000);
const ENGINES = process.env.BENCH_ENGINE ? [process.env.BENCH_ENGINE] : ['sqlite', 'postgres'];
const RUNS = 200;
const BATCH = 1000;
const ADMIN_TOKEN = 'bench-admin-token';
const ROUTE = { carrier: 'c', why: 'routes[0]' };
const FLOW: Flow = [{ channel: 'sms', from: '0212345678', text: '[봉수] 인증번호 482913' }];
/** The messages lie this far back, evenly. */
const SPAN_MS = 20 * 3_600_000;

const newest = Date.now();
const numberOf = (index: number) => `010${String((index * 7919) % 100_000_000).padStart(8, '0')}`;

const SEARCHES: Readonly<Record<string, string>> = {
  'no filter': '',
  'recipient, one message': `to=${numberOf(4242)}`,
  'recipient, none': 'to=01000000001x',
  'reference, one message': 'ref=order-777',
  'account of every 20th message': 'account=account-7',
  'account of every 50,000th': 'account=rare',
  'state=delivered': 'state=delivered',
  'state=failed (every 20th)': 'state=failed',
  'code of every 50,000th': 'code=23002',
  'account and code': 'account=account-7&code=23001',
  'a group of the failure desk': 'account=account-7&code=23001&lastChannel=sms&carrier=c',
  'carrier of no message (bounded walk)': 'carrier=nobody',
  'state=queued (none)': 'state=queued',
  'one hour': `from=${isoAt(newest - 10 * 3_600_000)}&until=${isoAt(newest - 9 * 3_600_000)}`,
  'channel of no message (bounded walk)': 'channel=rcs',
};

for (const engine of ENGINES) {
  const dataDir = mkdtempSync(join(tmpdir(), 'bongsu-bench-'));
  const postgres = engine === 'postgres' ? await startPostgres({ fsync: true }) : undefined;
  const databaseUrl = await postgres?.createDatabase();
  const env = { BONGSU_DATA_DIR: dataDir, BONGSU_LOG: 'error', BONGSU_ADMIN_TOKEN: ADMIN_TOKEN };
  const gateway = await openGateway(
    loadConfig({ ...env, ...(databaseUrl && { BONGSU_DATABASE_URL: databaseUrl }) }, CHANNELS),
  );
  const search = async (query: string) => {
    const startedAt = performance.now();
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const { statusCode } = await gateway.http.inject({ url: `/admin/v1/messages?${query}`, headers });
    if (statusCode !== 200) throw new Error(`${query}: ${statusCode}`);
    return performance.now() - startedAt;
  };

  await measure(search);
  const empty = await measure(search);
  const filled = await fill(gateway.store);
  const full = await measure(search);
  process.stdout.write(`\n${engine}, ${MESSAGES} messages: ${filled}\n\n`);
  process.stdout.write(
    '| search | empty p50/p99 ms | full p50/p99 ms | ratio of p50 | of p99 |\n| --- | --- | --- | --- | --- |\n',
  );
  for (const name of Object.keys(SEARCHES)) {
    const [before, after] = [empty.get(name) ?? [], full.get(name) ?? []];
    const ratio = (share: number) => (percentile(after, share) / percentile(before, share)).toFixed(1);
    process.stdout.write(
      `| ${name} | ${shown(before)} | ${shown(after)} | ${ratio(0.5)} | ${ratio(0.99)} |\n`,
    );
  }
  await gateway.close();
  await postgres?.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function measure(search: (query: string) => Promise<number>): Promise<Map<string, number[]>> {
  const times = new Map<string, number[]>(Object.keys(SEARCHES).map(name => [name, []]));
  for (let run = 0; run < RUNS; run++) {
    for (const [name, query] of Object.entries(SEARCHES)) times.get(name)?.push(await search(query));
  }
  return times;
}

/** Accepts, claims, settles and indexes for real, a batch at a time. */
async function fill(store: Store): Promise<string> {
  const startedAt = performance.now();
  let indexMs = 0;
  for (let first = 0; first < MESSAGES; first += BATCH) {
    const now = newest - SPAN_MS + Math.floor((first / MESSAGES) * SPAN_MS);
    const batch = Array.from({ length: Math.min(BATCH, MESSAGES - first) }, (_, index) => first + index);
    await Promise.all(batch.map(index => accept(store, index, now)));
    const accounts = await store.queue.readyAccounts({ carrier: 'c', after: undefined, limit: BATCH });
    const shares = accounts.map(account => ({ account, limit: BATCH }));
    const claimed = await store.queue.claim({
      owner: 'bench',
      claim: `bench/${first}`,
      carrier: 'c',
      shares,
      now,
    });
    await store.queue.settle(
      claimed.map(({ msgKey, step, attempt, ref }) => {
        const index = Number(ref?.slice('order-'.length));
        const reportCode = index % 50_000 === 0 ? '23002' : '23001';
        const event =
          index % 20 === 0
            ? ({ name: 'refused', reportCode } as const)
            : ({ name: 'receivedDelivered' } as const);
        return { kind: 'step', msgKey, step, attempt, event };
      }),
      decideAt(now),
    );
    const indexedFrom = performance.now();
    while ((await store.search.index(newest, 500)) === 500);
    indexMs += performance.now() - indexedFrom;
    if (first % 100_000 === 0) process.stderr.write(`${first} … `);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const perMessage = ((indexMs / MESSAGES) * 1000).toFixed(1);
  return `filled in ${seconds.toFixed(0)} s, of which indexing took ${perMessage} µs a message`;
}

function accept(store: Store, index: number, now: number) {
  const requestId = `${timePrefix(now)}${String(index).padStart(19, '0')}` as RequestId;
  const account = (index % 50_000 === 0 ? 'rare' : `account-${index % 20}`) as AccountId;
  const message = { msgKey: msgKeyOf(requestId, 0), to: numberOf(index), words: undefined, route: ROUTE };
  return store.messages.accept({
    ...{ requestId, account, acceptedAt: now, ref: `order-${index}`, paymentCode: undefined, flow: FLOW },
    ...{
      messages: [message],
      deadlineAt: now + SPAN_MS,
      claim: undefined,
      idempotency: undefined,
      isBulk: false,
      reportsLateDelivery: false,
    },
  });
}

function decideAt(now: number): Decide {
  const deadlines = { textMs: SPAN_MS, mmsMs: SPAN_MS, messengerMs: SPAN_MS };
  return (live, event) => settleStep(live, event, { now, deadlines, route: () => ROUTE, jitter: 0 });
}

function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

function shown(times: readonly number[]): string {
  return `${percentile(times, 0.5).toFixed(2)} / ${percentile(times, 0.99).toFixed(2)}`;
}

function isoAt(ms: number): string {
  return encodeURIComponent(new Date(ms).toISOString());
}
