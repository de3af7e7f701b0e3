/**
 * Moving the bytes of files from one place to another, while gateways run that know both.
 *
 * What must never happen: bytes that a row names are in neither place. They are in the new place, with the right hash, before they
 * leave the old one. It may be interrupted, and begun again.
 */
import type { Clock } from '../platform/clock.ts';
import type { Blobs } from '../store/blobs.ts';
import type { Store } from '../store/store.ts';

export interface MovedFiles {
  readonly moved: number;
  readonly bytes: number;
  /** Deleted, because no file has these bytes any more. */
  readonly unneeded: number;
  /** Hashes of bytes that are not what they were: they stay where they are. */
  readonly damaged: readonly string[];
}

export async function moveFiles(deps: {
  readonly store: Pick<Store, 'files'>;
  readonly from: Blobs;
  readonly to: Blobs;
  readonly clock: Clock;
  /** Called after each. */
  readonly onProgress: (done: number) => void;
}): Promise<MovedFiles> {
  const { store, from, to, clock, onProgress } = deps;
  let [moved, bytes, unneeded] = [0, 0, 0];
  const damaged: string[] = [];
  for await (const contentHash of from.list()) {
    const copied = await copy(contentHash);
    if (copied === 'damaged') damaged.push(contentHash);
    if (typeof copied !== 'number') continue;
    const isNeeded = await isKept(contentHash);
    if (isNeeded) {
      moved++;
      bytes += copied;
    } else unneeded++;
    await leave(contentHash, isNeeded);
    onProgress(moved + unneeded);
  }
  return { moved, bytes, unneeded, damaged };

  async function copy(contentHash: string): Promise<number | 'damaged' | 'gone'> {
    const content = await from.open(contentHash);
    if (!content) return 'gone';
    const draft = await to.begin();
    try {
      let size = 0;
      for await (const chunk of content) {
        size += chunk.length;
        await draft.write(chunk);
      }
      if ((await draft.seal()) !== contentHash) return 'damaged';
      await draft.place();
      return size;
    } finally {
      await draft.discard();
    }
  }

  /** Looks first: two names may mean the same place. */
  async function leave(contentHash: string, isNeeded: boolean): Promise<void> {
    const aside = await from.setAside(contentHash);
    const arrived = isNeeded ? await to.open(contentHash) : undefined;
    arrived?.destroy();
    if (!isNeeded || arrived || !(await store.files.isNamed(contentHash))) return aside.destroy();
    await aside.putBack();
    throw new Error(`the bytes of ${contentHash} did not arrive: are both places the same?`);
  }

  /** A gateway may have deleted the file, and its bytes from both places, just before they came here. */
  async function isKept(contentHash: string): Promise<boolean> {
    if (await store.files.isNamed(contentHash)) return true;
    const aside = await to.setAside(contentHash);
    const isNeeded = await store.files.release(contentHash, clock.now());
    await (isNeeded ? aside.putBack() : aside.destroy());
    return isNeeded;
  }
}
