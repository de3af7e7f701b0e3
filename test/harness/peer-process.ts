/** Another program as a peer: a child whose lines of output are gathered, ended with the test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { TestContext } from 'node:test';

export interface PeerProcess {
  readonly process: ChildProcess;
  /** Lines of its output so far, whole ones. */
  lines(): string[];
  /** What it complained about. */
  errors(): string;
}

export function startPeer(
  t: Pick<TestContext, 'after'>,
  program: string,
  args: readonly string[],
): PeerProcess {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const isEnded = once(child, 'close');
  t.after(async () => {
    child.kill('SIGKILL');
    await isEnded;
  });
  return { process: child, lines: () => output.split('\n').slice(0, -1), errors: () => errors };
}

/** Ports that were free a moment ago, for programs that cannot choose one themselves. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map(server => once(server, 'listening')));
  const ports = servers.map(server => (server.address() as AddressInfo).port);
  await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))));
  return ports;
}
