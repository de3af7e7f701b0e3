/**
 * `npm run bench data-key`: what a data key costs, on both engines. Gateways without and with one take turns; medians of
 * the ratios of each round are shown.
 *
 * BENCH_REQUESTS, BENCH_ROUNDS; BENCH_ENGINE=sqlite or postgres for one engine.
 */
import { randomBytes } from 'node:crypto';
import { cpus } from 'node:os';
import { queueIsEmpty } from './gateway-calls.ts';
import { ENGINES, type Engine, openEngine } from './gateway-under-test.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 20_000);
const CHOSEN = ENGINES.filter(name => name === (process.env.BENCH_ENGINE ?? name));
const WARM_UP = Math.round(REQUESTS / 2);
const CONNECTIONS = 64;
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
for (const name of CHOSEN) {
  const engine = await openEngine(name);
  const rounds: { readonly plain: Sample; readonly sealed: Sample }[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    process.stderr.write(`${name}, round ${round} of ${ROUNDS}\n`);
    // Whoever is second meets a warmer machine: they take turns.
    const isPlainFirst = round % 2 === 1;
    const first = await measure(engine, isPlainFirst ? {} : KEY);
    const second = await measure(engine, isPlainFirst ? KEY : {});
    rounds.push(isPlainFirst ? { plain: first, sealed: second } : { plain: second, sealed: first });
  }
  await engine.stop();
  for (const [index, measured] of MEASURES.entries()) {
    const plain = median(rounds.map(each => each.plain[index] ?? 0));
    const sealed = median(rounds.map(each => each.sealed[index] ?? 0));
    const ratios = rounds.map(each => (each.sealed[index] ?? 0) / (each.plain[index] ?? 1));
    const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
    process.stdout.write(
      `| ${name} | ${measured} | ${shown(plain)} | ${shown(sealed)} | ${median(ratios).toFixed(2)} (${range}) |\n`,
    );
  }
}

/** The whole path, from the first send until the last report is there. */
function measure(engine: Engine, key: Readonly<Record<string, string>>): Promise<Sample> {
  return engine.run(key, async gateway => {
    const cpuBefore = gateway.cpuSeconds();
    const startedAt = performance.now();
    const { perSecond } = await gateway.load({
      path: '/v1/send/sms',
      body: BODY,
      connections: CONNECTIONS,
      warmUp: WARM_UP,
      requests: REQUESTS,
    });
    await queueIsEmpty(gateway);
    const messages = WARM_UP + REQUESTS;
    const seconds = (performance.now() - startedAt) / 1000;
    const cpuMicros = ((gateway.cpuSeconds() - cpuBefore) * 1e6) / messages;
    return [perSecond, messages / seconds, cpuMicros];
  });
}

function shown(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}
