/**
 * `npm run suite package`: what a newcomer does with the package. `npm pack` as it is, then `npx ./bongsu-….tgz serve` in a
 * folder with nothing else in it. No registry can be reached: the package brings all it needs. npm takes 20 s to unpack it,
 * so this is not in `npm test`.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import test from 'node:test';
import { promisify } from 'node:util';
import { scratchDirectory } from '../harness/scratch.ts';

const run = promisify(execFile);

test('npx runs the package from an empty folder, without a registry', { timeout: 300_000 }, async t => {
  let end = async () => {};
  // Before the directory is: hooks run in this order.
  t.after(() => end());
  const directory = scratchDirectory();
  const folder = join(directory, 'empty');
  mkdirSync(folder);
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], {
    maxBuffer: 64 * 1024 * 1024,
  });
  const file = basename(JSON.parse(stdout.slice(stdout.indexOf('[\n')))[0].filename);
  assert.deepEqual(readdirSync(folder), [file]);

  const inherited = Object.entries(process.env).filter(([name]) => !/^(BONGSU|npm)_/i.test(name));
  const child = spawn('npx', ['--yes', `./${file}`, 'serve', '--json'], {
    cwd: folder,
    detached: true,
    env: {
      ...Object.fromEntries(inherited),
      BONGSU_PORT: '0',
      npm_config_cache: join(directory, 'cache'),
      npm_config_registry: 'http://127.0.0.1:9/',
    },
  });
  const complaints: string[] = [];
  child.stderr.on('data', chunk => complaints.push(String(chunk)));
  const closed = once(child, 'close');
  end = async () => {
    // As Ctrl-C does: npx does not pass signals on.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    await closed;
  };
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    closed.then(() => assert.fail(`it ended:\n${complaints.join('')}`)),
  ]);
  const { url, mode } = JSON.parse(line);
  assert.equal(mode, 'sandbox');
  assert.equal((await fetch(`${url}/readyz`)).status, 200);
  assert.match(await (await fetch(`${url}/console/`)).text(), /<script/);
  assert.deepEqual(readdirSync(folder).toSorted(), [file, 'data'].toSorted());
});
