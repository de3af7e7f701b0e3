import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { after } from 'node:test';
import { bearer } from '../harness/credentials.ts';
import { bongsu, type Env, startCommand, startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';

const PASSWORD = 'a password for tests';
const server = await startServer(
  { after },
  { BONGSU_DEMO_ACCOUNT: `demo:${PASSWORD}`, BONGSU_HTTP_THREADS: '1' },
);

const token = /admin token +(\S+)/.exec(server.stdout())?.[1] ?? '';

/** Sends until the watcher has seen enough. */
async function watchWhileSending(url: string, args: readonly string[], env: Env) {
  const watching = bongsu(['watch', '--rows', '3', ...args], env);
  let isOver = false;
  const finished = watching.finally(() => {
    isOver = true;
  });
  const sender = { BONGSU_URL: url, BONGSU_CLIENT_ID: 'demo', BONGSU_CLIENT_PASSWORD: PASSWORD };
  await until('the watcher has seen enough', async () => {
    if (!isOver) await bongsu(['send', '--from', '0212345678', '--to', '01012345678', '--text', 'x'], sender);
    return isOver;
  });
  return finished;
}

test('watch shows what happens: by token, and without one beside the data directory', async () => {
  const byToken = await watchWhileSending(server.url, ['--json', '--url', server.url], {
    BONGSU_ADMIN_TOKEN: token,
  });
  const rows = byToken.stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
  assert.equal(rows.length, 3);
  assert.equal(rows[0].account, 'demo');
  const byStore = await watchWhileSending(server.url, [], { BONGSU_DATA_DIR: server.dataDir });
  assert.equal(byStore.code, 0, byStore.stderr);
  assert.match(byStore.stdout, /^\d\d:\d\d:\d\d {2}\w{32} {2}demo {2}010\*{4}5678 {2}sms {2}/m);
});

test('watch says what is missing', async () => {
  const wrong = await bongsu(['watch', '--url', server.url], { BONGSU_ADMIN_TOKEN: 'wrong-token' });
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /refused: .*A002/);
  assert.doesNotMatch(wrong.stderr, /wrong-token/);
  const nobody = await bongsu(['watch', '--url', 'http://127.0.0.1:9'], { BONGSU_ADMIN_TOKEN: 'some-token' });
  assert.match(nobody.stderr, /no gateway answers at /);
});

async function openSessions() {
  const headers = bearer(token);
  const answer = await fetch(`${server.url}/admin/v1/sessions`, { headers });
  const { data } = (await answer.json()) as { data: { sessions: unknown[] } };
  return data.sessions;
}

test('without a token only the gateway of the data directory is watched, and the session is always closed', async t => {
  const env = { BONGSU_DATA_DIR: server.dataDir };
  for (const url of ['http://192.0.2.1:8080', 'http://127.0.0.1.example.com', server.url]) {
    for (const other of [
      await bongsu(['watch', '--url', url], env),
      await bongsu(['watch'], { ...env, BONGSU_URL: url }),
    ]) {
      assert.equal(other.code, 1);
      assert.match(other.stderr, /not authorized: set BONGSU_ADMIN_TOKEN/);
    }
  }
  assert.deepEqual(await openSessions(), []);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const watching = startCommand(t, ['watch'], env);
    await until('it watches', async () => (await openSessions()).length === 1);
    assert.deepEqual(await watching.end(signal), { code: null, signal });
    assert.deepEqual(await openSessions(), []);
  }
  const gone = startCommand(t, ['watch', '--json'], env);
  await until('it watches', async () => (await openSessions()).length === 1);
  gone.child.stdout?.destroy();
  const sender = { BONGSU_URL: server.url, BONGSU_CLIENT_ID: 'demo', BONGSU_CLIENT_PASSWORD: PASSWORD };
  await until('it has noticed that nobody reads', async () => {
    if (gone.isAlive())
      await bongsu(['send', '--from', '0212345678', '--to', '01012345678', '--text', 'x'], sender);
    return !gone.isAlive();
  });
  assert.deepEqual(await gone.exit, { code: 0, signal: null });
  assert.deepEqual(await openSessions(), []);
});

test('a gateway without a socket in its data directory is watched with a token only', async t => {
  const single = await startServer(t, { BONGSU_HTTP_THREADS: '0' });
  const { code, stderr } = await bongsu(['watch'], { BONGSU_DATA_DIR: single.dataDir });
  assert.equal(code, 1);
  assert.match(stderr, /no gateway answers at .*engine: to watch one by its address, set BONGSU_ADMIN_TOKEN/);
});

test('a token is not shown to what a gateway redirects to', async t => {
  const seen: (string | undefined)[] = [];
  const thief = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(thief, 'listening');
  const target = `http://localhost:${(thief.address() as AddressInfo).port}/`;
  const gateway = createServer((_, response) => response.writeHead(307, { location: target }).end()).listen(
    0,
    '127.0.0.1',
  );
  await once(gateway, 'listening');
  t.after(() => {
    thief.close();
    gateway.close();
  });
  const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  const { code } = await bongsu(['watch', '--url', url], { BONGSU_ADMIN_TOKEN: token });
  assert.deepEqual([code, seen], [1, []]);
});
