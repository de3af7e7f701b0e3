import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { bongsu } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';

const ROOT = new URL('../../', import.meta.url);

/** The machine's own Node, where it has one besides the pinned. */
function systemNode(): string {
  const places = (process.env.PATH ?? '').split(delimiter).filter(place => !place.includes('node_modules'));
  return places.map(place => join(place, 'node')).find(file => existsSync(file)) ?? process.execPath;
}

/** A package with the launcher in it, and a script of ours in place of the pinned Node. */
function launcherWith(t: TestContext, node: string | undefined): string {
  const directory = scratchDirectory(t);
  mkdirSync(join(directory, 'bin'));
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  copyFileSync(new URL('bin/bongsu.js', ROOT), join(directory, 'bin/bongsu.js'));
  if (node !== undefined) {
    mkdirSync(join(directory, 'node_modules/node/bin'), { recursive: true });
    writeFileSync(join(directory, 'node_modules/node/bin/node'), `#!/bin/sh\n${node}\n`);
    chmodSync(join(directory, 'node_modules/node/bin/node'), 0o755);
  }
  return join(directory, 'bin/bongsu.js');
}

test('runs under the pinned Node, whichever Node starts it', async () => {
  const { version, dependencies } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));
  const { code, stdout, stderr } = await bongsu(['--version'], {}, { node: systemNode() });
  assert.equal(stdout, `bongsu ${version} (Node v${dependencies.node})\n`);
  assert.equal(stderr, '');
  assert.equal(code, 0);
});

test('says what to run when the pinned Node is not installed', async t => {
  const finished = await bongsu(['--version'], {}, { launcher: launcherWith(t, undefined) });
  assert.match(finished.stderr, /^bongsu: .*run npm ci in /);
  assert.equal(finished.code, 1);
});

test('hands over its arguments and its standard input', async t => {
  const launcher = launcherWith(t, 'for argument in "$@"; do echo "$argument"; done; cat');
  const { stdout } = await bongsu(['send', '--text', 'two words'], {}, { launcher, input: 'typed' });
  const lines = stdout.split('\n');
  assert.equal(lines[0], '--disable-warning=ExperimentalWarning');
  assert.match(lines[1] ?? '', /src\/cli\/main\.ts$/);
  assert.deepEqual(lines.slice(2), ['send', '--text', 'two words', 'typed']);
});

test('passes on the exit code', async t => {
  const { code, signal } = await bongsu([], {}, { launcher: launcherWith(t, 'exit 7') });
  assert.deepEqual({ code, signal }, { code: 7, signal: null });
});

test('dies of the signal that its child died of', async t => {
  for (const name of ['KILL', 'TERM']) {
    const { code, signal } = await bongsu([], {}, { launcher: launcherWith(t, `kill -${name} $$`) });
    assert.deepEqual({ code, signal }, { code: null, signal: `SIG${name}` });
  }
});
