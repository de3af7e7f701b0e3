import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, type TestContext, test } from 'node:test';
import { Client } from 'pg';
import { systemClock } from '../../src/platform/clock.ts';
import { fileSystemBlobs } from '../../src/store/file-system/blobs.ts';
import { layeredBlobs } from '../../src/store/layered-blobs.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { s3Blobs } from '../../src/store/s3/blobs.ts';
import { type Bucket, openBucket } from '../../src/store/s3/bucket.ts';
import { StoreFault } from '../../src/store/store-fault.ts';
import { sharedPostgres, type TestPostgres } from '../harness/postgres.ts';
import { startS3 } from '../harness/s3.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { blobsContract, keep, listed, read } from './contract/blobs.ts';

let server: TestPostgres;
let s3: Awaited<ReturnType<typeof startS3>>;

before(async () => {
  server = await sharedPostgres();
  s3 = await startS3('images');
});
after(() => Promise.all([server.stop(), s3.stop()]));

function filesIn(directory: string): string[] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
}

blobsContract('file system', async () => {
  const directory = scratchDirectory();
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

let folders = 0;

function bucketAt(t: TestContext, endpoint: string, secretAccessKey = s3.keys.secretAccessKey): Bucket {
  const options = { ...s3.keys, secretAccessKey, region: 'us-east-1', bucket: 'images', timeoutMs: 10_000 };
  // It stands in for the pauses between tries only.
  const clock = { ...systemClock, schedule: (_: number, task: () => void) => systemClock.schedule(0, task) };
  const bucket = openBucket({ ...options, endpoint, clock });
  t.after(() => bucket.close());
  return bucket;
}

blobsContract('S3', async t => {
  const prefix = `folder/${++folders}/`;
  const bucket = bucketAt(t, s3.endpoint);
  return {
    blobs: s3Blobs(bucket, prefix),
    elsewhere: s3Blobs(bucketAt(t, s3.endpoint), prefix),
    count: async () => (await bucket.list(prefix)).keys.length,
    age: async () => {},
  };
});

/** A store that answers as it is told, one answer after the other. */
async function scripted(t: TestContext, ...answers: readonly (readonly [number, string])[]) {
  const requests: string[] = [];
  const http = createServer(async (request, response) => {
    requests.push(`${request.method} ${(await buffer(request)).length}`);
    const [status, body] = answers[requests.length - 1] ?? [500, ''];
    if (status === 0) request.socket.destroy();
    else response.writeHead(status).end(body);
  }).listen(0, '127.0.0.1');
  await once(http, 'listening');
  t.after(() => http.close());
  const { port } = http.address() as AddressInfo;
  return { requests, blobs: s3Blobs(bucketAt(t, `http://127.0.0.1:${port}`), '') };
}

test('S3: lists page after page', async t => {
  const [first, second] = ['a', 'b'].map(name => `<Contents><Key>files/${name}&amp;</Key></Contents>`);
  const more = '<IsTruncated>true</IsTruncated><NextContinuationToken>1/w==</NextContinuationToken>';
  const { blobs } = await scripted(t, [200, `${first}${more}`], [200, `${second}`]);
  assert.deepEqual(await listed(blobs), ['a&', 'b&']);
});

test('S3: tries again what may succeed, with all of the bytes', async t => {
  const { requests, blobs } = await scripted(t, [503, ''], [0, ''], [200, '']);
  await keep(blobs, randomBytes(100_000));
  assert.deepEqual(requests, ['PUT 100000', 'PUT 100000', 'PUT 100000']);
});

test('S3: a store that stays away is a fault, a refusal is an error that names its reason', async t => {
  const away = await scripted(
    t,
    [503, ''],
    [503, ''],
    [503, '<Code>SlowDown</Code>'],
    [403, '<Code>AccessDenied</Code>'],
  );
  const draft = await away.blobs.begin();
  const hash = await draft.seal();
  await assert.rejects(
    draft.place(),
    error => error instanceof StoreFault && /503 SlowDown/.test(error.message),
  );
  await draft.discard();
  await assert.rejects(away.blobs.open(hash), {
    name: 'Error',
    message: 'bucket images: GET was refused: 403 AccessDenied',
  });
  const unsigned = s3Blobs(bucketAt(t, s3.endpoint, 'wrong'), '');
  await assert.rejects(unsigned.leftAside(), /403 SignatureDoesNotMatch/);
});

test('S3: a copy that fails after it began is no copy', async t => {
  const { blobs } = await scripted(t, [200, '<Error><Code>InternalError</Code></Error>'], [200, '']);
  await assert.rejects(blobs.setAside('0'.repeat(64)), /copying failed: InternalError/);
});

test('finds and deletes what is still in an older place, and writes to the new one', async () => {
  const [old, current] = [scratchDirectory(), scratchDirectory()];
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

test('makes no folders where files are kept elsewhere', async () => {
  const directory = join(scratchDirectory(), 'data');
  const blobs = fileSystemBlobs(directory);
  await (await blobs.setAside('0'.repeat(64))).putBack();
  await blobs.clearDrafts();
  assert.deepEqual([await blobs.leftAside(), await blobs.open('0'.repeat(64))], [[], undefined]);
  assert.equal(existsSync(directory), false);
});
