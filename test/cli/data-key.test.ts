import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import test from 'node:test';
import { bongsu, startServer } from '../harness/process.ts';
import { storedBytes } from '../harness/stored-bytes.ts';

const ADMIN = { BONGSU_ADMIN_TOKEN: 'admin-of-the-data-keys' };
const [NUMBER, TEXT] = ['01029384756', 'zebra-quartz'];

test('data-key status counts, and reseal seals what is plain once the gateway has stopped', async t => {
  const server = await startServer(t, { BONGSU_DEMO_ACCOUNT: 'shop:password', ...ADMIN });
  const url = ['--url', server.url];
  const client = { BONGSU_CLIENT_ID: 'shop', BONGSU_CLIENT_PASSWORD: 'password' };
  const send = ['send', '--from', '0212345678', '--to', NUMBER, '--text', TEXT];
  const sent = await bongsu([...send, ...url], client);
  assert.equal(sent.code, 0, sent.stderr);

  const key = randomBytes(32).toString('base64');
  const env = { BONGSU_DATA_DIR: server.dataDir, BONGSU_DATA_KEY: key };
  const refused = await bongsu(['data-key', 'reseal'], env);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /stop it first/);
  const there = await bongsu(['data-key', 'status', ...url], ADMIN);
  assert.match(there.stdout, /message +plain +plain +1\n/, there.stderr);
  const refusedThere = await bongsu(['data-key', 'reseal', ...url], ADMIN);
  assert.match(refusedThere.stderr, /A300 SQLite is re-encrypted only while the gateway is stopped/);
  await server.stop();

  const before = await bongsu(['data-key', 'status'], env);
  assert.match(before.stdout, /message +plain +plain +1\n/);
  const done = await bongsu(['data-key', 'reseal'], env);
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stdout, /from now on the store refuses values that are not encrypted/);
  assert.match(done.stderr, /^message: \d+ rows looked at, \d+ re-encrypted$/m);
  const after = JSON.parse((await bongsu(['data-key', 'status', '--json'], env)).stdout);
  assert.deepEqual(new Set(after.values.map((each: { key: string }) => each.key)), new Set(after.keys));
  assert.deepEqual((await storedBytes(env)).placesOf([NUMBER, TEXT]), []);

  const unset = await bongsu(['data-key', 'status'], { BONGSU_DATA_DIR: server.dataDir });
  assert.equal(unset.code, 1);
  assert.match(
    unset.stderr,
    /^bongsu: the store has values that are encrypted with the data key [0-9a-f]{6}, /,
  );

  const plain = { ...env, BONGSU_DATA_KEY: `plain,${key}` };
  const strict = await bongsu(['data-key', 'reseal'], plain);
  assert.match(strict.stderr, /refuses values that are not encrypted: run "bongsu data-key relax"/);
  const relaxed = await bongsu(['data-key', 'relax'], env);
  assert.equal(relaxed.stdout, 'the store reads values that are not encrypted\n', relaxed.stderr);
  assert.equal((await bongsu(['data-key', 'relax'], env)).stdout, 'the store was not strict\n');
  const taken = await bongsu(['data-key', 'reseal'], plain);
  assert.match(taken.stdout, /\nin use: no key\n/, taken.stderr);
});
