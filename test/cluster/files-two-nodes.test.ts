import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { moveFilesOf } from '../../src/composition/file-tools.ts';
import { loadConfig } from '../../src/config/config.ts';
import { type FilePlace, parseFilePlace } from '../../src/config/file-place.ts';
import { CHANNELS } from '../../src/domain/channels/channel.ts';
import type { FileKey } from '../../src/domain/ids.ts';
import { ADMIN_TOKEN } from '../harness/credentials.ts';
import { freshStore } from '../harness/engines.ts';
import { type Client, type TestGateway, testGateway } from '../harness/gateway.ts';
import { image } from '../harness/images.ts';
import { bongsu } from '../harness/process.ts';
import { startS3 } from '../harness/s3.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const PHOTO = image('jpg', 600, 600, 280 * 1024);

/** A node of the cluster, with a directory of its own that does not exist yet. */
async function startNode(t: TestContext, store: Readonly<Record<string, string>>): Promise<TestGateway> {
  return testGateway(t, { ...store, BONGSU_DATA_DIR: join(scratchDirectory(), 'data') });
}

async function upload(client: Client, content = PHOTO): Promise<FileKey> {
  return (await client.upload('MMS', content)).fileKey as FileKey;
}

function get(node: TestGateway, fileKey: string) {
  return node.gateway.http.inject({ method: 'GET', url: `/files/${fileKey}` });
}

test('what is uploaded to one node is served and deleted by the other, without a shared folder', async t => {
  const store = await freshStore(t, 'postgres');
  const [one, two] = [await startNode(t, store), await startNode(t, store)];
  const client = await one.account('acme');
  const [kept, deleted] = [await upload(client), await upload(client, image('jpg', 600, 600, 1000))];
  for (const node of [one, two]) assert.deepEqual((await get(node, kept)).rawPayload, PHOTO);
  const answer = await two.operator('DELETE', `/files/${deleted}`);
  assert.equal(answer.status, 200, answer.text);
  for (const node of [one, two]) assert.equal((await get(node, deleted)).statusCode, 404);
  const file = await two.gateway.store.files.findByKey(kept);
  for (const node of [one, two]) node.clock.advance(91 * 24 * 3_600_000);
  await until('the bytes are gone', async () => {
    two.clock.advance(60_000);
    return (await two.gateway.store.blobs?.open(file?.contentHash ?? '')) === undefined;
  });
  for (const node of [one, two]) assert.equal(existsSync(node.dataDir), false);
});

test('a file of before, in the data directory of a node, is found there and deleted from there', async t => {
  const store = await freshStore(t, 'postgres');
  const before = await testGateway(t, { ...store, BONGSU_FILES: 'directory' });
  const client = await before.account('acme');
  const fileKey = await upload(client);
  const node = await testGateway(t, store);
  assert.deepEqual((await get(node, fileKey)).rawPayload, PHOTO);
  const added = await upload(await node.account('globex'), image('jpg', 600, 600, 1000));
  assert.equal((await get(before, added)).statusCode, 200, 'also the other way round');
  await node.operator('DELETE', `/files/${fileKey}`);
  assert.equal((await get(before, fileKey)).statusCode, 404);
});

test('files are kept in a bucket, and moved from place to place while nodes serve them', async t => {
  const s3 = await startS3('images');
  t.after(() => s3.stop());
  const store = {
    ...(await freshStore(t, 'postgres')),
    BONGSU_S3_ENDPOINT: s3.endpoint,
    BONGSU_S3_ACCESS_KEY_ID: s3.keys.accessKeyId,
    BONGSU_S3_SECRET_ACCESS_KEY: s3.keys.secretAccessKey,
  };
  const inDirectory = await testGateway(t, { ...store, BONGSU_FILES: 'directory' });
  const client = await inDirectory.account('acme');
  const fileKeys = [await upload(client)];
  const env = { ...store, BONGSU_FILES: 's3://images/bongsu' };
  const inBucket = await testGateway(t, env);
  const owner = await inBucket.account('globex');
  fileKeys.push(await upload(owner), await upload(owner, image('jpg', 600, 600, 1000)));
  const elsewhere = await startNode(t, env);
  assert.equal((await get(elsewhere, fileKeys[2] ?? '')).statusCode, 200);

  const moved = async (files: string, from?: FilePlace) => {
    const { moves } = await moveFilesOf(
      loadConfig({ ...env, BONGSU_FILES: files }, CHANNELS),
      from,
      () => {},
    );
    return moves.map(({ from: place, moved, unneeded, damaged }) => ({ place, moved, unneeded, damaged }));
  };
  const result = { moved: 1, unneeded: 0, damaged: [] };
  assert.deepEqual(await moved('s3://images/bongsu'), [
    { ...result, place: 'the database', moved: 0 },
    { ...result, place: 'the directory' },
  ]);
  for (const key of fileKeys)
    assert.equal((await get(elsewhere, key)).statusCode, 200, 'now all in the bucket');
  const bucket = parseFilePlace('s3://images/bongsu');
  assert.deepEqual(await moved('database', bucket), [{ ...result, place: 's3://images/bongsu/', moved: 2 }]);
  assert.deepEqual(await moved('database', bucket), [{ ...result, place: 's3://images/bongsu/', moved: 0 }]);
  await assert.rejects(moved('database', { kind: 'database' }), /are both places the same/);
  for (const node of [inBucket, elsewhere]) {
    for (const key of fileKeys)
      assert.equal((await get(node, key)).statusCode, 200, 'now all in the database');
  }

  const url = await inBucket.gateway.listen({ host: '127.0.0.1', port: 0 });
  const there = await bongsu(['files', 'move', '--json', '--url', url], { BONGSU_ADMIN_TOKEN: ADMIN_TOKEN });
  assert.equal(there.code, 0, there.stderr);
  const to = 's3://images/bongsu/';
  assert.deepEqual(
    JSON.parse(there.stdout).map(({ bytes: _, ...move }: { bytes: number }) => move),
    [
      { ...result, from: 'the database', to, moved: 2 },
      { ...result, from: 'the directory', to, moved: 0 },
    ],
    'a command on a gateway moves to where that gateway keeps files',
  );
  for (const key of fileKeys) assert.equal((await get(elsewhere, key)).statusCode, 200);
});
