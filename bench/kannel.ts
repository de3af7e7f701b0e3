/** Kannel from Debian, for comparison: smsbox takes messages over HTTP, bearerbox spools them and submits by SMPP. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../test/harness/peer-process.ts';

const BEARERBOX = '/usr/sbin/bearerbox';
const SMSBOX = '/usr/sbin/smsbox';

export interface Kannel {
  readonly port: number;
  stop(): Promise<void>;
}

export function hasKannel(): boolean {
  return existsSync(BEARERBOX) && existsSync(SMSBOX);
}

export async function startKannel(smscPort: number, window: number): Promise<Kannel> {
  const directory = mkdtempSync(join(tmpdir(), 'bongsu-bench-kannel-'));
  const spool = join(directory, 'spool');
  mkdirSync(spool);
  const [admin = 0, box = 0, port = 0] = await freePorts(3);
  const config = join(directory, 'kannel.conf');
  writeFileSync(config, configuration({ smscPort, window, admin, box, port, spool }));
  const bearerbox = run(BEARERBOX, config);
  await answers(`http://127.0.0.1:${admin}/status.txt?password=bench`, /online/);
  const smsbox = run(SMSBOX, config);
  await answers(`http://127.0.0.1:${port}/cgi-bin/sendsms`, /./);
  return {
    port,
    async stop() {
      await Promise.all([smsbox, bearerbox].map(end => end()));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function configuration(given: {
  readonly smscPort: number;
  readonly window: number;
  readonly admin: number;
  readonly box: number;
  readonly port: number;
  readonly spool: string;
}): string {
  return `
group = core
admin-port = ${given.admin}
admin-interface = 127.0.0.1
admin-password = bench
smsbox-port = ${given.box}
smsbox-interface = 127.0.0.1
box-allow-ip = "127.0.0.1"
store-type = spool
store-location = "${given.spool}"
dlr-storage = internal

group = smsc
smsc = smpp
smsc-id = light
host = 127.0.0.1
port = ${given.smscPort}
transceiver-mode = true
smsc-username = bench
smsc-password = bench
system-type = VMA
max-pending-submits = ${given.window}

group = smsbox
bearerbox-host = 127.0.0.1
bearerbox-port = ${given.box}
sendsms-port = ${given.port}
sendsms-interface = 127.0.0.1
max-pending-requests = 512

group = sendsms-user
username = bench
password = bench

group = sms-service
keyword = default
max-messages = 0
text = none
`.trimStart();
}

/** Starts a program; the answer ends it. */
function run(program: string, config: string): () => Promise<void> {
  const child = spawn(program, ['-v', '4', config], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  return async () => {
    child.kill('SIGKILL');
    await ended;
  };
}

async function answers(url: string, expected: RegExp): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    try {
      if (expected.test(await (await fetch(url)).text())) return;
    } catch {
      // Not yet.
    }
    await new Promise(resolve => setTimeout(resolve, 100));
  }
  throw new Error(`${url} did not answer as it should`);
}
