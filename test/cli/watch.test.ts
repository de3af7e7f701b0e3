import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { bongsu, type Env, startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';

const PASSWORD = 'a password for tests';
const server = await startServer({ after }, { BONGSU_DEMO_ACCOUNT: `demo:${PASSWORD}` });

/** Sends until the watcher has seen enough. */
async function watchWhileSending(url: string, args: readonly string[], env: Env) {
  const watching = bongsu(['watch', '--url', url, '--rows', '3', ...args], env);
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
  const token = /admin token +(\S+)/.exec(server.stdout())?.[1] ?? '';
  const byToken = await watchWhileSending(server.url, ['--json'], { BONGSU_ADMIN_TOKEN: token });
  const rows = byToken.stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
  assert.equal(rows.length, 3);
  assert.equal(rows[0].account, 'demo');
  const byStore = await watchWhileSending(server.url, [], { BONGSU_DATA_DIR: server.dataDir });
  assert.equal(byStore.code, 0);
  assert.match(byStore.stdout, /^\d\d:\d\d:\d\d {2}\w{32} {2}demo {2}010\*{4}5678 {2}sms {2}/);
});

test('watch says what is missing', async () => {
  const wrong = await bongsu(['watch', '--url', server.url], { BONGSU_ADMIN_TOKEN: 'wrong-token' });
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /refused: .*A002/);
  assert.doesNotMatch(wrong.stderr, /wrong-token/);
  const nobody = await bongsu(['watch', '--url', 'http://127.0.0.1:9'], { BONGSU_ADMIN_TOKEN: 'some-token' });
  assert.match(nobody.stderr, /no gateway answers at /);
});
