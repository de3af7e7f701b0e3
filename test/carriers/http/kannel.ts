/** Kannel as a provider: its smsbox takes messages over HTTP, its bearerbox brings them to a fake network. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { pathOf, unlessInstalled } from '../../harness/debian.ts';
import { freePorts } from '../../harness/peer-process.ts';
import { scratchDirectory } from '../../harness/scratch.ts';
import { until } from '../../harness/until.ts';

export interface Kannel {
  /** Where messages are sent to. */
  readonly url: string;
  /** What the fake network has received so far. */
  received(): string;
}

const PASSWORD = 'kannel-password';
const ADMIN_PASSWORD = 'status';

/** For the `skip` of a test. */
export const kannelIsMissing = (): string | false => unlessInstalled('bearerbox', 'smsbox', 'fakesmsc');

/** Starts Kannel on free ports and waits until messages pass. */
export async function startKannel(t: TestContext): Promise<Kannel> {
  const [bearerbox, smsbox, fakesmsc] = ['bearerbox', 'smsbox', 'fakesmsc'].map(name => pathOf(name) ?? name);
  if (!bearerbox || !smsbox || !fakesmsc) throw new Error('three programs have three paths');
  const [admin = 0, box = 0, network = 0, http = 0] = await freePorts(4);
  const directory = scratchDirectory();
  const config = join(directory, 'kannel.conf');
  writeFileSync(config, configuration({ admin, box, network, http }));

  start(t, bearerbox, ['-v', '4', config], directory);
  const status = () => text(`http://127.0.0.1:${admin}/status.txt?password=${ADMIN_PASSWORD}`);
  await until('bearerbox runs', async () => (await status()).includes('Status: running'));
  start(t, smsbox, ['-v', '4', config], directory);
  const lines: Buffer[] = [];
  // It wants a message of its own to send, and a pause before the next one: longer than any test.
  const own = ['-i', '100000', '-m', '2', '1 2 text nothing'];
  const fake = start(t, fakesmsc, ['-H', '127.0.0.1', '-r', String(network), ...own], directory);
  fake.stderr?.on('data', chunk => lines.push(chunk));
  fake.stdout?.on('data', chunk => lines.push(chunk));
  await until('the network is connected', async () => /FAKE:\d+ \(online/.test(await status()));
  await until('smsbox is connected', async () => (await status()).includes('smsbox:'));
  const url = `http://127.0.0.1:${http}/cgi-bin/sendsms`;
  await until('smsbox listens', async () => (await text(url)) !== '');
  return { url, received: () => Buffer.concat(lines).toString() };
}

/** What bongsu.yaml says of it. `callback` are further keys of its callbacks. */
export function kannelKeys(url: string, password = PASSWORD, callback: object = {}): Record<string, unknown> {
  return {
    allowPrivate: true,
    submit: {
      method: 'GET',
      url,
      query: {
        username: 'bongsu',
        password,
        from: '{{from}}',
        to: '{{to.digits?}}',
        text: '{{text}}',
        charset: 'UTF-8',
        coding: '2',
        'dlr-mask': '31',
        'dlr-url': '{{callbackUrl}}?type=%d&answer=%A',
      },
    },
    channels: { sms: {}, international: {} },
    outcomes: [
      { status: 202, matches: '^(0: Accepted|3: Queued)', result: 'accepted' },
      { status: 403, result: 'temporary', carriersFault: true },
      { status: 400, matches: 'receiver', result: 'permanent', reportCode: '23003' },
      { status: [400, 404], result: 'permanent', reportCode: '23000' },
      { status: 503, result: 'temporary', carriersFault: true },
    ],
    receipt: {
      status: '/type',
      statuses: { 1: 'delivered', 2: 'failed', 4: 'intermediate', 8: 'intermediate', 16: 'failed' },
      reportCode: '23014',
    },
    callback: { urlSecret: 'a secret for the addresses', ...callback },
  };
}

function configuration(ports: { admin: number; box: number; network: number; http: number }): string {
  return `
group = core
admin-port = ${ports.admin}
admin-interface = 127.0.0.1
admin-password = ${ADMIN_PASSWORD}
smsbox-port = ${ports.box}
smsbox-interface = 127.0.0.1
box-allow-ip = "127.0.0.1"

group = smsc
smsc = fake
smsc-id = fake
port = ${ports.network}
connect-allow-ip = 127.0.0.1

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = ${ports.http}
sendsms-interface = 127.0.0.1

group = sendsms-user
username = bongsu
password = ${PASSWORD}

group = sms-service
keyword = default
max-messages = 0
text = none
`.trimStart();
}

function start(t: TestContext, program: string, args: readonly string[], cwd: string): ChildProcess {
  const child = spawn(program, args, { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  // Output that nobody reads must not fill its pipe.
  child.stdout?.resume();
  child.stderr?.resume();
  const ended = once(child, 'close');
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return child;
}

async function text(url: string): Promise<string> {
  try {
    return await (await fetch(url)).text();
  } catch {
    return '';
  }
}
