import assert from 'node:assert/strict';
import { once } from 'node:events';
import test from 'node:test';
import { bongsu, SERVE_BY_LAUNCHER, startServer } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';

test('serve drains on SIGTERM and ends with 0', async t => {
  const server = await startServer(t, {}, SERVE_BY_LAUNCHER);
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  assert.match(server.stderr(), /"event":"draining","signal":"SIGTERM"/);
  assert.match(server.stderr(), /"event":"stopped"/);
  await assert.rejects(fetch(`${server.url}/healthz`));
});

test('a Ctrl-C that arrives twice, from the terminal and from npm, still drains', async t => {
  const server = await startServer(t, {}, SERVE_BY_LAUNCHER);
  const closed = once(server.process, 'close');
  server.process.kill('SIGINT');
  server.process.kill('SIGINT');
  assert.deepEqual(await closed, [0, null]);
  assert.match(server.stderr(), /"event":"stopped"/);
});

test('serve --json tells address and new credentials in one line', async t => {
  const server = await startServer(t, {}, [...SERVE_BY_LAUNCHER, '--json']);
  const line = JSON.parse(server.stdout());
  assert.deepEqual(Object.keys(line), ['url', 'mode', 'demoId', 'demoPassword', 'adminToken', 'consoleCode']);
  assert.equal(line.url, server.url);
  assert.equal(line.mode, 'sandbox');
  await server.stop();
});

test('a configuration with problems is refused with all of them, by serve and by commands on the store', async t => {
  const env = {
    BONGSU_DATA_DIR: scratchDirectory(t),
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
