/** The scripts of `bongsu completion`, in the shells themselves. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { completionScript } from '../../src/cli/completion.ts';
import { createProgram } from '../../src/cli/main.ts';
import { unlessInstalled } from '../harness/debian.ts';
import { scratchDirectory } from '../harness/scratch.ts';

const program = createProgram({});

function scriptFile(shell: 'bash' | 'zsh' | 'fish'): string {
  const file = join(scratchDirectory(), shell === 'zsh' ? '_bongsu' : `bongsu.${shell}`);
  writeFileSync(file, completionScript(shell, program));
  return file;
}

function run(command: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, ''], `${command} ${args.join(' ')}`);
  return stdout;
}

test('bash completes commands, options and their words', { skip: unlessInstalled('bash') }, () => {
  const file = scriptFile('bash');
  const complete = (line: string) => {
    const words = line.split(' ');
    const typed = `COMP_WORDS=(${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}`;
    const script = `source ${file}; ${typed}; _bongsu; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return run('bash', ['--norc', '-c', script]).split('\n').filter(Boolean);
  };
  assert.deepEqual(complete('bongsu acc'), ['account']);
  assert.deepEqual(complete('bongsu account re'), ['revoke-tokens']);
  assert.deepEqual(complete('bongsu account set shop --report-m'), ['--report-mode']);
  assert.deepEqual(complete('bongsu account set shop --report-mode '), ['polling', 'webhook']);
  assert.deepEqual(complete('bongsu registry import shop --u'), ['--url']);
  assert.deepEqual(complete('bongsu send --csv '), [], 'files are left to the shell');
  assert.ok(complete('bongsu ').includes('doctor'));
});

test('zsh reads its script, and completes', { skip: unlessInstalled('zsh') }, () => {
  const file = scriptFile('zsh');
  run('zsh', ['-f', '-n', file]);
  const complete = (line: string) => {
    const words = line.split(' ').map(word => `'${word}'`);
    const stubs = 'compadd() { shift; print -l -- "$@" }; _files() { print files }; compdef() { : }';
    const script = `${stubs}; source ${file}; words=(${words.join(' ')}); CURRENT=${words.length}; _bongsu`;
    return run('zsh', ['-f', '-c', script]).split('\n').filter(Boolean);
  };
  assert.deepEqual(complete('bongsu account set shop --report-mode '), ['polling', 'webhook']);
  assert.deepEqual(complete('bongsu send --csv '), ['files']);
  assert.ok(complete('bongsu carrier ').includes('pause'));
});

test('fish completes', { skip: unlessInstalled('fish') }, () => {
  const file = scriptFile('fish');
  const complete = (line: string) =>
    run('fish', ['--no-config', '-c', `source ${file}; complete -C '${line}'`])
      .split('\n')
      .map(found => found.split('\t')[0] ?? '')
      .filter(Boolean);
  assert.deepEqual(complete('bongsu account re'), ['revoke-tokens']);
  assert.deepEqual(complete('bongsu account set shop --report-mode '), ['polling', 'webhook']);
  assert.ok(complete('bongsu carrier ').includes('pause'));
});
