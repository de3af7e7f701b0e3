/** What every place for the bytes of files promises; see src/store/blobs.ts. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import type { Blobs } from '../../../src/store/blobs.ts';

export interface BlobsUnderTest {
  readonly blobs: Blobs;
  /** The same place, as another node sees it. */
  readonly elsewhere: Blobs;
  /** How many blobs there are in whatever state, drafts among them. */
  count(): Promise<number>;
  /** Makes every draft old. */
  age(): Promise<void>;
}

const SIZES = [1, 1000, 256 * 1024, 256 * 1024 + 1, 2048 * 1024];

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function written(blobs: Blobs, bytes: Buffer, pieceBytes = 65_536) {
  const draft = await blobs.begin();
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    await draft.write(bytes.subarray(from, from + pieceBytes));
  }
  return draft;
}

export async function keep(blobs: Blobs, bytes: Buffer): Promise<string> {
  const draft = await written(blobs, bytes);
  const hash = await draft.seal();
  await draft.place();
  await draft.discard();
  return hash;
}

export async function read(blobs: Blobs, hash: string): Promise<Buffer | undefined> {
  const content = await blobs.open(hash);
  return content && buffer(content);
}

export async function listed(blobs: Blobs): Promise<string[]> {
  const hashes: string[] = [];
  for await (const hash of blobs.list()) hashes.push(hash);
  return hashes;
}

export function blobsContract(name: string, open: (t: TestContext) => Promise<BlobsUnderTest>): void {
  test(`${name}: gives back what was written, here and elsewhere, whatever its size and pieces`, async t => {
    const { blobs, elsewhere } = await open(t);
    for (const size of SIZES) {
      for (const pieceBytes of size > 1000 ? [16_384, size] : [1000]) {
        const bytes = randomBytes(size);
        const draft = await written(blobs, bytes, pieceBytes);
        assert.equal(await draft.seal(), hashOf(bytes));
        assert.equal(await blobs.open(hashOf(bytes)), undefined, 'not before it is placed');
        await draft.place();
        await draft.discard();
        assert.deepEqual(await read(elsewhere, hashOf(bytes)), bytes);
      }
    }
    assert.equal(await blobs.open(hashOf(Buffer.from('never written'))), undefined);
  });

  test(`${name}: lists what is in place, and nothing else`, async t => {
    const { blobs, elsewhere } = await open(t);
    assert.deepEqual(await listed(blobs), []);
    const hashes = await Promise.all([10, 20, 30].map(size => keep(blobs, randomBytes(size))));
    await blobs.setAside(hashes.pop() ?? '');
    const draft = await written(blobs, randomBytes(300_000));
    assert.deepEqual((await listed(elsewhere)).sort(), hashes.sort());
    await draft.discard();
  });

  test(`${name}: keeps the same content once, also when it comes twice at the same time`, async t => {
    const { blobs, elsewhere, count } = await open(t);
    const bytes = randomBytes(300_000);
    await Promise.all([keep(blobs, bytes), keep(elsewhere, bytes), keep(blobs, bytes)]);
    await keep(elsewhere, bytes);
    assert.equal(await count(), 1);
    assert.deepEqual(await read(blobs, hashOf(bytes)), bytes);
  });

  test(`${name}: leaves nothing of a draft that is discarded, however far it came`, async t => {
    const { blobs, count } = await open(t);
    const bytes = randomBytes(600_000);
    await (await blobs.begin()).discard();
    await (await written(blobs, bytes)).discard();
    const sealed = await written(blobs, bytes);
    const hash = await sealed.seal();
    await sealed.discard();
    assert.equal(await count(), 0);
    assert.equal(await blobs.open(hash), undefined);
  });

  test(`${name}: deletes drafts that nobody can be writing any more, and no others`, async t => {
    const { blobs, elsewhere, count, age } = await open(t);
    const draft = await written(blobs, randomBytes(600_000));
    await elsewhere.clearDrafts();
    await draft.write(Buffer.from('still being written'));
    const hash = await draft.seal();
    await draft.place();
    await draft.discard();
    const abandoned = await written(blobs, randomBytes(600_000));
    await age();
    await elsewhere.clearDrafts();
    assert.equal(await count(), 1);
    assert.ok(await read(blobs, hash));
    await abandoned.discard();
  });

  test(`${name}: sets bytes aside, puts them back, destroys them; a crash in between is found`, async t => {
    const { blobs, elsewhere, count } = await open(t);
    const bytes = randomBytes(300_000);
    const hash = await keep(blobs, bytes);
    await blobs.setAside(hash);
    assert.equal(await blobs.open(hash), undefined);
    const [left, ...others] = await elsewhere.leftAside();
    assert.equal(others.length, 0);
    assert.equal(left?.contentHash, hash);
    await left.putBack();
    assert.deepEqual(await read(blobs, hash), bytes);
    assert.deepEqual(await blobs.leftAside(), []);
    await (await blobs.setAside(hash)).destroy();
    assert.equal(await blobs.open(hash), undefined);
    assert.equal(await count(), 0);
    const nothing = await blobs.setAside(hash);
    await nothing.putBack();
    await nothing.destroy();
    assert.equal(await count(), 0);
  });

  test(`${name}: an upload during a deletion keeps its bytes, whatever is decided about the old ones`, async t => {
    const { blobs, elsewhere, count } = await open(t);
    const bytes = randomBytes(300_000);
    for (const decision of ['destroy', 'putBack'] as const) {
      const hash = await keep(blobs, bytes);
      const aside = await blobs.setAside(hash);
      await keep(elsewhere, bytes);
      await aside[decision]();
      assert.deepEqual(await read(blobs, hash), bytes, decision);
      assert.equal(await count(), 1);
    }
  });

  test(`${name}: what one node puts back another does not destroy`, async t => {
    const { blobs, elsewhere } = await open(t);
    const bytes = randomBytes(1000);
    const hash = await keep(blobs, bytes);
    const aside = await blobs.setAside(hash);
    const [same] = await elsewhere.leftAside();
    await same?.putBack();
    await aside.destroy();
    await aside.putBack();
    assert.deepEqual(await read(blobs, hash), bytes);
  });
}
