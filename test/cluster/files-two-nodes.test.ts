import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { FileKey } from '../../src/domain/ids.ts';
import { freshStore } from '../harness/engines.ts';
import { ADMIN_TOKEN, type Client, type TestGateway, testGateway } from '../harness/gateway.ts';
import { filePart, image, MULTIPART_TYPE, multipart } from '../harness/images.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

const PHOTO = image('jpg', 600, 600, 280 * 1024);

/** A node of the cluster, with a directory of its own that does not exist yet. */
async function startNode(t: TestContext, store: Readonly<Record<string, string>>): Promise<TestGateway> {
  return testGateway(t, { ...store, BONGSU_DATA_DIR: join(scratchDirectory(t), 'data') });
}

async function upload(client: Client, content = PHOTO): Promise<FileKey> {
  const headers = { 'content-type': MULTIPART_TYPE };
  const { body } = await client.call('POST', '/v1/file/MMS', multipart(filePart(content)), headers);
  assert.equal(body.code, 'A000', body.result);
  return body.data.fileKey;
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
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const answer = await two.request('DELETE', `/admin/v1/files/${deleted}`, { headers });
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
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  await node.request('DELETE', `/admin/v1/files/${fileKey}`, { headers });
  assert.equal((await get(before, fileKey)).statusCode, 404);
});
