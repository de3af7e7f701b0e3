/**
 * What a message costs on PostgreSQL, from the request to the report. In processor time, which a busy machine stretches less
 * than the time of the clock.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startPostgres } from '../test/harness/postgres.ts';
import { ADMIN_TOKEN, queueIsEmpty, tokenOf } from './gateway-calls.ts';
import { load, startServer } from './processes.ts';
import type { Costs } from './scale-model.ts';

const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 20_000);
const WARM_UP = 2_000;
const CONNECTIONS = 64;
const TICKS_PER_SECOND = 100;
const DEMO = { id: 'bench', password: 'bench-password' };
const BODY = JSON.stringify({
  from: '0212345678',
  to: '01012345678',
  text: '[봉수] 인증번호 482913, 3분 안에 입력해 주세요.',
  ref: 'order-20261115-0001',
});

export async function measureCosts(): Promise<Costs> {
  const dataDir = mkdtempSync(join(tmpdir(), 'bongsu-bench-'));
  const postgres = await startPostgres({ fsync: true });
  const databaseUrl = await postgres.createDatabase();
  const admin = new Client(databaseUrl);
  await admin.connect();
  const server = await startServer('bin/start.js', {
    BONGSU_PORT: '0',
    BONGSU_HTTP_THREADS: '1',
    BONGSU_DATA_DIR: dataDir,
    BONGSU_DEMO_ACCOUNT: `${DEMO.id}:${DEMO.password}`,
    BONGSU_ADMIN_TOKEN: ADMIN_TOKEN,
    BONGSU_SIMULATOR_LATENCY: '0',
    BONGSU_LOG: 'warn',
    BONGSU_STORE_TIMEOUT: '60s',
    BONGSU_DATABASE_URL: databaseUrl,
  });
  try {
    const authorization = `Bearer ${await tokenOf(server, DEMO)}`;
    const order = { port: server.port, path: '/v1/send/sms', headers: { authorization }, body: BODY };
    const send = (requests: number) => load({ ...order, connections: CONNECTIONS, warmUp: 0, requests });
    await send(WARM_UP);
    await queueIsEmpty(server);
    const before = await figures();
    const { failures } = await send(REQUESTS);
    if (failures > 0) throw new Error(`${failures} sends were not accepted`);
    await queueIsEmpty(server);
    const after = await figures();
    const each = (name: keyof typeof after) => (after[name] - before[name]) / REQUESTS;
    return {
      httpMicros: 1e6 * (each('process') - each('engine')),
      engineMicros: 1e6 * each('engine'),
      databaseMicros: 1e6 * each('database'),
      walBytes: each('wal'),
      storedBytes: each('stored'),
    };
  } finally {
    await server.kill();
    await admin.end();
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }

  async function figures() {
    const { rows } = await admin.query(
      "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS wal, pg_database_size(current_database())::float8 AS stored",
    );
    const { wal, stored } = rows[0] as { wal: number; stored: number };
    return {
      wal,
      stored,
      process: server.cpuSeconds(),
      // The main thread has the number of its process.
      engine: cpuSecondsOf(`/proc/${server.pid}/task/${server.pid}`),
      database: await databaseSeconds(),
    };
  }

  /** Of the server and all its processes, those of connections that have ended included. */
  async function databaseSeconds(): Promise<number> {
    const { rows } = await admin.query('SELECT pg_backend_pid() AS pid');
    const { parent } = statOf(`/proc/${(rows[0] as { pid: number }).pid}`);
    const children = readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .flatMap(name => {
        try {
          return [statOf(`/proc/${name}`)];
        } catch {
          // It has ended meanwhile.
          return [];
        }
      })
      .filter(stat => stat.parent === parent);
    const own = statOf(`/proc/${parent}`);
    return own.seconds + own.secondsOfEnded + children.reduce((total, { seconds }) => total + seconds, 0);
  }
}

function cpuSecondsOf(directory: string): number {
  return statOf(directory).seconds;
}

function statOf(directory: string) {
  // After the name of the program, which may hold anything.
  const fields = readFileSync(`${directory}/stat`, 'utf8').split(') ').at(-1)?.split(' ').map(Number) ?? [];
  const [, parent = 0] = fields;
  const ticks = (from: number) => ((fields[from] ?? 0) + (fields[from + 1] ?? 0)) / TICKS_PER_SECOND;
  return { parent, seconds: ticks(11), secondsOfEnded: ticks(13) };
}
