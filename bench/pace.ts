/**
 * `npm run bench pace`: how much of a carrier's limit is used when nobody has told us of it. A real gateway, an SMSC that is a
 * process of its own and throttles what is too much, no `rate` set, and more messages waiting than it can take.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from './processes.ts';
import { configFor } from './through-smpp.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 40);
const CHANGE_AFTER = SECONDS / 2;
const DEMO = { id: 'bench', password: 'bench-password' };
const RECIPIENTS = 10;

interface Figures {
  readonly seconds: number;
  readonly taken: number;
  readonly refused: number;
  readonly possible: number;
}

const COURSES: readonly (readonly [name: string, rate: number, later: number])[] = [
  ['200/s', 200, 200],
  ['200/s, then 100/s', 200, 100],
  ['200/s, then 400/s', 200, 400],
];

process.stdout.write(`${SECONDS} s each, the limit changes after ${CHANGE_AFTER} s\n\n`);
process.stdout.write('| limit | kind | used | refused | taken |\n| --- | --- | --- | --- | --- |\n');
for (const kind of ['tokenBucket', 'slidingWindow']) {
  for (const [name, rate, later] of COURSES) {
    const { taken, refused, possible } = await measure(kind, rate, later);
    const used = `${((100 * taken) / possible).toFixed(1)} %`;
    const share = `${((100 * refused) / (taken + refused)).toFixed(1)} %`;
    process.stdout.write(`| ${name} | ${kind} | ${used} | ${share} | ${taken} |\n`);
  }
}

async function measure(kind: string, rate: number, later: number): Promise<Figures> {
  const smsc = await startServer('bench/smsc-server.ts', {}, [
    kind,
    `${rate}`,
    `${later}`,
    `${CHANGE_AFTER}`,
  ]);
  const config = configFor(smsc);
  const dataDir = mkdtempSync(join(tmpdir(), 'bongsu-bench-pace-'));
  const gateway = await startServer('bin/start.js', {
    BONGSU_PORT: '0',
    BONGSU_DATA_DIR: dataDir,
    BONGSU_CONFIG: config.path,
    BONGSU_DEMO_ACCOUNT: `${DEMO.id}:${DEMO.password}`,
    BONGSU_LOG: 'warn',
  });
  try {
    // Half as much again as it can take, so that there is always something waiting.
    await fill(`http://127.0.0.1:${gateway.port}`, Math.ceil(CHANGE_AFTER * (rate + later) * 1.5));
    for (;;) {
      const figures = JSON.parse(await smsc.ask('figures')) as Figures;
      if (figures.seconds >= SECONDS) return figures;
      await new Promise(resolve => setTimeout(resolve, 20));
    }
  } finally {
    await Promise.all([gateway.kill(), smsc.kill()]);
    config.remove();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function fill(url: string, messages: number): Promise<void> {
  const signIn = await fetch(`${url}/v1/auth/token`, {
    method: 'POST',
    headers: { 'x-svc-client-id': DEMO.id, 'x-svc-client-passwd': DEMO.password },
  });
  const { data } = (await signIn.json()) as { data: { token: string } };
  const headers = { authorization: `Bearer ${data.token}`, 'content-type': 'application/json' };
  const messageFlow = [{ sms: { from: '0212345678', text: 'Your code is 482913.' } }];
  for (let sent = 0; sent < messages; sent += RECIPIENTS) {
    const destinations = Array.from({ length: RECIPIENTS }, (_, index) => ({
      to: `0101${String(1_000_000 + sent + index)}`,
    }));
    const body = JSON.stringify({ destinations, messageFlow });
    const answer = await fetch(`${url}/v1/send/omni`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`refused: ${await answer.text()}`);
    await answer.arrayBuffer();
  }
}
