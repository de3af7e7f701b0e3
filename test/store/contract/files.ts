import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FileKey } from '../../../src/domain/ids.ts';
import type { FileRow } from '../../../src/store/store.ts';
import { ACME, GLOBEX, type OpenStore } from './store-under-test.ts';

const NOW = 1_767_582_000_000;

function file(key: string, changes: Partial<FileRow> = {}): FileRow {
  return {
    fileKey: key as FileKey,
    account: ACME,
    service: 'FRIENDTALK',
    kind: 'FW',
    name: '사진.jpg',
    contentHash: 'hash',
    bytes: 1234,
    width: 800,
    height: 600,
    format: 'jpg',
    createdAt: NOW,
    expiresAt: NOW + 1000,
    ...changes,
  };
}

export function filesContract(open: OpenStore): void {
  test('finds a file as it was added, by its account or by its key alone', async t => {
    const bench = await open(t);
    await bench.store.files.add(file('k1'));
    await bench.reopen();
    const { files } = bench.store;
    assert.deepEqual(await files.find(ACME, ['k1' as FileKey]), [file('k1')]);
    assert.deepEqual(await files.findByKey('k1' as FileKey), file('k1'));
    assert.equal(await files.findByKey('k2' as FileKey), undefined);
  });

  test('shows an account its own files only, each once', async t => {
    const { files } = (await open(t)).store;
    await files.add(file('k1'));
    await files.add(file('k2', { account: GLOBEX }));
    await files.add(file('k3'));
    const keys = ['k1', 'k2', 'k3', 'k4', 'k1'] as FileKey[];
    const keysOf = (rows: FileRow[]) => rows.map(({ fileKey }) => fileKey).sort();
    assert.deepEqual(keysOf(await files.find(ACME, keys)), ['k1', 'k3']);
    assert.deepEqual(keysOf(await files.find(GLOBEX, keys)), ['k2']);
    assert.deepEqual(await files.find(ACME, []), []);
  });

  test('refuses to add a key twice', async t => {
    const { files } = (await open(t)).store;
    await files.add(file('k1'));
    await assert.rejects(files.add(file('k1', { account: GLOBEX })));
    assert.equal((await files.findByKey('k1' as FileKey))?.account, ACME);
  });

  test('sweeps nothing before its expiry, and names a content whose last row has expired', async t => {
    const { files } = (await open(t)).store;
    await files.add(file('k1'));
    assert.deepEqual(await files.sweep(NOW + 999, 10), { unneeded: [], isMore: false });
    assert.deepEqual(await files.sweep(NOW + 1000, 10), { unneeded: ['hash'], isMore: false });
    assert.equal(await files.isNamed('hash'), true, 'also by an expired row');
    assert.equal(await files.release('hash', NOW + 1000), false);
    assert.equal(await files.isNamed('hash'), false);
    assert.equal(await files.findByKey('k1' as FileKey), undefined);
    assert.deepEqual(await files.sweep(NOW + 1000, 10), { unneeded: [], isMore: false });
  });

  test('deletes an expired row but keeps its content while another row names it', async t => {
    const { files } = (await open(t)).store;
    await files.add(file('k1'));
    await files.add(file('k2', { account: GLOBEX, expiresAt: NOW + 5000 }));
    assert.deepEqual(await files.sweep(NOW + 1000, 10), { unneeded: [], isMore: false });
    assert.equal(await files.findByKey('k1' as FileKey), undefined);
    assert.ok(await files.findByKey('k2' as FileKey));
  });

  test('does not release a content that was uploaded again after the sweep', async t => {
    const { files } = (await open(t)).store;
    await files.add(file('k1'));
    assert.deepEqual((await files.sweep(NOW + 1000, 10)).unneeded, ['hash']);
    await files.add(file('k2', { expiresAt: NOW + 5000 }));
    assert.equal(await files.release('hash', NOW + 1000), true);
    assert.equal(await files.findByKey('k1' as FileKey), undefined);
    assert.ok(await files.findByKey('k2' as FileKey));
  });

  test('sweeps files in bounded chunks, and says when there are more', async t => {
    const { files } = (await open(t)).store;
    const hashes = Array.from({ length: 5 }, (_, index) => `h${index}`);
    for (const contentHash of hashes) await files.add(file(`k${contentHash}`, { contentHash }));
    const seen: string[] = [];
    for (;;) {
      const { unneeded, isMore } = await files.sweep(NOW + 1000, 2);
      for (const contentHash of unneeded) assert.equal(await files.release(contentHash, NOW + 1000), false);
      seen.push(...unneeded);
      if (!isMore) break;
    }
    assert.deepEqual(seen.sort(), hashes);
  });

  test('makes a file expire before its time, once', async t => {
    const { files } = (await open(t)).store;
    await files.add(file('k1'));
    assert.equal(await files.expire('k1' as FileKey, NOW + 10), true);
    assert.equal((await files.findByKey('k1' as FileKey))?.expiresAt, NOW + 10);
    assert.equal(await files.expire('k1' as FileKey, NOW + 20), false, 'it has expired');
    assert.equal(await files.expire('k2' as FileKey, NOW), false);
    assert.deepEqual(await files.sweep(NOW + 10, 10), { unneeded: ['hash'], isMore: false });
  });
}
