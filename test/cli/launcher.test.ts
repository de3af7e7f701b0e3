import assert from 'node:assert/strict';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { bongsu } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { LAUNCHER } from './launcher.ts';

const ROOT = new URL('../../', import.meta.url);

/** The machine's own Node, where it has one besides the pinned. */
function systemNode(): string {
  const places = (process.env.PATH ?? '').split(delimiter).filter(place => !place.includes('node_modules'));
  return places.map(place => join(place, 'node')).find(file => existsSync(file)) ?? process.execPath;
}

/** A package with the launcher in it, and a script of ours in place of the pinned Node. */
function launcherWith(node: string | undefined): string {
  const directory = scratchDirectory();
  mkdirSync(join(directory, 'bin'));
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  for (const file of ['bin/bongsu.js', 'bin/early-signals.js', 'bin/runtime.js', 'bin/start.js']) {
    copyFileSync(new URL(file, ROOT), join(directory, file));
  }
  if (node !== undefined) {
    mkdirSync(join(directory, 'node_modules/node/bin'), { recursive: true });
    writeFileSync(join(directory, 'node_modules/node/bin/node'), `#!/bin/sh\n${node}\n`);
    chmodSync(join(directory, 'node_modules/node/bin/node'), 0o755);
  }
  return join(directory, 'bin/bongsu.js');
}

test('runs under the pinned Node, whichever Node starts it', async () => {
  const { version, devDependencies } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));
  const { code, stdout, stderr } = await bongsu(
    ['--version'],
    {},
    { node: systemNode(), launcher: LAUNCHER },
  );
  assert.equal(stdout, `bongsu ${version} (Node v${devDependencies.node})\n`);
  assert.equal(stderr, '');
  assert.equal(code, 0);
});

test('without a pinned Node runs under the one that starts it, if that is new enough', async () => {
  const launcher = launcherWith(undefined);
  const main = join(launcher, '../../dist/cli-main.js');
  mkdirSync(dirname(main), { recursive: true });
  writeFileSync(main, 'console.log(process.version, ...process.argv.slice(2));');
  const { code, stdout } = await bongsu(['carrier', 'list'], {}, { launcher });
  assert.deepEqual({ code, stdout }, { code: 0, stdout: `${process.version} carrier list\n` });
});

test('a checkout runs what was built of its sources, until one of them changes', async () => {
  const launcher = launcherWith('echo "$4"');
  const checkout = join(launcher, '../..');
  const file = (path: string, text: string) => {
    mkdirSync(dirname(join(checkout, path)), { recursive: true });
    writeFileSync(join(checkout, path), text);
  };
  file('src/cli/main.ts', 'first');
  file('client/client.ts', 'first');
  const runs = async () =>
    (await bongsu(['send'], {}, { launcher })).stdout.trim().slice(checkout.length + 1);
  assert.equal(await runs(), 'src/cli/main.ts');

  const { stateOfSources } = await import(pathToFileURL(join(checkout, 'bin/runtime.js')).href);
  file('dist/cli-main.js', '');
  assert.equal(await runs(), 'src/cli/main.ts', 'it is not known what was built');
  for (const [path, text] of [
    ['client/client.ts', 'longer'],
    ['src/cli/new.ts', 'another file'],
    ['node_modules/.package-lock.json', 'other packages'],
  ] as const) {
    file('dist/sources.txt', stateOfSources());
    assert.equal(await runs(), 'dist/cli-main.js');
    file(path, text);
    assert.equal(await runs(), 'src/cli/main.ts', path);
  }
  file('dist/sources.txt', stateOfSources());
  utimesSync(join(checkout, 'src/cli/main.ts'), 0, 0);
  assert.equal(await runs(), 'src/cli/main.ts', 'as long as before, and not as old');
  file('dist/sources.txt', stateOfSources());
  file('src/cli/main.test.ts', 'a test is no part of the program');
  assert.equal(await runs(), 'dist/cli-main.js');
});

test('says which Node it needs', async () => {
  const oldNode = join(scratchDirectory(), 'old.mjs');
  writeFileSync(
    oldNode,
    `Object.defineProperty(process, 'version', { value: 'v20.1.0' }); process.argv.splice(1, 1); await import(process.argv[1]);`,
  );
  for (const starter of ['bin/bongsu.js', 'bin/start.js']) {
    const launcher = join(launcherWith(undefined), '../..', starter);
    const { code, stderr } = await bongsu([launcher], {}, { launcher: oldNode });
    assert.match(stderr, /^bongsu: needs Node 24\.\d+\.0 or later; this is v20\.1\.0/);
    assert.equal(code, 1);
  }
});

test('Node 24.20 and later is new enough', async () => {
  const { isNewEnough } = await import(new URL('bin/runtime.js', ROOT).href);
  for (const version of ['v24.20.0', 'v24.21.3', 'v26.0.0']) assert.ok(isNewEnough(version), version);
  for (const version of ['v24.19.9', 'v22.30.0', 'v9.0.0']) assert.ok(!isNewEnough(version), version);
});

test('hands over its arguments and its standard input', async () => {
  const launcher = launcherWith('for argument in "$@"; do echo "$argument"; done; cat');
  const { stdout } = await bongsu(['send', '--text', 'two words'], {}, { launcher, input: 'typed' });
  const lines = stdout.split('\n');
  const flags = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=8', '--v8-pool-size=1'];
  assert.deepEqual(lines.slice(0, 3), flags);
  assert.match(lines[3] ?? '', /src\/cli\/main\.ts$/);
  assert.deepEqual(lines.slice(4), ['send', '--text', 'two words', 'typed']);
});

test('passes on the exit code', async () => {
  const { code, signal } = await bongsu([], {}, { launcher: launcherWith('exit 7') });
  assert.deepEqual({ code, signal }, { code: 7, signal: null });
});

test('dies of the signal that its child died of', async () => {
  for (const name of ['KILL', 'TERM']) {
    const { code, signal } = await bongsu([], {}, { launcher: launcherWith(`kill -${name} $$`) });
    assert.deepEqual({ code, signal }, { code: null, signal: `SIG${name}` });
  }
});
