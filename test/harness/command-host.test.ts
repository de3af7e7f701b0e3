import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import test from 'node:test';
import { bongsu } from './process.ts';
import { scratchDirectory } from './scratch.ts';

const LONGEST_WAIT_MS = 60_000;

test('nothing of a command is left for the next', async () => {
  const env = { BONGSU_DATA_DIR: scratchDirectory() };
  const create = ['account', 'create', 'shop', '--password-stdin'];
  const made = await bongsu(create, env, { input: 'a password of the shop\n' });
  assert.deepEqual([made.code, made.stdout, made.stderr], [0, 'account shop created\n', '']);
  const other = { BONGSU_DATA_DIR: scratchDirectory(), BONGSU_PORT: 'x' };
  const wrong = await bongsu(create, other, { input: 'a password of the shop\n' });
  assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
  const silent = await bongsu(create, env);
  assert.deepEqual([silent.code, silent.stdout], [2, ''], 'the input before it is gone');
  const [listed] = JSON.parse((await bongsu(['account', 'list', '--json'], env)).stdout);
  assert.equal(listed.id, 'shop');
});

test('commands that are given at once run in turn, each with its own output', async () => {
  const names = ['account', 'queue', 'registry', 'webhook'];
  const helps = await Promise.all(names.map(name => bongsu([name, '--help'])));
  for (const [index, { stdout }] of helps.entries()) {
    assert.deepEqual(stdout.match(/^Usage: bongsu \w+/gm), [`Usage: bongsu ${names[index]}`]);
  }
});

test('the host neither keeps the process of its test alive, nor outlives it', async () => {
  const harness = new URL('process.ts', import.meta.url).href;
  const script = `const { bongsu } = await import('${harness}'); console.log((await bongsu(['--version'])).code);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LONGEST_WAIT_MS,
  });
  // Standard error is shared with the host: it closes when both have ended.
  const [written, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  assert.deepEqual([code, written], [0, '0\n']);
});
