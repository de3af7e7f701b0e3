/**
 * Blobs in a bucket: `PREFIXfiles/HASH`, and `PREFIXaside/HASH.NAME` for what is about to go.
 *
 * A store of objects wants to know length and hash before the first byte, so a draft is a file of this machine until it is
 * placed: in the directory for temporary files, and without a name, so that nothing of it is left whatever happens. An
 * object is there whole or not at all.
 */
import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { AsideBlob, BlobDraft, Blobs } from '../blobs.ts';
import type { Bucket } from './bucket.ts';

const READ_BYTES = 64 * 1024;

export function s3Blobs(bucket: Bucket, prefix: string): Blobs {
  const places = `${prefix}files/`;
  const asides = `${prefix}aside/`;
  const placeOf = (contentHash: string) => places + contentHash;

  function asideBlob(key: string): AsideBlob {
    const contentHash = key.slice(asides.length).split('.', 1)[0] ?? '';
    return {
      contentHash,
      async putBack() {
        if (await bucket.copy(key, placeOf(contentHash))) await bucket.delete(key);
      },
      destroy: () => bucket.delete(key),
    };
  }

  return {
    async begin() {
      const path = join(tmpdir(), `bongsu-${randomBytes(16).toString('hex')}`);
      const handle = await open(path, 'wx+', 0o600);
      await rm(path);
      return draftIn(handle, (hash, bytes) =>
        bucket.put(placeOf(hash), {
          hash,
          bytes,
          open: () => Readable.from(contentOf(handle), { objectMode: false }),
        }),
      );
    },
    open: contentHash => bucket.get(placeOf(contentHash)),
    async *list() {
      let after: string | undefined;
      do {
        const page = await bucket.list(places, after);
        for (const key of page.keys) yield key.slice(places.length);
        after = page.next;
      } while (after !== undefined);
    },
    async setAside(contentHash) {
      const key = `${asides}${contentHash}.${randomBytes(16).toString('hex')}`;
      // An upload that places the same bytes between these two loses them. Its row is there, and they are put back.
      if (await bucket.copy(placeOf(contentHash), key)) await bucket.delete(placeOf(contentHash));
      return asideBlob(key);
    },
    async leftAside() {
      return (await bucket.list(asides)).keys.map(asideBlob);
    },
    async clearDrafts() {},
  };
}

/** From the beginning each time. A stream of the handle itself would close it when a try fails. */
async function* contentOf(handle: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES, position);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}

function draftIn(handle: FileHandle, put: (contentHash: string, bytes: number) => Promise<void>): BlobDraft {
  const hash = createHash('sha256');
  let bytes = 0;
  let sealed: string | undefined;
  let isClosed = false;
  return {
    async write(chunk) {
      hash.update(chunk);
      for (let written = 0; written < chunk.length; ) {
        written += (await handle.write(chunk, written)).bytesWritten;
      }
      bytes += chunk.length;
    },
    async seal() {
      sealed = hash.digest('hex');
      return sealed;
    },
    async place() {
      if (sealed === undefined) throw new Error('a draft is sealed before it is placed');
      await put(sealed, bytes);
    },
    async discard() {
      if (isClosed) return;
      isClosed = true;
      await handle.close();
    },
  };
}
