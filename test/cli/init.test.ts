import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { bongsu, startServer } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';

const PASSWORD = 'password-of-the-edge';

function init(file: string, args: readonly string[], password?: string, input?: string) {
  const env = { BONGSU_DATA_DIR: join(file, '..', 'data'), ...(password && { UPSTREAM_PASSWORD: password }) };
  return bongsu(['init', '--file', file, ...args], env, { ...(input !== undefined && { input }) });
}

const fileIn = () => join(scratchDirectory(), 'bongsu.yaml');

test('init --upstream writes a file that leads there, and tries it', async t => {
  const { url } = await startServer(t, { BONGSU_DEMO_ACCOUNT: `edge:${PASSWORD}` });
  const upstream = ['--upstream', `${url}/`, '--account', 'edge'];
  const file = fileIn();
  const { code, stdout, stderr } = await init(file, [...upstream, '--password-stdin'], undefined, PASSWORD);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, new RegExp(`^${file} written\\nupstream: .*${url}`));
  const text = readFileSync(file, 'utf8');
  assert.match(text, /kind: omni/);
  assert.ok(!text.includes(PASSWORD), 'the password stays outside');
  assert.equal(existsSync(join(file, '..', 'data')), false, 'it makes no database');

  const again = await init(file, upstream, PASSWORD);
  assert.deepEqual([again.code, again.stderr], [1, `bongsu: there is a ${file} already\n`]);

  const wrong = await init(fileIn(), [...upstream, '--json'], 'wrong');
  assert.equal(wrong.code, 1);
  assert.equal(JSON.parse(wrong.stdout).isOk, false);
  assert.match(JSON.parse(wrong.stderr).error, /^upstream did not pass the test/);
});

test('init --upstream needs an account and a password, and writes nothing without them', async () => {
  const file = fileIn();
  const upstream = ['--upstream', 'https://api.example.com'];
  for (const [args, password, reason] of [
    [upstream, PASSWORD, /--account/],
    [[...upstream, '--account', 'edge'], undefined, /UPSTREAM_PASSWORD/],
    [[...upstream, '--account', 'edge', '--header-prefix', 'X-Y'], PASSWORD, /--header-prefix/],
    [['--upstream', 'ftp://example.com'], PASSWORD, /a URL/],
  ] as const) {
    const { code, stderr } = await init(file, args, password);
    assert.equal(code, 2, stderr);
    assert.match(stderr, reason);
  }
  assert.equal(existsSync(file), false);
});

test('init writes the file that the gateway would read', async () => {
  const file = join(scratchDirectory(), 'elsewhere.yaml');
  const { code, stdout } = await bongsu(['init'], { BONGSU_CONFIG: file });
  assert.deepEqual([code, stdout], [0, `${file} written; "bongsu doctor" checks it\n`]);
  assert.ok(existsSync(file));
});
