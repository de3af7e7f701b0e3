/**
 * `npm run bench live`: the live page of the console while 2,000 messages a second pass for a minute. Server, sender and
 * browser share the machine. Shown are the gaps between frames, and memory and nodes of the page before and after.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CDPSession, chromium } from 'playwright-core';
import { startServer } from './processes.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 60);
const MESSAGES_A_SECOND = Number(process.env.BENCH_RATE ?? 2000);
const RECIPIENTS = 10;
const CHROMIUM = process.env.BONGSU_TEST_CHROMIUM ?? '/usr/bin/chromium';
const ADMIN_TOKEN = 'bench-admin-token';
const DEMO = { id: 'bench', password: 'bench-password' };

const dataDir = mkdtempSync(join(tmpdir(), 'bongsu-bench-live-'));
const server = await startServer('bin/start.js', {
  BONGSU_PORT: '0',
  BONGSU_DATA_DIR: dataDir,
  BONGSU_DEMO_ACCOUNT: `${DEMO.id}:${DEMO.password}`,
  BONGSU_ADMIN_TOKEN: ADMIN_TOKEN,
  BONGSU_LOG: 'warn',
  BONGSU_SIMULATOR_LATENCY: '50-300ms',
});
const url = `http://127.0.0.1:${server.port}`;
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
try {
  const page = await browser.newPage();
  await page.goto(`${url}/console/live`);
  await page.evaluate(
    `fetch('/admin/v1/session', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"token":"${ADMIN_TOKEN}"}' })`,
  );
  await page.reload();
  await page.getByRole('heading', { name: 'Live' }).waitFor();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  await page.evaluate(`{
    globalThis.gaps = [];
    let last = performance.now();
    const frame = now => { globalThis.gaps.push(now - last); last = now; requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
  }`);
  await send(5);
  const before = await sizeOf(devtools);
  await page.evaluate('globalThis.gaps.length = 0');
  const sent = await send(SECONDS);
  const gaps = (await page.evaluate('globalThis.gaps')) as number[];
  const shown = await page.locator('main').innerText();
  if (!/more passed too fast to show/.test(shown)) throw new Error(`the page does not follow:\n${shown}`);
  const after = await sizeOf(devtools);
  report(sent, gaps, before, after);
} finally {
  await browser.close();
  await server.kill();
  rmSync(dataDir, { recursive: true, force: true });
}

/** Sends at the pace asked for; the answer is the pace that came of it. */
async function send(seconds: number): Promise<number> {
  const token = await fetch(`${url}/v1/auth/token`, {
    method: 'POST',
    headers: { 'X-SVC-Client-Id': DEMO.id, 'X-SVC-Client-Passwd': DEMO.password },
  });
  const { data } = (await token.json()) as { data: { token: string } };
  const headers = { authorization: `Bearer ${data.token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({
    destinations: Array.from({ length: RECIPIENTS }, (_, index) => ({ to: `0101234567${index}` })),
    messageFlow: [{ sms: { from: '0212345678', text: 'a message among many' } }],
  });
  const startedAt = performance.now();
  const under = new Set<Promise<unknown>>();
  let messages = 0;
  while (performance.now() - startedAt < seconds * 1000) {
    const due = ((performance.now() - startedAt) / 1000) * MESSAGES_A_SECOND;
    while (messages < due && under.size < 64) {
      messages += RECIPIENTS;
      const call = fetch(`${url}/v1/send/omni`, { method: 'POST', headers, body })
        .then(response => response.text())
        .finally(() => under.delete(call));
      under.add(call);
    }
    await new Promise(resolve => setTimeout(resolve, 5));
  }
  await Promise.all(under);
  return messages / ((performance.now() - startedAt) / 1000);
}

interface Size {
  readonly heapMb: number;
  readonly nodes: number;
}

async function sizeOf(devtools: CDPSession): Promise<Size> {
  await devtools.send('HeapProfiler.collectGarbage');
  const { metrics } = await devtools.send('Performance.getMetrics');
  const read = (name: string) => metrics.find(metric => metric.name === name)?.value ?? 0;
  return { heapMb: read('JSHeapUsedSize') / 2 ** 20, nodes: read('Nodes') };
}

function report(sent: number, gaps: readonly number[], before: Size, after: Size): void {
  const sorted = gaps.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
  process.stdout.write(
    [
      `${cpus().length} cores; ${Math.round(sent)} messages a second for ${SECONDS} s (asked for ${MESSAGES_A_SECOND}).`,
      '',
      '| | before | after |',
      '| --- | ---: | ---: |',
      `| JavaScript heap, MB | ${before.heapMb.toFixed(1)} | ${after.heapMb.toFixed(1)} |`,
      `| nodes of the page | ${before.nodes} | ${after.nodes} |`,
      '',
      `Time between frames: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms.`,
      '',
    ].join('\n'),
  );
}
