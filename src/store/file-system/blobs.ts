/**
 * Blobs as files: `files/ab/cdef…` by hash, drafts in `files/incoming`, what is about to go in `files/aside`.
 * They are moved by rename only, so that a file in its place is always complete; the directory is synced after it.
 */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AsideBlob, BlobDraft, Blobs } from '../blobs.ts';

/** Far longer than a request may take, by the clock of the files themselves. */
const DRAFT_MAX_AGE_MS = 3_600_000;

export function fileSystemBlobs(dataDir: string): Blobs {
  const root = join(dataDir, 'files');
  const incoming = join(root, 'incoming');
  const aside = join(root, 'aside');
  const placeOf = (contentHash: string) => join(root, contentHash.slice(0, 2), contentHash.slice(2));

  async function moveToPlace(from: string, contentHash: string): Promise<void> {
    const place = placeOf(contentHash);
    if (await makeDirectory(dirname(place))) await syncDirectory(root);
    await rename(from, place);
    await syncDirectory(dirname(place));
  }

  function asideBlob(contentHash: string, path: string): AsideBlob {
    return {
      contentHash,
      putBack: () => ignoringAbsence(moveToPlace(path, contentHash)),
      destroy: () => rm(path, { force: true }),
    };
  }

  return {
    async begin() {
      if (await makeDirectory(incoming)) await Promise.all([syncDirectory(dataDir), syncDirectory(root)]);
      const path = join(incoming, randomName());
      return draftAt(path, await open(path, 'wx', 0o600), moveToPlace);
    },
    async open(contentHash) {
      try {
        return (await open(placeOf(contentHash))).createReadStream();
      } catch (error) {
        if (isAbsence(error)) return undefined;
        throw error;
      }
    },
    async *list() {
      for (const folder of await namesIn(root)) {
        if (!/^[0-9a-f]{2}$/.test(folder)) continue;
        for (const name of await namesIn(join(root, folder))) yield folder + name;
      }
    },
    async setAside(contentHash) {
      // Where files are kept elsewhere, nothing is made here.
      if (!existsSync(root)) return { contentHash, async putBack() {}, async destroy() {} };
      await makeDirectory(aside);
      // A name of its own: two nodes may set the same content aside.
      const path = join(aside, `${contentHash}.${randomName()}`);
      await ignoringAbsence(rename(placeOf(contentHash), path));
      // If a crash lost the move after the rows were deleted, nothing would ever look for these bytes again.
      await syncDirectory(aside);
      return asideBlob(contentHash, path);
    },
    async leftAside() {
      const names = await namesIn(aside);
      return names.map(name => asideBlob(name.split('.', 1)[0] ?? '', join(aside, name)));
    },
    async clearDrafts() {
      for (const name of await namesIn(incoming)) {
        const path = join(incoming, name);
        const modifiedAt = await stat(path).then(
          ({ mtimeMs }) => mtimeMs,
          () => Number.POSITIVE_INFINITY,
        );
        if (Date.now() - modifiedAt > DRAFT_MAX_AGE_MS) await rm(path, { force: true });
      }
    },
  };
}

function draftAt(
  path: string,
  handle: FileHandle,
  moveToPlace: (from: string, contentHash: string) => Promise<void>,
): BlobDraft {
  const hash = createHash('sha256');
  let sealed: string | undefined;
  let isPlaced = false;
  return {
    async write(chunk) {
      hash.update(chunk);
      // A write may take a part only.
      for (let written = 0; written < chunk.length; ) {
        written += (await handle.write(chunk, written)).bytesWritten;
      }
    },
    async seal() {
      await handle.sync();
      await handle.close();
      sealed = hash.digest('hex');
      return sealed;
    },
    async place() {
      if (sealed === undefined) throw new Error('a draft is sealed before it is placed');
      await moveToPlace(path, sealed);
      isPlaced = true;
    },
    async discard() {
      if (isPlaced) return;
      if (sealed === undefined) await handle.close();
      await rm(path, { force: true });
    },
  };
}

function randomName(): string {
  return randomBytes(16).toString('hex');
}

/** True if there was none before. */
async function makeDirectory(path: string): Promise<boolean> {
  return (await mkdir(path, { recursive: true, mode: 0o700 })) !== undefined;
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function ignoringAbsence(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isAbsence(error)) throw error;
  }
}

function isAbsence(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
