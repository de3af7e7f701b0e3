import assert from 'node:assert/strict';
import { connect } from 'node:net';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const SERVE_WITH_FEW = `
  const few = 'ulimit -n 1024; exec "$0" --disable-warning=ExperimentalWarning "$1"';
  process.execve('/bin/sh', ['sh', '-c', few, process.execPath, '${MAIN}'], process.env);`;
const CLIENTS = 400;

test('many polls at once do not exhaust the descriptors of the process', async t => {
  const { url, stderr } = await startServer(t, { BONGSU_HTTP_THREADS: '1' }, ['-e', SERVE_WITH_FEW]);
  const answers = new Map<number, string>();
  for (let client = 0; client < CLIENTS; client++) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    t.after(() => socket.destroy());
    socket.on('data', bytes => answers.set(client, (answers.get(client) ?? '') + bytes));
    socket.write(
      `GET /v1/report/polling HTTP/1.1\r\nhost: g\r\nauthorization: Bearer guess-${client}\r\n\r\n`,
    );
  }
  const whole = () => [...answers.values()].filter(answer => answer.includes('"result"'));
  await until('all are answered', () => whole().length === CLIENTS);
  const codes = new Set(whole().map(answer => /"code":"(\w+)"/.exec(answer)?.[1]));
  assert.deepEqual([...codes], ['A002']);
  const troubles = stderr()
    .split('\n')
    .filter(line => line !== '' && !line.includes('"event":"started"'));
  assert.deepEqual(troubles, []);
});
