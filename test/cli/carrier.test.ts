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

test('beside a server on SQLite commands name its node as it does, and know whether it runs', async t => {
  const { env } = settings();
  const reconnect = () => bongsu(['carrier', 'reconnect', 'sky'], env);
  const nodes = async () => JSON.parse((await bongsu(['node', 'list', '--json'], env)).stdout).nodes;
  const named = { ...env, BONGSU_NODE_NAME: 'night-1' };
  const refused = { code: 1, stderr: 'bongsu: No node runs the carrier "sky"\n' };
  const isRefused = async () => {
    const { code, stderr } = await reconnect();
    assert.deepEqual({ code, stderr }, refused);
  };

  await isRefused();
  assert.equal(existsSync(env.BONGSU_DATA_DIR), false, 'it makes no database');
  const server = await startServer(t, named);
  const told = await until('the server tells', async () => (await nodes()).length > 0 && nodes());
  assert.deepEqual(
    told.map((line: Record<string, unknown>) => [line.node, line.pid, line.state, line.carriers]),
    [['night-1', server.process.pid, 'running', ['sky', 'sea', 'simulator']]],
  );
  assert.deepEqual(new Set((await list(env)).map(({ node }) => node)), new Set(['night-1']));
  assert.equal((await reconnect()).stdout, 'sky: every node retries within a second\n');
  const { code, stderr } = await bongsu(['node', 'drain', 'night-1'], env);
  assert.deepEqual(
    [code, stderr],
    [1, 'bongsu: with SQLite a gateway can be drained and resumed only over HTTP: give --url\n'],
  );

  await server.kill();
  await isRefused();
  const { stdout } = await bongsu(['node', 'list'], env);
  assert.equal(stdout, `no gateway runs on ${env.BONGSU_DATA_DIR}\n`);
  assert.deepEqual(
    (await list(env)).map(({ name, node, state }) => [name, node, state]),
    ['sky', 'sea', 'simulator'].map(name => [name, '', 'down']),
  );

  const again = await startServer(t, named);
  await until('the next one tells', async () => (await nodes()).length > 0);
  assert.deepEqual(
    (await nodes()).map(({ node, pid }: Record<string, unknown>) => [node, pid]),
    [['night-1', again.process.pid]],
  );
  await until('only its carriers are shown', async () => (await list(env)).length === 3);
  await again.stop();
  await isRefused();
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

test('commands that need no secret run without them, the others name the missing ones', async () => {
  const { env } = settings(
    FILE.replace(
      'sky: { kind: simulator }',
      'sky: { kind: smpp, host: h, systemId: s, password: "${SKY_PASSWORD}" }',
    ).replace(
      'sea: { kind: simulator }',
      'sea: { kind: smpp, host: h, systemId: s, password: "${file:/no/such/file}" }',
    ),
  );
  const unset = `${env.BONGSU_CONFIG}: carriers.sky.password: the environment variable SKY_PASSWORD is not set`;
  assert.deepEqual(new Set((await list(env)).map(({ name }) => name)), new Set(['sky', 'sea', 'simulator']));
  assert.equal((await bongsu(['account', 'create', 'shop'], env)).code, 0);
  assert.equal((await bongsu(['carrier', 'pause', 'sky'], env)).stdout, 'sky paused\n');
  assert.equal((await bongsu(['messages', 'search', '--account', 'shop'], env)).code, 0);
  const explained = await bongsu(['route', 'explain', '--channel', 'sms', '--to', '01012345678'], env);
  assert.match(explained.stdout, /^sea: routes\[0\]; sky is not available/);
  const tested = await bongsu(['carrier', 'test', 'sky'], env);
  assert.deepEqual(
    [tested.code, tested.stderr],
    [2, `bongsu: the configuration has a problem\n  ${unset}\n`],
  );
  const { code, stdout } = await bongsu(['doctor'], env);
  assert.equal(code, 1);
  assert.ok(stdout.includes(`PROBLEM  configuration  ${unset}\n`), stdout);
  assert.match(stdout, /PROBLEM {2}configuration {2}.*carriers\.sea\.password: cannot read \/no\/such\/file/);
  const served = await bongsu(['serve'], env);
  assert.equal(served.code, 2);
  assert.ok(served.stderr.includes(unset), served.stderr);
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
  const remote = { ...env, BONGSU_ADMIN_TOKEN: 'token-of-the-night-shift' };
  const server = await startServer(t, remote);
  writeFileSync(path, 'carriers:\n  sky: { kind: carrier-pigeon }\n');
  server.process.kill('SIGHUP');
  await until('it is refused', () => server.stderr().includes('"event":"reloadRefused"'));
  assert.match(server.stderr(), /carriers\.sky\.kind: expected simulator/);
  assert.match(server.stderr(), /"text":"The previous configuration stays in force"/);
  const doctor = async (...args: string[]) => (await bongsu(['doctor', ...args], remote)).stdout;
  assert.match(
    await doctor('--url', server.url),
    /PROBLEM {2}configuration {2}The configuration cannot be read again: .*carriers\.sky\.kind: expected simulator.*\n +→ The previous configuration stays in force/,
  );
  writeFileSync(path, FILE.replace('sea: {', 'lake: {').replace(', sea]', ', lake]'));
  server.process.kill('SIGHUP');
  await until('it is done', () =>
    server.stderr().includes('"event":"reloaded","added":["lake"],"removed":["sea"]'),
  );
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
  const told = /ok +configuration +The configuration has no problems \(mode sandbox, carriers 1, routes 0\)/;
  writeFileSync(path, 'carriers:\n  sky: { kind: simulator }\n');
  assert.match(
    await doctor('--url', server.url),
    /WARNING {2}configuration {2}.* has changed since it was read\n +→ Reload it/,
  );
  const differs = /WARNING {2}configuration {2}The node \S+ runs with other settings than \S+\n +→ Reload it/;
  await until('the node tells what it runs', async () => differs.test(await doctor()));
  server.process.kill('SIGHUP');
  await until('it is done again', () => server.stderr().includes('"added":[],"removed":["lake"]'));
  const after = await doctor('--url', server.url);
  assert.match(after, told);
  assert.doesNotMatch(after, /has changed since/);
});
