import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountId, FileKey, FormId } from '../../../src/domain/ids.ts';
import type { FileRow } from '../../../src/store/store.ts';
import { ACME, GLOBEX, type OpenStore } from './store-under-test.ts';

const NOW = 1_767_582_000_000;
const RESERVED = { reservations: 0, reservationRecipients: 0, reservationBytes: 0 };
const NOTHING = { forms: 0, ...RESERVED, files: 0, fileBytes: 0, tokens: 0 };

export function file(key: string, changes: Partial<FileRow> = {}): FileRow {
  return {
    fileKey: key as FileKey,
    account: ACME,
    service: 'MMS',
    kind: 'MMS',
    name: 'a.jpg',
    contentHash: `hash of ${key}`,
    bytes: 100,
    width: 8,
    height: 6,
    format: 'jpg',
    createdAt: NOW,
    expiresAt: NOW + 1000,
    ...changes,
  };
}

export function usageContract(open: OpenStore): void {
  test('adds no more files than an account may have, also when many come at once', async t => {
    const { files } = (await open(t)).store;
    const quota = { files: 3, bytes: 1_000_000 };
    const keys = ['k1', 'k2', 'k3', 'k4', 'k5', 'k6'];
    const results = await Promise.all(keys.map(key => files.add(file(key), quota)));
    assert.deepEqual(results.toSorted(), ['files', 'files', 'files', undefined, undefined, undefined]);
    const added = keys.filter((_, index) => results[index] === undefined).toSorted();
    assert.deepEqual((await files.list(10, ACME)).map(({ fileKey }) => fileKey).toSorted(), added);
    assert.equal(await files.add(file('k7', { account: GLOBEX }), quota), undefined);
  });

  test('adds no more bytes of files than an account may have', async t => {
    const { files } = (await open(t)).store;
    const quota = { files: 100, bytes: 250 };
    const results = await Promise.all(['k1', 'k2', 'k3', 'k4'].map(key => files.add(file(key), quota)));
    assert.deepEqual(results.toSorted(), ['bytes', 'bytes', undefined, undefined]);
    assert.equal(await files.add(file('k5', { bytes: 51 }), quota), 'bytes');
    assert.equal(await files.add(file('k6', { bytes: 50 }), quota), undefined);
    assert.equal(await files.add(file('k7', { bytes: 1 }), quota), 'bytes');
  });

  test('knows what each account has, as it comes and goes', async t => {
    const bench = await open(t);
    const usage = (account: AccountId) => bench.store.accounts.usage(account, NOW, 100);
    assert.deepEqual(await usage(ACME), NOTHING);
    const { files, forms } = bench.store;
    await files.add(file('k1'));
    await files.add(file('k2', { bytes: 20, contentHash: 'shared' }));
    await files.add(file('k3', { account: GLOBEX, bytes: 3, contentHash: 'shared', expiresAt: NOW + 5000 }));
    await assert.rejects(files.add(file('k3')));
    const form = { account: ACME, formId: 'FORM1' as FormId, entries: '[]', savedAt: 1 };
    await forms.put(form);
    await forms.put({ ...form, savedAt: 2 });
    await forms.create({ ...form, formId: 'FORM2' as FormId }, 5);
    assert.deepEqual(await usage(ACME), { ...NOTHING, forms: 2, files: 2, fileBytes: 120 });
    assert.deepEqual(await usage(GLOBEX), { ...NOTHING, files: 1, fileBytes: 3 });

    await forms.remove(ACME, 'FORM1' as FormId);
    assert.deepEqual((await files.sweep(NOW + 1000, 10)).unneeded, ['hash of k1']);
    assert.deepEqual(await usage(ACME), { ...NOTHING, forms: 1, files: 1, fileBytes: 100 });
    await files.release('hash of k1', NOW + 1000);
    await bench.reopen();
    assert.deepEqual(await usage(ACME), { ...NOTHING, forms: 1 });
    assert.deepEqual(await usage(GLOBEX), { ...NOTHING, files: 1, fileBytes: 3 });
  });

  test('counts valid tokens, up to a bound', async t => {
    const { store } = await open(t);
    for (let age = 0; age < 5; age++) {
      const expiresAt = age === 0 ? NOW : NOW + age;
      await store.tokens.add({ hash: `h${age}`, account: ACME, expiresAt, epoch: 0 });
    }
    assert.equal((await store.accounts.usage(ACME, NOW, 100)).tokens, 4);
    assert.equal((await store.accounts.usage(ACME, NOW, 3)).tokens, 3);
    assert.equal((await store.accounts.usage(GLOBEX, NOW, 3)).tokens, 0);
  });
}
