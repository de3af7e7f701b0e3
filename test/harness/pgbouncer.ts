/** PgBouncer from Debian in front of a PostgreSQL, with a session of the server for each transaction. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathOf } from './debian.ts';
import { freePorts } from './peer-process.ts';
import { until } from './until.ts';

export interface PgBouncer {
  /** Its address for the same database. */
  readonly url: string;
  stop(): Promise<void>;
}

/** `settings` are lines of its own section. */
export async function startPgBouncer(url: string, settings: readonly string[] = []): Promise<PgBouncer> {
  const { hostname, port: serverPort, username, password } = new URL(url);
  const [port = 0] = await freePorts(1);
  const directory = mkdtempSync(join(tmpdir(), 'bongsu-pgbouncer-'));
  // It refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chmodSync(directory, 0o755);
  const file = join(directory, 'pgbouncer.ini');
  const lines = [
    '[databases]',
    `* = host=${hostname} port=${serverPort} user=${username} password=${password}`,
    '[pgbouncer]',
    ...[`listen_addr = 127.0.0.1`, `listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = any'],
    ...['pool_mode = transaction', 'default_pool_size = 20', 'max_client_conn = 1000'],
    // Otherwise it waits 15 s after a server that was away.
    ...['server_login_retry = 0.1', 'server_connect_timeout = 2'],
    ...(isRoot ? ['user = nobody'] : []),
    ...settings,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const child = spawn(pathOf('pgbouncer') ?? 'pgbouncer', ['-q', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-4_000);
  });
  const ended = once(child, 'exit');
  await until('PgBouncer listens', async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended:\n${said}`);
    return canConnect(port);
  });
  const address = new URL(url);
  address.host = `127.0.0.1:${port}`;
  return {
    url: address.href,
    async stop() {
      child.kill('SIGKILL');
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function canConnect(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
