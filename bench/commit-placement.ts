/**
 * `npm run bench commit`: should commits run on the HTTP thread or on one of their own? On this machine's disk, and on
 * slower ones (the committing thread waits before each commit). The choice is in docs/decisions.md, the figures are in
 * docs/history/decisions.md.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load, startServer } from './processes.ts';

const DELAYS_MS = [0, 2, 10];
const ORDER = {
  path: '/v1/send/sms',
  headers: {},
  body: JSON.stringify({ from: '0212345678', to: '01012345678', text: 'hello', ref: 'order-1' }),
  connections: 64,
};

process.stdout.write(
  '| extra delay of a commit | on the HTTP thread | on a thread of its own |\n| --- | ---: | ---: |\n',
);
for (const delayMs of DELAYS_MS) {
  const cells: string[] = [];
  for (const mode of ['here', 'worker']) {
    const directory = mkdtempSync(join(tmpdir(), 'bongsu-placement-'));
    const server = await startServer('bench/commit-placement-server.ts', {}, [
      mode,
      directory,
      String(delayMs),
    ]);
    const requests = delayMs > 5 ? 10_000 : 30_000;
    const { perSecond, p99Ms } = await load({ ...ORDER, port: server.port, warmUp: requests / 5, requests });
    cells.push(`${Math.round(perSecond).toLocaleString('en-US')}/s, p99 ${p99Ms.toFixed(0)} ms`);
    await server.kill();
    rmSync(directory, { recursive: true, force: true });
  }
  process.stdout.write(`| ${delayMs} ms | ${cells.join(' | ')} |\n`);
}
