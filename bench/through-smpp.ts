/**
 * From HTTP accept through submit_sm_resp over loopback to a light SMSC: this gateway until the last report is there, and
 * Kannel on the same machine until its last submit is taken. Windows are the same; both write every message to disk
 * before they send it, Kannel without waiting for the disk (no fsync).
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKannel } from './kannel.ts';
import type { LoadOrder } from './load-client.ts';
import { load, startServer } from './processes.ts';

const WINDOW = 100;
const TEXT = 'Your code is 482913. It is valid for three minutes.';

export interface Smsc {
  readonly port: number;
  /** Submits taken so far. */
  count(): Promise<number>;
  kill(): Promise<void>;
}

export const startSmsc = (): Promise<Smsc> => startServer('bench/smsc-server.ts');

/** Settings for a gateway whose SMS go to the SMSC, and a way to throw them away. */
export function configFor(smsc: Smsc): { readonly path: string; remove(): void } {
  const directory = mkdtempSync(join(tmpdir(), 'bongsu-bench-config-'));
  const path = join(directory, 'bongsu.yaml');
  writeFileSync(
    path,
    `carriers:
  light: { kind: smpp, host: 127.0.0.1, port: ${smsc.port}, systemId: bench, password: bench, window: ${WINDOW} }
routes:
  - { channel: sms, via: [light] }
`,
  );
  return { path, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** Messages a second through Kannel, warmed up as the gateway is; `withReceipts` has it fetch receipts and hand them to a local address. */
export async function measureKannel(order: LoadOrder, withReceipts: boolean): Promise<number> {
  const smsc = await startSmsc();
  const receiver = await startServer('bench/bare-server.ts');
  const kannel = await startKannel(smsc.port, WINDOW);
  const dlr = withReceipts
    ? `&dlr-mask=31&dlr-url=${encodeURIComponent(`http://127.0.0.1:${receiver.port}/`)}`
    : '';
  const query = `username=bench&password=bench&from=0212345678&to=01012345678&text=${encodeURIComponent(TEXT)}${dlr}`;
  const send = async (requests: number, total: number) => {
    const { failures } = await load({
      ...{ ...order, requests, warmUp: 0, port: kannel.port, path: `/cgi-bin/sendsms?${query}` },
      ...{ method: 'GET', success: 202, headers: {}, body: '' },
    });
    if (failures > 0) throw new Error(`Kannel refused ${failures} messages`);
    await reaches(smsc, total);
  };
  try {
    await send(order.warmUp, order.warmUp);
    const startedAt = performance.now();
    await send(order.requests, order.warmUp + order.requests);
    return order.requests / ((performance.now() - startedAt) / 1000);
  } finally {
    await kannel.stop();
    await Promise.all([smsc.kill(), receiver.kill()]);
  }
}

export async function reaches(smsc: Smsc, submits: number): Promise<void> {
  while ((await smsc.count()) < submits) await new Promise(resolve => setTimeout(resolve, 20));
}
