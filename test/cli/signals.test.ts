/** Signals at the wrong time: while the program loads, a reload during the start, and a stop during a reload. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { BongsuClient } from '../../client/bongsu-client.ts';
import { ENGINES, freshStore } from '../harness/engines.ts';
import { bongsu, startCommand, startServer } from '../harness/process.ts';
import { configFile, scratchDirectory } from '../harness/scratch.ts';
import { Smsc } from '../harness/smsc/smsc.ts';
import { TcpProxy } from '../harness/tcp-proxy.ts';
import { until } from '../harness/until.ts';
import { LAUNCHER } from './launcher.ts';

const QUEUED = 20;
const PASSWORD = 'correct horse battery staple';
const START = fileURLToPath(new URL('../../bin/start.js', import.meta.url));
const WHILE_LOADING = `--import=${new URL('../harness/signal-while-loading.ts', import.meta.url)}`;
/** The program as the first process of a container. */
const AS_FIRST = ['--pid', '--fork', '--kill-child'];
const cannotBeFirst =
  spawnSync('unshare', [...AS_FIRST, 'true']).status === 0 ? false : 'no namespaces of processes here';

for (const [name, command] of [
  ['the server', [START]],
  ['the command line', [LAUNCHER, 'serve']],
] as const) {
  test(`SIGHUP while ${name} loads does not end it`, async t => {
    const env = { NODE_OPTIONS: WHILE_LOADING, TEST_SIGNAL: 'SIGHUP' };
    const server = await startServer(t, env, command);
    assert.deepEqual(await server.stop(), { code: 0, signal: null });
  });
}

test('SIGTERM while the first process of a container loads ends it', { skip: cannotBeFirst }, () => {
  const own = { BONGSU_PORT: '0', BONGSU_DATA_DIR: scratchDirectory(), TEST_SIGNAL: 'SIGTERM' };
  const { status, stderr } = spawnSync('unshare', [...AS_FIRST, process.execPath, START], {
    env: { ...process.env, ...own, NODE_OPTIONS: WHILE_LOADING },
    encoding: 'utf8',
  });
  assert.deepEqual({ status, stderr }, { status: 128 + constants.signals.SIGTERM, stderr: '' });
});

for (const engine of ENGINES) {
  test(`${engine}: SIGTERM during a reload: no carrier is bound again, and what waits stays in the queue`, async t => {
    const smsc = await Smsc.listen({ submit: () => ({ kind: 'silent' }) });
    t.after(() => smsc.close());
    const file = (window: number) =>
      `carriers:\n  sky: { kind: smpp, host: 127.0.0.1, port: ${smsc.port}, systemId: bongsu, window: ${window} }\nroutes:\n  - { channel: sms, via: [sky] }\n`;
    const path = configFile(file(1));
    const env = {
      ...(await freshStore(t, engine)),
      BONGSU_CONFIG: path,
      BONGSU_SHUTDOWN_TIMEOUT: '5m',
      BONGSU_DEMO_ACCOUNT: `demo:${PASSWORD}`,
    };
    const server = await startServer(t, env);
    await until('the carrier is bound', () => smsc.receiver);
    const client = new BongsuClient({ url: server.url, id: 'demo', password: PASSWORD });
    const sms = { from: '0212345678', to: '01012345678', text: 'hello' };
    await client.token();
    for (let count = 0; count <= QUEUED; count++) await client.send('sms', sms);
    await until('one is submitted', () => smsc.submits.length === 1);
    writeFileSync(path, file(QUEUED));
    server.process.kill('SIGHUP');
    await until('it reloads', () => server.stderr().includes('"event":"reloading"'));
    const stopped = server.stop();
    await until('it stops', () => server.stderr().includes('"event":"draining"'));
    smsc.answer(0, 'one');
    assert.deepEqual(await stopped, { code: 0, signal: null }, server.stderr());
    assert.deepEqual([smsc.binds.length, smsc.submits.length], [1, 1]);
    const { stdout } = await bongsu(['queue', 'show', '--json'], env);
    const { ready, claimed, waiting } = JSON.parse(stdout);
    assert.deepEqual({ ready, claimed, waiting }, { ready: QUEUED, claimed: 0, waiting: 1 });
  });
}

test('SIGHUP during a start waits until it has started; SIGTERM before anything is sent ends the process', async t => {
  const { BONGSU_DATABASE_URL: database = '', ...rest } = await freshStore(t, 'postgres');
  const { proxy, url } = await TcpProxy.before(t, database);
  const path = configFile('carriers:\n  sky: { kind: simulator }\n');
  const env = { ...rest, BONGSU_DATABASE_URL: url, BONGSU_CONFIG: path, BONGSU_PORT: '0' };
  proxy.stall();
  const server = startCommand(t, ['serve'], env);
  await until('it opens the database', () => proxy.connections > 0);
  writeFileSync(path, 'carriers:\n  lake: { kind: simulator }\n');
  for (let count = 0; count < 3; count++) server.child.kill('SIGHUP');
  proxy.heal();
  await until('it is reloaded', () => {
    assert.ok(server.isAlive(), server.stderr());
    return server.stderr().includes('"event":"reloaded","added":["lake"],"removed":["sky"]');
  });
  assert.match(server.stdout(), /listens on/);
  proxy.stall();
  const other = startCommand(t, ['serve'], env);
  const before = proxy.connections;
  await until('the other opens the database', () => proxy.connections > before);
  assert.deepEqual(await other.end('SIGTERM'), { code: null, signal: 'SIGTERM' });
  proxy.heal();
});
