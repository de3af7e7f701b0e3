/** Kannel from Debian as an ESME: its bearerbox binds to our SMSC, its smsbox takes messages over HTTP. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { pathOf } from '../../harness/debian.ts';
import { freePorts, startPeer } from '../../harness/peer-process.ts';
import { scratchDirectory } from '../../harness/scratch.ts';
import { until } from '../../harness/until.ts';

interface Kannel {
  /** Hands a message to Kannel, with parameters of its sendsms interface; the text of its answer. */
  send(parameters: Readonly<Record<string, string>>): Promise<string>;
}

/** Its ports were free when they were chosen; another may have taken one since. */
const STARTS = 3;
const LONGEST_START_MS = 15_000;
const LONGEST_ANSWER_MS = 5_000;

export async function startKannel(t: TestContext, smscPort: number): Promise<Kannel> {
  const told: string[] = [];
  for (let start = 0; start < STARTS; start++) {
    const { url, peers } = await begin(t, smscPort);
    const giveUpAt = performance.now() + LONGEST_START_MS;
    const isListening = await until('smsbox listens, or does not', async () => {
      if (await canConnect(url)) return 'yes';
      const isOver = performance.now() > giveUpAt || peers.some(({ process }) => process.exitCode !== null);
      return isOver ? 'no' : undefined;
    });
    if (isListening === 'yes') return { send: parameters => send(url, parameters) };
    told.push(...peers.map(({ errors }) => errors()));
    for (const { process } of peers) process.kill('SIGKILL');
  }
  throw new Error(`Kannel does not listen:\n${told.join('\n')}`);
}

async function begin(t: TestContext, smscPort: number) {
  const [adminPort = 0, boxPort = 0, httpPort = 0] = await freePorts(3);
  const directory = scratchDirectory();
  const path = join(directory, 'kannel.conf');
  writeFileSync(path, configuration({ smscPort, adminPort, boxPort, httpPort }));
  const bearerbox = startPeer(t, pathOf('bearerbox') ?? 'bearerbox', [path]);
  await until('bearerbox listens for its boxes, or ends', async () => {
    return bearerbox.process.exitCode !== null || canConnect(`http://127.0.0.1:${adminPort}/status.txt`);
  });
  const smsbox = startPeer(t, pathOf('smsbox') ?? 'smsbox', [path]);
  return { url: `http://127.0.0.1:${httpPort}/cgi-bin/sendsms`, peers: [bearerbox, smsbox] };
}

async function send(url: string, parameters: Readonly<Record<string, string>>): Promise<string> {
  const query = new URLSearchParams({ username: 'tester', password: 'secret', ...parameters });
  const response = await fetch(`${url}?${query}`);
  return response.text();
}

async function canConnect(url: string): Promise<boolean> {
  try {
    await (await fetch(url, { signal: AbortSignal.timeout(LONGEST_ANSWER_MS) })).text();
    return true;
  } catch {
    return false;
  }
}

function configuration(ports: {
  readonly smscPort: number;
  readonly adminPort: number;
  readonly boxPort: number;
  readonly httpPort: number;
}): string {
  return `
group = core
admin-port = ${ports.adminPort}
admin-password = secret
admin-interface = 127.0.0.1
smsbox-port = ${ports.boxPort}
box-allow-ip = "127.0.0.1"

group = smsc
smsc = smpp
smsc-id = bongsu
host = 127.0.0.1
port = ${ports.smscPort}
transceiver-mode = true
smsc-username = kannel
smsc-password = secret
system-type = VMA
enquire-link-interval = 1

group = smsbox
bearerbox-host = 127.0.0.1
bearerbox-port = ${ports.boxPort}
sendsms-port = ${ports.httpPort}
sendsms-interface = 127.0.0.1

group = sendsms-user
username = tester
password = secret
max-messages = 9
concatenation = true

group = sms-service
keyword = default
max-messages = 0
text = none
`;
}
