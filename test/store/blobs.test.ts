import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { Client } from 'pg';
import { fileSystemBlobs } from '../../src/store/file-system/blobs.ts';
import { layeredBlobs } from '../../src/store/layered-blobs.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { sharedPostgres, type TestPostgres } from '../harness/postgres.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { blobsContract, keep, read } from './contract/blobs.ts';

let server: TestPostgres;

before(async () => {
  server = await sharedPostgres();
});
after(() => server.stop());

function filesIn(directory: string): string[] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
}

blobsContract('file system', async t => {
  const directory = scratchDirectory(t);
  return {
    blobs: fileSystemBlobs(directory),
    elsewhere: fileSystemBlobs(directory),
    count: async () => filesIn(directory).length,
    age: async () => {
      for (const path of filesIn(join(directory, 'files', 'incoming'))) utimesSync(path, 1, 1);
    },
  };
});

/** The blobs of a fresh database, as two nodes see them, and a way to look into it. */
async function inPostgres(t: TestContext) {
  const url = await server.databaseFor(t);
  const open = () => openPostgresStore({ url, now: Date.now });
  const [here, there] = [await open(), await open()];
  const client = new Client(url);
  client.on('error', () => {});
  await client.connect();
  t.after(() => Promise.all([here.close(), there.close(), client.end()]));
  assert.ok(here.blobs && there.blobs);
  return {
    blobs: here.blobs,
    elsewhere: there.blobs,
    async count() {
      const { rows } = await client.query('SELECT count(*)::int AS blobs FROM blob');
      return rows[0].blobs as number;
    },
    async age() {
      await client.query("UPDATE blob SET began_at = began_at - interval '2 hours'");
    },
    client,
  };
}

blobsContract('PostgreSQL', inPostgres);

test('PostgreSQL: chunks of what is deleted are deleted with it', async t => {
  const { blobs, client } = await inPostgres(t);
  const hash = await keep(blobs, randomBytes(600_000));
  await (await blobs.setAside(hash)).destroy();
  const { rows } = await client.query('SELECT count(*)::int AS chunks FROM blob_chunk');
  assert.deepEqual(rows, [{ chunks: 0 }]);
});

test('PostgreSQL: reading breaks off where the bytes are destroyed meanwhile, and does not end early', async t => {
  const { blobs } = await inPostgres(t);
  const hash = await keep(blobs, randomBytes(2_000_000));
  const content = await blobs.open(hash);
  await (await blobs.setAside(hash)).destroy();
  await assert.rejects(content?.toArray() ?? Promise.resolve(), /are gone/);
});

test('finds and deletes what is still in an older place, and writes to the new one', async t => {
  const [old, current] = [scratchDirectory(t), scratchDirectory(t)];
  const [before, bytes] = [randomBytes(1000), randomBytes(1000)];
  const hash = await keep(fileSystemBlobs(old), before);
  const blobs = layeredBlobs(fileSystemBlobs(current), [fileSystemBlobs(old)]);
  assert.deepEqual(await read(blobs, hash), before);
  const added = await keep(blobs, bytes);
  assert.deepEqual(await read(fileSystemBlobs(current), added), bytes);
  assert.equal(await fileSystemBlobs(old).open(added), undefined);
  await blobs.setAside(hash);
  const [left] = await blobs.leftAside();
  await left?.putBack();
  assert.deepEqual(await read(blobs, hash), before);
  await (await blobs.setAside(hash)).destroy();
  assert.equal(await blobs.open(hash), undefined);
  assert.deepEqual(filesIn(old), []);
});

test('makes no folders where files are kept elsewhere', async t => {
  const directory = join(scratchDirectory(t), 'data');
  const blobs = fileSystemBlobs(directory);
  await (await blobs.setAside('0'.repeat(64))).putBack();
  await blobs.clearDrafts();
  assert.deepEqual([await blobs.leftAside(), await blobs.open('0'.repeat(64))], [[], undefined]);
  assert.equal(existsSync(directory), false);
});
