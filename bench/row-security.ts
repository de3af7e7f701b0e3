/**
 * `npm run bench row-security`: what row security costs on PostgreSQL, as ratios within one run.
 *
 * Two gateways, one with it and one without, each on a database of its own in one server. Short bursts
 * alternate between them; the ratio of two neighbours is taken, and the median of these, so that the moods of the machine
 * hit both alike. Time of the processors is that of the gateway and of its sessions in the server.
 *
 * BENCH_ROUNDS and BENCH_REQUESTS for more or fewer.
 */
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { startPostgres } from '../test/harness/postgres.ts';
import { ADMIN_TOKEN, queueIsEmpty, tokenOf } from './gateway-calls.ts';
import type { LoadOrder } from './load-client.ts';
import { load, type Server, startServer } from './processes.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 21);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 1_500);
const CONNECTIONS = 32;
/** The load generator counts its time from here on. */
const WARM_UP = 200;
const TOTAL = REQUESTS + WARM_UP;
const ACCOUNT = { id: 'bench', password: 'bench-password' };
const QUIET = { id: 'quiet', password: 'bench-password' };
const MICROSECONDS_PER_TICK = 10_000;
const SMS = JSON.stringify({ from: '0212345678', to: '01012345678', text: '[봉수] 인증번호 482913' });

const SCENARIOS = ['accepts while sending', 'accept to report', 'inquiry', 'poll, nothing there'] as const;
type Scenario = (typeof SCENARIOS)[number];
type Wall = 'on' | 'off';

interface Sample {
  readonly perSecond: number;
  readonly gatewayMicroseconds: number;
  readonly serverMicroseconds: number;
}

interface Contestant {
  readonly wall: Wall;
  readonly server: Server;
  readonly url: string;
  readonly tokens: Readonly<Record<string, string>>;
  readonly msgKey: string;
}

interface Read {
  readonly scenario: Scenario;
  readonly account: string;
  readonly pathOf: (contestant: Contestant) => string;
}

const READS: readonly Read[] = [
  { scenario: 'inquiry', account: ACCOUNT.id, pathOf: ({ msgKey }) => `/v1/report/inquiry/${msgKey}` },
  { scenario: 'poll, nothing there', account: QUIET.id, pathOf: () => '/v1/report/polling' },
];

const samples = new Map<string, Sample[]>();
const postgres = await startPostgres({ fsync: true });
const admin = new Client(postgres.url);
await admin.connect();
await admin.query(
  `CREATE ROLE bench LOGIN PASSWORD 'bench'; CREATE ROLE bench_account; GRANT bench_account TO bench`,
);
const gateways: Server[] = [];
try {
  const contestants = [await enter('off'), await enter('on')];
  for (let round = 0; round <= ROUNDS; round++) {
    process.stderr.write(`round ${round} of ${ROUNDS} … `);
    const order = round % 2 ? contestants : contestants.toReversed();
    for (const contestant of order) await measureSends(contestant, round);
    for (const read of READS) for (const contestant of order) await measureRead(contestant, read, round);
  }
  report();
} finally {
  for (const gateway of gateways) await gateway.kill();
  await admin.end();
  await postgres.stop();
}

/** Of a login as docs/configuration.md has it. */
async function ownDatabase(): Promise<string> {
  const url = new URL(await postgres.createDatabase());
  await admin.query(`ALTER DATABASE ${url.pathname.slice(1)} OWNER TO bench`);
  url.username = 'bench';
  url.password = 'bench';
  return url.href;
}

async function enter(wall: Wall): Promise<Contestant> {
  const url = await ownDatabase();
  const server = await startServer('bin/start.js', {
    BONGSU_PORT: '0',
    BONGSU_DATABASE_URL: url,
    BONGSU_ROW_SECURITY: wall,
    BONGSU_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
    BONGSU_DEMO_ACCOUNT: `${ACCOUNT.id}:${ACCOUNT.password}`,
    BONGSU_ADMIN_TOKEN: ADMIN_TOKEN,
    BONGSU_SIMULATOR_LATENCY: '0',
    BONGSU_LOG: 'warn',
  });
  gateways.push(server);
  await ask(server, '/admin/v1/accounts', ADMIN_TOKEN, JSON.stringify(QUIET));
  const tokens = {
    [ACCOUNT.id]: await tokenOf(server, ACCOUNT),
    [QUIET.id]: await tokenOf(server, QUIET),
  };
  const { msgKey } = await ask(server, '/v1/send/sms', tokens[ACCOUNT.id] ?? '', SMS);
  return { wall, server, url, tokens, msgKey: String(msgKey) };
}

/** From the first send until every report is there. */
async function measureSends(contestant: Contestant, round: number): Promise<void> {
  const before = await usedBy(contestant);
  const startedAt = performance.now();
  const { perSecond } = await run(contestant, ACCOUNT.id, {
    path: '/v1/send/sms',
    body: SMS,
    method: 'POST',
  });
  const accepted = await usedBy(contestant);
  keep(contestant, 'accepts while sending', round, perSecond, before, accepted);
  await queueIsEmpty(contestant.server);
  const endToEnd = TOTAL / ((performance.now() - startedAt) / 1000);
  keep(contestant, 'accept to report', round, endToEnd, before, await usedBy(contestant));
}

async function measureRead(contestant: Contestant, { scenario, account, pathOf }: Read, round: number) {
  const before = await usedBy(contestant);
  const { perSecond } = await run(contestant, account, { path: pathOf(contestant), body: '', method: 'GET' });
  keep(contestant, scenario, round, perSecond, before, await usedBy(contestant));
}

async function run(
  { server, tokens }: Contestant,
  account: string,
  what: Pick<LoadOrder, 'path' | 'body'> & { readonly method: 'GET' | 'POST' },
) {
  const headers = { authorization: `Bearer ${tokens[account]}` };
  const order = {
    port: server.port,
    headers,
    connections: CONNECTIONS,
    warmUp: WARM_UP,
    requests: REQUESTS,
    ...what,
  };
  const result = await load(order);
  if (result.failures > 0) throw new Error(`${result.failures} of ${what.path} failed`);
  return result;
}

interface Used {
  readonly at: number;
  readonly gateway: number;
  readonly server: number;
}

async function usedBy({ server, url }: Contestant): Promise<Used> {
  const { rows } = await admin.query<{ pid: number }>('SELECT pid FROM pg_stat_activity WHERE datname = $1', [
    new URL(url).pathname.slice(1),
  ]);
  const sessions = rows.map(({ pid }) => ticksOf(pid));
  return {
    at: performance.now(),
    gateway: ticksOf(server.pid) * MICROSECONDS_PER_TICK,
    server: sessions.reduce((sum, ticks) => sum + ticks, 0) * MICROSECONDS_PER_TICK,
  };
}

function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

/** The first round warms up. */
function keep(
  { wall }: Contestant,
  scenario: Scenario,
  round: number,
  perSecond: number,
  before: Used,
  now: Used,
): void {
  if (round === 0) return;
  const kept = samples.get(`${scenario} ${wall}`) ?? [];
  samples.set(`${scenario} ${wall}`, kept);
  kept.push({
    perSecond,
    gatewayMicroseconds: (now.gateway - before.gateway) / TOTAL,
    serverMicroseconds: (now.server - before.server) / TOTAL,
  });
}

function report(): void {
  process.stdout.write(
    [
      `${ROUNDS} rounds of ${REQUESTS} requests, ${CONNECTIONS} connections; without row security : with; medians, and the quarters of the ratios.`,
      '',
      '| scenario | a second | ratio | µs of the gateway | µs of the server | both, ratio |',
      '| --- | ---: | ---: | ---: | ---: | ---: |',
      ...SCENARIOS.map(rowOf),
      '',
    ].join('\n'),
  );
}

function rowOf(scenario: Scenario): string {
  const [off, on] = [samples.get(`${scenario} off`) ?? [], samples.get(`${scenario} on`) ?? []];
  const pair = (pick: (sample: Sample) => number) =>
    `${Math.round(median(off.map(pick)))} : ${Math.round(median(on.map(pick)))}`;
  const ratio = (pick: (sample: Sample) => number) => {
    const ratios = on.map((sample, round) => pick(sample) / pick(off[round] ?? sample));
    return `${median(ratios).toFixed(3)} (${quantile(ratios, 0.25).toFixed(2)} to ${quantile(ratios, 0.75).toFixed(2)})`;
  };
  const both = (sample: Sample) => sample.gatewayMicroseconds + sample.serverMicroseconds;
  const cells = [
    ...[scenario, pair(({ perSecond }) => perSecond), ratio(({ perSecond }) => perSecond)],
    ...[pair(sample => sample.gatewayMicroseconds), pair(sample => sample.serverMicroseconds), ratio(both)],
  ];
  return `| ${cells.join(' | ')} |`;
}

function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}

async function ask(
  server: Server,
  path: string,
  token: string,
  body: string,
): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}
