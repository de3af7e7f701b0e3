import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { bongsu, startServer } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { LAUNCHER } from './launcher.ts';

test('serve drains on SIGTERM and ends with 0', async t => {
  const server = await startServer(t, {}, [LAUNCHER, 'serve']);
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  assert.match(server.stderr(), /"event":"draining","signal":"SIGTERM"/);
  assert.match(server.stderr(), /"event":"stopped"/);
  await assert.rejects(fetch(`${server.url}/healthz`));
});

test('localhost is one listener, on 127.0.0.1', async t => {
  const server = await startServer(t, { BONGSU_HOST: 'localhost' });
  const { hostname, port } = new URL(server.url);
  assert.equal(hostname, '127.0.0.1');
  await assert.rejects(fetch(`http://[::1]:${port}/healthz`));
});

test('a Ctrl-C that arrives twice, from the terminal and from npm, still drains', async t => {
  // Without a command it serves.
  const server = await startServer(t, {}, [LAUNCHER]);
  const closed = once(server.process, 'close');
  server.process.kill('SIGINT');
  server.process.kill('SIGINT');
  assert.deepEqual(await closed, [0, null]);
  assert.match(server.stderr(), /"event":"stopped"/);
});

test('serve --json tells address and new credentials in one line', async t => {
  const server = await startServer(t, {}, [LAUNCHER, 'serve', '--json']);
  const line = JSON.parse(server.stdout());
  const credentials = ['demoId', 'demoPassword', 'adminToken', 'consoleCode', 'consoleCodeExpiresAt'];
  assert.deepEqual(Object.keys(line), ['url', 'mode', ...credentials]);
  assert.equal(line.url, server.url);
  assert.equal(line.mode, 'sandbox');
  await server.stop();
});

/** Every file and directory in it, and itself, with its permissions. */
function permissionsIn(directory: string): ReadonlyMap<string, string> {
  const paths = ['.', ...readdirSync(directory, { recursive: true, encoding: 'utf8' })];
  return new Map(paths.map(path => [path, (statSync(join(directory, path)).mode & 0o777).toString(8)]));
}

test('only the user of the gateway can read its data, also what an older version left readable', async t => {
  const dataDir = join(scratchDirectory(), 'data');
  const first = await startServer(t, { BONGSU_DATA_DIR: dataDir });
  const made = permissionsIn(dataDir);
  assert.equal(made.get('.'), '700');
  const files = ['bongsu.db', 'bongsu.db-wal', 'bongsu.db-shm', 'bongsu.lock'];
  for (const file of files) assert.equal(made.get(file), '600', file);
  assert.doesNotMatch(first.stderr(), /dataDirectoryOpen/);
  await first.kill();

  for (const file of files) chmodSync(join(dataDir, file), 0o644);
  chmodSync(dataDir, 0o755);
  const second = await startServer(t, { BONGSU_DATA_DIR: dataDir });
  const found = permissionsIn(dataDir);
  for (const file of files) assert.equal(found.get(file), '600', file);
  assert.equal(found.get('.'), '755', 'a directory that is there stays as it is');
  const warning = /"event":"dataDirectoryOpen".*"permissions":"0755".*chmod 700/;
  assert.match(second.stderr(), warning);
  await second.stop();
});

test('a configuration with problems is refused with all of them, by serve and by commands on the store', async () => {
  const env = {
    BONGSU_DATA_DIR: scratchDirectory(),
    BONGSU_PORT: 'eighty',
    BONGSU_TIME_ZONE: 'Mars/Olympus',
    BONGSU_ADMIN_TOKEN: 'short',
    BONGSU_COLOUR: 'red',
  };
  for (const command of [['serve'], ['account', 'list'], ['queue', 'show', '--json']]) {
    const { code, stdout, stderr } = await bongsu(command, env);
    assert.equal(code, 2, command.join(' '));
    assert.equal(stdout, '');
    assert.match(stderr, /4 problems/);
    for (const name of ['PORT', 'TIME_ZONE', 'ADMIN_TOKEN', 'COLOUR']) {
      assert.match(stderr, new RegExp(`BONGSU_${name}: `));
    }
    assert.doesNotMatch(stderr, /short/);
  }
});
