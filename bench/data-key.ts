/**
 * `npm run bench:data-key`: what a data key costs, on both engines. Gateways without and with one take turns; medians of
 * the ratios of each round are shown.
 *
 * BENCH_REQUESTS, BENCH_ROUNDS; BENCH_ENGINE=sqlite or postgres for one engine.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../test/harness/postgres.ts';
import { ADMIN_TOKEN, queueIsEmpty, tokenOf } from './gateway-calls.ts';
import { load, startServer } from './processes.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 20_000);
const ENGINES = process.env.BENCH_ENGINE ? [process.env.BENCH_ENGINE] : ['sqlite', 'postgres'];
const WARM_UP = Math.round(REQUESTS / 2);
const CONNECTIONS = 64;
const DEMO = { id: 'bench', password: 'bench-password' };
const KEY = { BONGSU_DATA_KEY: randomBytes(32).toString('base64') };
const BODY = JSON.stringify({
  from: '0212345678',
  to: '01012345678',
  text: '[봉수] 인증번호 482913, 3분 안에 입력해 주세요.',
  ref: 'order-20261115-0001',
});

/** More is better; for the last, less. */
const MEASURES = ['accepts while sending, a second', 'accept to report, a second', 'processor, µs a message'];

type Sample = readonly number[];

process.stdout.write(
  `Machine: ${cpus().length} cores (${process.arch}), Node ${process.version}. ` +
    `${ROUNDS} rounds of ${WARM_UP + REQUESTS} requests; medians, and of the ratios the smallest and the largest.\n\n`,
);
process.stdout.write(
  '| engine | measure | without a key | with a key | ratio |\n| --- | --- | ---: | ---: | --- |\n',
);
for (const engine of ENGINES) {
  const rounds: { readonly plain: Sample; readonly sealed: Sample }[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    process.stderr.write(`${engine}, round ${round} of ${ROUNDS}\n`);
    // Whoever is second meets a warmer machine: they take turns.
    const isPlainFirst = round % 2 === 1;
    const first = await measure(engine, isPlainFirst ? {} : KEY);
    const second = await measure(engine, isPlainFirst ? KEY : {});
    rounds.push(isPlainFirst ? { plain: first, sealed: second } : { plain: second, sealed: first });
  }
  for (const [index, name] of MEASURES.entries()) {
    const plain = median(rounds.map(each => each.plain[index] ?? 0));
    const sealed = median(rounds.map(each => each.sealed[index] ?? 0));
    const ratios = rounds.map(each => (each.sealed[index] ?? 0) / (each.plain[index] ?? 1));
    const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
    process.stdout.write(
      `| ${engine} | ${name} | ${shown(plain)} | ${shown(sealed)} | ${median(ratios).toFixed(2)} (${range}) |\n`,
    );
  }
}

/** The whole path, from the first send until the last report is there. */
async function measure(engine: string, key: Readonly<Record<string, string>>): Promise<Sample> {
  const dataDir = mkdtempSync(join(tmpdir(), 'bongsu-bench-'));
  const postgres = engine === 'postgres' ? await startPostgres({ fsync: true }) : undefined;
  const server = await startServer('bin/start.js', {
    BONGSU_PORT: '0',
    BONGSU_DATA_DIR: dataDir,
    BONGSU_DEMO_ACCOUNT: `${DEMO.id}:${DEMO.password}`,
    BONGSU_ADMIN_TOKEN: ADMIN_TOKEN,
    BONGSU_SIMULATOR_LATENCY: '0',
    BONGSU_LOG: 'warn',
    // A slow moment of the machine is no failure.
    BONGSU_STORE_TIMEOUT: '60s',
    ...(postgres && { BONGSU_DATABASE_URL: await postgres.createDatabase() }),
    ...key,
  });
  try {
    const authorization = `Bearer ${await tokenOf(server, DEMO)}`;
    const cpuBefore = server.cpuSeconds();
    const startedAt = performance.now();
    const order = { port: server.port, path: '/v1/send/sms', headers: { authorization }, body: BODY };
    const counts = { connections: CONNECTIONS, warmUp: WARM_UP, requests: REQUESTS };
    const { failures, perSecond } = await load({ ...order, ...counts });
    if (failures > 0) throw new Error(`${failures} sends were not accepted`);
    await queueIsEmpty(server);
    const messages = WARM_UP + REQUESTS;
    const seconds = (performance.now() - startedAt) / 1000;
    const cpuMicros = ((server.cpuSeconds() - cpuBefore) * 1e6) / messages;
    return [perSecond, messages / seconds, cpuMicros];
  } finally {
    await server.kill();
    await postgres?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function shown(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}
