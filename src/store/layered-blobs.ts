/**
 * Blobs of which older ones may still be in another place: a gateway whose files were in the data directory before they were
 * in the database. New ones go to the first place. All of them are read from, and deleted from.
 */
import type { AsideBlob, Blobs } from './blobs.ts';

export function layeredBlobs(first: Blobs, older: readonly Blobs[]): Blobs {
  const places = [first, ...older];
  return {
    begin: () => first.begin(),
    async open(contentHash) {
      // The first one again at the end: meanwhile the bytes may have been moved there.
      for (const place of [...places, first]) {
        const content = await place.open(contentHash);
        if (content) return content;
      }
      return undefined;
    },
    async *list() {
      const seen = new Set<string>();
      for (const place of places) {
        for await (const contentHash of place.list()) {
          if (!seen.has(contentHash)) yield contentHash;
          seen.add(contentHash);
        }
      }
    },
    async setAside(contentHash) {
      const parts: AsideBlob[] = [];
      for (const place of places) parts.push(await place.setAside(contentHash));
      return {
        contentHash,
        async putBack() {
          for (const part of parts) await part.putBack();
        },
        async destroy() {
          for (const part of parts) await part.destroy();
        },
      };
    },
    async leftAside() {
      const left: AsideBlob[] = [];
      for (const place of places) left.push(...(await place.leftAside()));
      return left;
    },
    async clearDrafts() {
      for (const place of places) await place.clearDrafts();
    },
  };
}
