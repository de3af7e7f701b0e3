/**
 * `npm run bench`: speed and memory, as ratios within one run.
 *
 * Rounds of every scenario alternate, so that a slow moment of the machine hits all of them; medians are shown.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { ADMIN_TOKEN, queueIsEmpty, tokenOf } from './gateway-calls.ts';
import { hasKannel } from './kannel.ts';
import { load, type Server, startServer } from './processes.ts';
import { configFor, measureKannel, reaches, startSmsc } from './through-smpp.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 40_000);
const CONNECTIONS = 64;
const BODY = JSON.stringify({
  from: '0212345678',
  to: '01012345678',
  text: '[봉수] 인증번호 482913, 3분 안에 입력해 주세요.',
  ref: 'order-20261115-0001',
});
const DEMO = { id: 'bench', password: 'bench-password' };

interface Sample {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const bare: Sample[] = [];
const accepts: Sample[] = [];
const acceptsWhileSending: Sample[] = [];
const endToEnd: number[] = [];
const idleMb: number[] = [];
const loadedMb: number[] = [];
const throughSmpp: number[] = [];
const kannel: number[] = [];
const kannelWithReceipts: number[] = [];

for (let round = 1; round <= ROUNDS; round++) {
  process.stderr.write(`round ${round} of ${ROUNDS}: bare node:http … `);
  const yardstick = await startServer('bench/bare-server.ts');
  bare.push(await load(orderFor(yardstick.port, {})));
  await yardstick.kill();

  process.stderr.write('accepts … ');
  await measureAccepts();
  process.stderr.write('accept to report … ');
  await measureEndToEnd();
  process.stderr.write('through SMPP … ');
  await measureThroughSmpp();
  if (hasKannel()) {
    process.stderr.write('Kannel … ');
    kannel.push(await measureKannel(quarterOf(orderFor(0, {})), false));
    kannelWithReceipts.push(await measureKannel(quarterOf(orderFor(0, {})), true));
  }
  process.stderr.write('done\n');
}

report();

/** Accepting alone: the carrier takes its window of messages and answers none, so nothing else is done. */
async function measureAccepts(): Promise<void> {
  await withGateway({ BONGSU_SIMULATOR_LATENCY: '900000-900000ms' }, async (server, authorization) => {
    const result = await load(orderFor(server.port, { authorization }));
    if (result.failures > 0) throw new Error(`${result.failures} sends were not accepted`);
    accepts.push(result);
  });
}

/** The whole path, from the first send until the last report is there. */
async function measureEndToEnd(): Promise<void> {
  await withGateway({ BONGSU_SIMULATOR_LATENCY: '0' }, async (server, authorization) => {
    idleMb.push(server.rssMb());
    const startedAt = performance.now();
    const result = await load(orderFor(server.port, { authorization }));
    if (result.failures > 0) throw new Error(`${result.failures} sends were not accepted`);
    acceptsWhileSending.push(result);
    loadedMb.push(server.rssMb());
    await queueIsEmpty(server);
    endToEnd.push((REQUESTS + warmUp()) / ((performance.now() - startedAt) / 1000));
  });
}

/** From the first send to the last report, over SMPP to a light SMSC in a process of its own. */
async function measureThroughSmpp(): Promise<void> {
  const smsc = await startSmsc();
  const config = configFor(smsc);
  try {
    await withGateway({ BONGSU_CONFIG: config.path }, async (server, authorization) => {
      const startedAt = performance.now();
      const result = await load(orderFor(server.port, { authorization }));
      if (result.failures > 0) throw new Error(`${result.failures} sends were not accepted`);
      const total = REQUESTS + warmUp();
      await reaches(smsc, total);
      await queueIsEmpty(server);
      throughSmpp.push(total / ((performance.now() - startedAt) / 1000));
    });
  } finally {
    config.remove();
    await smsc.kill();
  }
}

async function withGateway(
  env: Readonly<Record<string, string>>,
  measure: (server: Server, authorization: string) => Promise<void>,
): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'bongsu-bench-'));
  const server = await startServer('bin/start.js', {
    BONGSU_PORT: '0',
    BONGSU_DATA_DIR: dataDir,
    BONGSU_DEMO_ACCOUNT: `${DEMO.id}:${DEMO.password}`,
    BONGSU_ADMIN_TOKEN: ADMIN_TOKEN,
    BONGSU_LOG: 'warn',
    ...env,
  });
  try {
    await measure(server, `Bearer ${await tokenOf(server, DEMO)}`);
  } finally {
    await server.kill();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Both contestants are measured when they are warm; the gateway has more code for the compiler to see first. */
function warmUp(): number {
  return Math.round(REQUESTS * 0.75);
}

function orderFor(port: number, headers: Readonly<Record<string, string>>) {
  return {
    port,
    path: '/v1/send/sms',
    headers,
    body: BODY,
    connections: CONNECTIONS,
    warmUp: warmUp(),
    requests: REQUESTS,
  };
}

/** Kannel is slower and needs no warming up. */
function quarterOf(order: ReturnType<typeof orderFor>) {
  return { ...order, warmUp: Math.round(order.warmUp / 4), requests: Math.round(order.requests / 4) };
}

function report(): void {
  const acceptRate = median(accepts.map(({ perSecond }) => perSecond));
  const bareRate = median(bare.map(({ perSecond }) => perSecond));
  const whileSending = median(acceptsWhileSending.map(({ perSecond }) => perSecond));
  const endToEndRate = median(endToEnd);
  const rows = [
    ['bare `node:http`, same body', rate(bareRate), latency(bare), '1.00', ''],
    [
      'durable accepts',
      rate(acceptRate),
      latency(accepts),
      (acceptRate / bareRate).toFixed(2),
      '≥ 0.65 of bare',
    ],
    [
      'accepts while sending',
      rate(whileSending),
      latency(acceptsWhileSending),
      (whileSending / bareRate).toFixed(2),
      '',
    ],
    ['accept to report', rate(endToEndRate), '', (endToEndRate / acceptRate).toFixed(2), '≥ 0.50 of accepts'],
    ...smppRows(),
  ];
  const machine = `${cpus().length} cores (${process.arch}), ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}`;
  process.stdout.write(
    [
      `Machine: ${machine}. ${ROUNDS} rounds of ${REQUESTS} requests, ${CONNECTIONS} connections; medians.`,
      '',
      '| scenario | a second | p50 / p99 ms | ratio | goal |',
      '| --- | ---: | ---: | ---: | --- |',
      ...rows.map(row => `| ${row.join(' | ')} |`),
      '',
      `Memory (RSS): ${Math.round(median(idleMb))} MB idle (goal under 150), ${Math.round(median(loadedMb))} MB under load.`,
      '',
    ].join('\n'),
  );
}

function smppRows(): string[][] {
  const ours = median(throughSmpp);
  if (kannel.length === 0) {
    return [['accept through SMPP to report', rate(ours), '', '', 'Kannel is not installed: not compared']];
  }
  const theirs = median(kannel);
  const ratio = (ours / theirs).toFixed(2);
  return [
    ['accept through SMPP to report', rate(ours), '', ratio, '> 1.00 of Kannel'],
    ['Kannel, accept through SMPP, no receipts', rate(theirs), '', '1.00', ''],
    ['Kannel, with receipts', rate(median(kannelWithReceipts)), '', '', ''],
  ];
}

function rate(perSecond: number): string {
  return Math.round(perSecond).toLocaleString('en-US');
}

function latency(samples: readonly Sample[]): string {
  return `${median(samples.map(s => s.p50Ms)).toFixed(1)} / ${median(samples.map(s => s.p99Ms)).toFixed(1)}`;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}
