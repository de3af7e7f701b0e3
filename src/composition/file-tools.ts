/** What the commands about files need of the gateway. */
import type { Config } from '../config/config.ts';
import type { FilePlace } from '../config/file-place.ts';
import { createAudit } from '../operate/audit.ts';
import { type MovedFiles, moveFiles } from '../operate/move-files.ts';
import { systemClock } from '../platform/clock.ts';
import { zonedTimeFormatter } from '../platform/zoned-time.ts';
import { openStore } from './open-store.ts';
import { systemUser } from './system-user.ts';
import { openPlace, placeOf, placesHere } from './uploaded-files.ts';

export type { MovedFiles };

/** Moves files to where the configuration wants them, from another place, or from all that are here. */
export async function moveFilesOf(
  config: Config,
  given: FilePlace | undefined,
  onProgress: (from: FilePlace, done: number) => void,
): Promise<{
  readonly to: FilePlace;
  readonly moves: readonly (MovedFiles & { readonly from: FilePlace })[];
}> {
  const clock = systemClock;
  const store = await openStore(config, { clock, exclusive: false, mustExist: true });
  try {
    const author = { who: 'cli' as const, name: systemUser(), operatorId: undefined };
    const formatTime = zonedTimeFormatter(config.timeZone);
    const record = createAudit({ store, clock, formatTime }).recordBy(author);
    const to = placeOf(config, store);
    const sources = given ? [given] : placesHere(store).filter(({ kind }) => kind !== to.kind);
    const target = await openPlace(config, to, store);
    try {
      const moves: (MovedFiles & { from: FilePlace })[] = [];
      for (const from of sources) {
        const source = await openPlace(config, from, store);
        try {
          const onMoved = (done: number) => onProgress(from, done);
          const deps = { store, clock, from: source.blobs, to: target.blobs, onProgress: onMoved };
          const result = await moveFiles(deps);
          moves.push({ from, ...result });
          if (result.moved > 0) await record('file.move', from.kind, to.kind, result.moved);
        } finally {
          await source.close();
        }
      }
      return { to, moves };
    } finally {
      await target.close();
    }
  } finally {
    await store.close();
  }
}
