/**
 * `npm run bench attack`: what a quiet account notices when others attack. A gateway in a process of its own; a quiet account
 * that sends and polls a few times a second; in turns, nobody else, and all attackers at once: idle and slow connections,
 * guesses at passwords, and an account that floods. Then, in the place of those, pollers of one account with a thousand
 * records that it never deletes.
 *
 * Attackers and gateway share the machine, and attackers have what is left of it. To see what sharing it does to a quiet
 * account nevertheless, a third turn aims the same attackers at a bare `node:http`: the machine is as busy then, and the
 * gateway is not. The quiet client goes before the gateway, if the system lets it: it is elsewhere, too, and an answer that waits
 * for a processor to be read on is no later for that.
 *
 * On a virtual machine the host takes processors away for milliseconds, and the slowest answers would tell of nothing else. Where the
 * system lets it, a witness on each processor tells when that happened, and answers that were under way then are left out.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { AttackOrder, Counted, Timed } from './attack-client.ts';
import { ADMIN_TOKEN, queueIsEmpty, tokenOf } from './gateway-calls.ts';
import type { Pause } from './pause-witness.ts';
import { startServer } from './processes.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 15);
const IDLE = Number(process.env.BENCH_IDLE ?? 8000);
const SLOW = Number(process.env.BENCH_SLOW ?? 1000);
const GUESSES = Number(process.env.BENCH_GUESSES ?? 300);
const FLOOD = Number(process.env.BENCH_FLOOD ?? 64);
const POLLERS = Number(process.env.BENCH_POLLERS ?? 64);
/**
 * Attackers are elsewhere, in life: here they have the time that the gateway and the quiet client leave them. With the lowest priority
 * they still had a processor for 0.3 s of 9 while a thread of the gateway waited for it.
 */
const LEAVES_OTHERS_THE_PROCESSOR =
  process.platform === 'linux' ? ['chrt', '--idle', '0'] : ['nice', '-n', '19'];
const BEFORE_ALL_OTHERS = (processor: number) => ['chrt', '-f', '50', 'taskset', '-c', String(processor)];
const BEFORE_THE_GATEWAY = ['chrt', '-f', '40'];
const QUIET_PER_SECOND = 60;
/** Of a processor, with the quiet account alone. */
const CALM_CPU_SHARE = 0.15;
const NODE = [process.execPath, '--disable-warning=ExperimentalWarning'];
const PASSWORD = 'bench-password';
const SEND = { from: '0212345678', to: '01012345678', text: 'hello' };

interface Client<Answer = Counted> {
  counted(): Promise<Answer>;
  end(): Promise<void>;
}

interface Phase {
  readonly send: readonly number[];
  readonly poll: readonly number[];
  /** How many answers were left out, because a processor stood still meanwhile. */
  readonly leftOut: number;
  /** How much of the time the gateway was ready to work and had no processor: what others on the machine took. */
  readonly withoutProcessor: number;
}

const dataDir = mkdtempSync(join(tmpdir(), 'bongsu-bench-attack-'));
const gateway = await startServer('bin/start.js', {
  BONGSU_PORT: '0',
  BONGSU_DATA_DIR: dataDir,
  BONGSU_DEMO_ACCOUNT: `quiet:${PASSWORD}`,
  BONGSU_ADMIN_TOKEN: ADMIN_TOKEN,
  BONGSU_LOG: 'error',
});
const bare = await startServer('bench/bare-server.ts');
const url = `http://127.0.0.1:${gateway.port}`;
const [floodToken, pollToken] = [await newAccount('flood'), await newAccount('poller')];
const quietToken = await tokenOf(gateway, { id: 'quiet', password: PASSWORD });
const quietRequests = [
  request('POST', '/v1/send/sms', quietToken, SEND),
  request('GET', '/v1/report/polling', quietToken),
];

const quiet = await startQuiet();

const witnesses = await startWitnesses();

const calm: Phase[] = [];
const busy: Phase[] = [];
const attacked: Phase[] = [];
const polled: Phase[] = [];
const facts = { open: 0, closed: 0, evaluated: 0, guesses: 0, accepted: 0, refused: 0, polls: 0, seconds: 0 };

try {
  process.stderr.write('warm-up … ');
  await leaveRecords(1000);
  await underAttack(gateway.port, () => wait(8), false);
  await queueIsEmpty(gateway, QUIET_PER_SECOND);
  for (let round = 1; round <= ROUNDS; round++) {
    process.stderr.write(`round ${round} of ${ROUNDS}: calm … `);
    await queueIsEmpty(gateway, QUIET_PER_SECOND);
    await backgroundIsDone();
    calm.push(await quietFor(SECONDS));
    process.stderr.write('busy machine … ');
    await underAttack(bare.port, async () => void busy.push(await quietFor(SECONDS)), false);
    process.stderr.write('attack … ');
    await underAttack(gateway.port, async () => void attacked.push(await quietFor(SECONDS)), true);
    process.stderr.write('pollers … ');
    const requests = [request('GET', '/v1/report/polling', pollToken)];
    const pollers = await start({ kind: 'storm', port: gateway.port, connections: POLLERS, requests });
    polled.push(await quietFor(SECONDS));
    facts.polls += (await pollers.counted()).codes.A000 ?? 0;
    await pollers.end();
    process.stderr.write('done\n');
  }
  report();
} finally {
  await quiet.end();
  for (const witness of witnesses) await witness.end();
  await gateway.kill();
  await bare.kill();
  rmSync(dataDir, { recursive: true, force: true });
}

/** Runs `act` while all attackers are at it. */
async function underAttack(port: number, act: () => Promise<void>, isCounted: boolean): Promise<void> {
  const guessAt = (id: string) =>
    `POST /v1/auth/token HTTP/1.1\r\nhost: gateway\r\nx-svc-client-id: ${id}\r\nx-svc-client-passwd: guess {n}\r\ncontent-length: 0\r\n\r\n`;
  // Connections that are only held cost a bare server nothing.
  const [idle, slow] = port === gateway.port ? [IDLE, SLOW] : [0, SLOW];
  const hold = await start({ kind: 'hold', port, idle, slow });
  const wanted = idle + slow;
  for (let seconds = 0; seconds < 60 && (await hold.counted()).open < wanted * 0.99; seconds++) await wait(1);
  const guesses = await start({
    kind: 'storm',
    port,
    connections: GUESSES,
    requests: [guessAt('quiet'), guessAt('nobody-{n}')],
  });
  const flood = await start({
    kind: 'storm',
    port,
    connections: FLOOD,
    requests: [request('POST', '/v1/send/sms', floodToken, SEND)],
  });
  await wait(2);
  for (const client of [hold, guesses, flood]) await client.counted();
  const startedAt = performance.now();
  await act();
  if (isCounted) {
    facts.seconds += (performance.now() - startedAt) / 1000;
    const { open, closed } = await hold.counted();
    facts.open = Math.max(facts.open, open);
    facts.closed += closed;
    const guessed = (await guesses.counted()).codes;
    facts.evaluated += guessed.A100 ?? 0;
    facts.guesses += sum(Object.values(guessed));
    const sent = (await flood.counted()).codes;
    facts.accepted += sent.A000 ?? 0;
    facts.refused += sum(Object.values(sent)) - (sent.A000 ?? 0);
  }
  await Promise.all([hold, guesses, flood].map(client => client.end()));
  await wait(2);
}

/** Messages of a flood are made searchable and are counted for a while after they are sent; that is not calm. */
async function backgroundIsDone(): Promise<void> {
  for (let seconds = 0; seconds < 120; seconds++) {
    const before = gateway.cpuSeconds();
    await wait(1);
    if (gateway.cpuSeconds() - before < CALM_CPU_SHARE) return;
  }
  process.stderr.write('the gateway did not come to rest … ');
}

async function quietFor(seconds: number): Promise<Phase> {
  await wait(1);
  for (const client of [quiet, ...witnesses]) await client.counted();
  const waitedBefore = gateway.waitedMs();
  await wait(seconds);
  const withoutProcessor = (gateway.waitedMs() - waitedBefore) / 1000 / seconds;
  const { answers, codes } = await quiet.counted();
  const pauses = (await Promise.all(witnesses.map(witness => witness.counted()))).flat();
  const failed = Object.keys(codes).filter(code => code !== 'A000');
  if (failed.length > 0) process.stderr.write(`the quiet account was answered ${JSON.stringify(codes)} `);
  const [send = [], poll = []] = answers.map(list => list.filter(answer => !wasPaused(answer, pauses)));
  return {
    send: send.map(([, tookMs]) => tookMs),
    poll: poll.map(([, tookMs]) => tookMs),
    leftOut: answers.flat().length - send.length - poll.length,
    withoutProcessor,
  };
}

function wasPaused([at, tookMs]: Timed, pauses: readonly Pause[]): boolean {
  return pauses.some(([from, to]) => from < at + tookMs && to > at);
}

/** None where the system does not let a process go before all others. */
async function startWitnesses(): Promise<readonly Client<readonly Pause[]>[]> {
  const script = new URL('./pause-witness.ts', import.meta.url).pathname;
  try {
    return await Promise.all(
      cpus().map((_, processor) =>
        startProcess<readonly Pause[]>([...BEFORE_ALL_OTHERS(processor), ...NODE, script]),
      ),
    );
  } catch {
    process.stderr.write('no witness of pauses (that takes root, chrt and taskset): no answer is left out\n');
    return [];
  }
}

async function startQuiet(): Promise<Client> {
  const command = commandOf({
    kind: 'quiet',
    port: gateway.port,
    perSecond: QUIET_PER_SECOND,
    requests: quietRequests,
  });
  try {
    return await startProcess([...BEFORE_THE_GATEWAY, ...command]);
  } catch {
    process.stderr.write(
      'the quiet client shares the processors with the gateway (more takes root and chrt)\n',
    );
    return startProcess(command);
  }
}

function start(order: AttackOrder): Promise<Client> {
  return startProcess([...LEAVES_OTHERS_THE_PROCESSOR, ...commandOf(order)]);
}

function commandOf(order: AttackOrder): readonly string[] {
  const script = new URL('./attack-client.ts', import.meta.url).pathname;
  return [...NODE, script, JSON.stringify(order)];
}

/** A process that prints `ready`, and then the JSON of what it has counted for each line that it reads. */
async function startProcess<Answer>([program = '', ...args]: readonly string[]): Promise<Client<Answer>> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child, 'spawn');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  if ((await lines.next()).done) throw new Error(`${program} ended at once`);
  return {
    async counted() {
      child.stdin.write('\n');
      return JSON.parse(String((await lines.next()).value)) as Answer;
    },
    async end() {
      const exited = new Promise(resolve => child.once('exit', resolve));
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function request(method: string, path: string, token: string, body?: object): string {
  const text = body ? JSON.stringify(body) : '';
  const head = [
    `${method} ${path} HTTP/1.1`,
    'host: gateway',
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(text)}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${text}`;
}

async function newAccount(id: string): Promise<string> {
  await fetch(`${url}/admin/v1/accounts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id, password: PASSWORD }),
  });
  return tokenOf(gateway, { id, password: PASSWORD });
}

/** A batch that its account fetches again and again. */
async function leaveRecords(count: number): Promise<void> {
  const destinations = Array.from({ length: 10 }, (_, index) => ({ to: `0101234567${index}` }));
  const body = JSON.stringify({ destinations, messageFlow: [{ sms: { from: SEND.from, text: SEND.text } }] });
  const headers = { authorization: `Bearer ${pollToken}`, 'content-type': 'application/json' };
  for (let sent = 0; sent < count; sent += 10) {
    await fetch(`${url}/v1/send/omni`, { method: 'POST', headers, body });
  }
  await wait(5);
}

function report(): void {
  const calmly = figures(calm);
  const rows = [
    ['nobody else', calmly],
    ['the same attackers at a bare `node:http`', figures(busy)],
    ['all attackers at the gateway', figures(attacked)],
    [`${POLLERS} pollers of a thousand records`, figures(polled)],
  ] as const;
  const perSecond = (count: number) => Math.round(count / facts.seconds).toLocaleString('en-US');
  process.stdout.write(
    [
      `${cpus().length} cores (${process.arch}), Node ${process.version}; ${ROUNDS} rounds of ${SECONDS} s each, all answers of a kind together.`,
      '',
      '| a quiet account, while there are | send p50 / p99 ms | p99 to calm | poll p50 / p99 ms | p99 to calm | without processor | left out |',
      '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
      ...rows.map(
        ([what, { send, poll, withoutProcessor, leftOut }]) =>
          `| ${what} | ${ms(send.p50)} / ${ms(send.p99)} | ${(send.p99 / calmly.send.p99).toFixed(2)} | ${ms(poll.p50)} / ${ms(poll.p99)} | ${(poll.p99 / calmly.poll.p99).toFixed(2)} | ${percent(withoutProcessor)} | ${percent(leftOut)} |`,
      ),
      '',
      'Goal: all attackers, p99 to calm at most 3.00. Without processor: the share of time in which the gateway could have worked and others had the processor; above a few per cent the machine is measured, not the gateway. Left out: answers that were under way while a processor stood still.',
      `Attackers: ${facts.open} connections held, ${facts.closed} closed by the gateway; ${perSecond(facts.guesses)} guesses a second answered on ${GUESSES} connections, ${facts.evaluated} evaluated in all; ${perSecond(facts.accepted)} sends a second of the flood accepted and ${perSecond(facts.refused)} refused on ${FLOOD} connections.`,
      `Pollers: ${Math.round(facts.polls / (ROUNDS * SECONDS))} polls a second.`,
      '',
    ].join('\n'),
  );
}

function figures(phases: readonly Phase[]) {
  const of = (kind: 'send' | 'poll') => {
    const all = phases.flatMap(phase => phase[kind]);
    return { p50: at(all, 0.5), p99: at(all, 0.99), count: all.length };
  };
  const [send, poll] = [of('send'), of('poll')];
  const leftOut = sum(phases.map(phase => phase.leftOut));
  return {
    send,
    poll,
    leftOut: leftOut / (leftOut + send.count + poll.count),
    withoutProcessor: median(phases.map(phase => phase.withoutProcessor)),
  };
}

function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

function median(values: readonly number[]): number {
  return at(values, 0.5);
}

function ms(value: number): string {
  return value.toFixed(1);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function wait(seconds: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, seconds * 1000));
}
