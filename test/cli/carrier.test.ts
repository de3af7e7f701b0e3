import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { bongsu, startServer } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const FILE = `
carriers:
  sky: { kind: simulator }
  sea: { kind: simulator }
routes:
  - { channel: sms, prefix: ["010"], via: [sky, sea] }
`;

function settings(file = FILE) {
  const directory = scratchDirectory();
  const path = join(directory, 'bongsu.yaml');
  writeFileSync(path, file);
  return { path, env: { BONGSU_CONFIG: path, BONGSU_DATA_DIR: join(directory, 'data') } };
}

interface Line {
  readonly name: string;
  readonly node: string;
  readonly state: string;
  readonly paused: boolean;
}

async function list(env: Readonly<Record<string, string>>): Promise<Line[]> {
  return JSON.parse((await bongsu(['carrier', 'list', '--json'], env)).stdout);
}

test('carrier list shows what is configured, and the state a running server tells', async t => {
  const { env } = settings();
  const before = await list(env);
  assert.deepEqual(
    before.map(({ name, node, state }) => [name, node, state]),
    ['sky', 'sea', 'simulator'].map(name => [name, '', 'down']),
  );
  assert.equal(existsSync(env.BONGSU_DATA_DIR), false, 'it makes no database');
  await startServer(t, env);
  const lines = await until('the server tells', async () => {
    const told = await list(env);
    return told.every(({ node }) => node !== '') && told;
  });
  assert.deepEqual(
    lines.map(({ name, state }) => [name, state]),
    ['sea', 'simulator', 'sky'].map(name => [name, 'up']),
  );
  const { stdout } = await bongsu(['carrier', 'list'], env);
  assert.match(stdout, /^CARRIER +KIND +NODE +STATE/);
});

test('carrier pause and resume work beside a running server', async () => {
  const { env } = settings();
  const { code, stdout } = await bongsu(['carrier', 'pause', 'sky'], env);
  assert.deepEqual([code, stdout], [0, 'sky paused\n']);
  assert.equal((await list(env)).find(({ name }) => name === 'sky')?.paused, true);
  await bongsu(['carrier', 'resume', 'sky'], env);
  assert.equal((await list(env)).find(({ name }) => name === 'sky')?.paused, false);
  const unknown = await bongsu(['carrier', 'pause', 'fog'], env);
  assert.deepEqual([unknown.code, unknown.stderr], [1, 'bongsu: There is no carrier named "fog"\n']);
});

test('carrier test connects and tells what came back', async () => {
  const { env } = settings();
  const { code, stdout } = await bongsu(['carrier', 'test', 'sky'], env);
  assert.deepEqual([code, stdout], [0, 'sky: a simulated network\n']);
});

test('route explain says which carrier and why', async () => {
  const { env } = settings();
  const explain = (...args: string[]) =>
    bongsu(['route', 'explain', '--channel', 'sms', '--to', ...args], env);
  const { stdout } = await explain('01012345678');
  assert.equal(
    stdout,
    'sky: routes[0]\n\nROUTE      MATCHES  WHY\nroutes[0]  yes      matches; via sky, sea\n',
  );
  await bongsu(['carrier', 'pause', 'sky'], env);
  assert.match((await explain('01012345678')).stdout, /^sea: routes\[0\]; sky is not available/);
  assert.match(
    (await explain('0212345678')).stdout,
    /^simulator: no route matches; simulator serves the rest/,
  );
  assert.equal((await explain('nobody')).code, 1);
});

test('SIGHUP reads carriers and routes again, and a file with problems changes nothing', async t => {
  const { env, path } = settings();
  const server = await startServer(t, env);
  writeFileSync(path, 'carriers:\n  sky: { kind: carrier-pigeon }\n');
  server.process.kill('SIGHUP');
  await until('it is refused', () => server.stderr().includes('"event":"reloadRefused"'));
  assert.match(server.stderr(), /carriers\.sky\.kind: expected simulator/);
  writeFileSync(path, FILE.replace('sea: {', 'lake: {').replace(', sea]', ', lake]'));
  server.process.kill('SIGHUP');
  await until('it is done', () =>
    server.stderr().includes('"event":"reloaded","added":["lake"],"removed":["sea"]'),
  );
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
});
