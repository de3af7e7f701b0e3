import assert from 'node:assert/strict';
import { chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import Fastify from 'fastify';
import { scratchDirectory } from '../../test/harness/scratch.ts';
import { createLogger } from '../platform/logger.ts';
import { type EngineSocket, listenOnEngineSocket } from './engine-socket.ts';

const SILENT = createLogger('silent');
const NO_PROCESS = 'bongsu-engine-4194305-abcdef';
const NOBODY = 65_534;

async function listening(t: test.TestContext, ownDirectory: string | undefined): Promise<EngineSocket> {
  const http = Fastify();
  t.after(() => http.close());
  return listenOnEngineSocket(http, ownDirectory, SILENT);
}

/** A temporary folder that holds nothing yet. */
function temporaryFolder(t: test.TestContext): string {
  const before = process.env.TMPDIR;
  const folder = scratchDirectory();
  process.env.TMPDIR = folder;
  t.after(() => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  });
  return folder;
}

test('with a directory of its own the socket is there, and what a killed process left there is removed', async t => {
  const own = scratchDirectory();
  const folder = temporaryFolder(t);
  const directory = join(own, 'engine-socket');
  mkdirSync(directory);
  writeFileSync(join(directory, 'engine'), 'left behind');
  const socket = await listening(t, own);
  assert.equal(socket.path, join(directory, 'engine'));
  assert.deepEqual(readdirSync(folder), []);
  socket.remove();
  assert.deepEqual(readdirSync(own), []);
});

test('what else is in its place is left alone', async t => {
  const own = scratchDirectory();
  const directory = join(own, 'engine-socket');
  mkdirSync(directory);
  writeFileSync(join(directory, 'note.txt'), 'mine');
  const socket = await listening(t, own);
  socket.remove();
  assert.deepEqual(readdirSync(directory), ['note.txt']);
});

test('where the directory takes no socket, it is in the temporary folder', async t => {
  const deep = join(scratchDirectory(), 'd'.repeat(100));
  const folder = temporaryFolder(t);
  mkdirSync(deep);
  const socket = await listening(t, deep);
  assert.equal(dirname(dirname(socket.path)), folder);
  assert.deepEqual(readdirSync(deep), []);
  socket.remove();
  assert.deepEqual(readdirSync(folder), []);
});

test('only sockets of our own are removed from the temporary folder', async t => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, NO_PROCESS));
  const foreign = join(folder, `${NO_PROCESS}2`);
  mkdirSync(join(foreign, 'full'), { recursive: true });
  if (process.getuid?.() === 0) chownSync(foreign, NOBODY, NOBODY);
  const socket = await listening(t, undefined);
  assert.equal(readdirSync(folder).includes(NO_PROCESS), false);
  if (process.getuid?.() === 0) assert.deepEqual(readdirSync(foreign), ['full']);
  socket.remove();
});
