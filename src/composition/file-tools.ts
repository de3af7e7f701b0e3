/** What the commands about files need of the gateway. */
import type { Config } from '../config/config.ts';
import { type FilePlace, placeName } from '../config/file-place.ts';
import { createAudit } from '../operate/audit.ts';
import type { FileMove, FilesMoved } from '../operate/maintenance.ts';
import { moveFiles } from '../operate/move-files.ts';
import { systemClock } from '../platform/clock.ts';
import { zonedTimeFormatter } from '../platform/zoned-time.ts';
import { openStore } from './open-store.ts';
import { commandAuthor } from './system-user.ts';
import { openPlace, placeOf, placesHere } from './uploaded-files.ts';

export { PlaceProblem } from './uploaded-files.ts';
export type { FilesMoved };

/** Moves files to where the configuration wants them, from another place, or from all that are here. */
export async function moveFilesOf(
  config: Config,
  given: FilePlace | undefined,
  onProgress: (from: string, done: number) => void,
  author = commandAuthor(),
): Promise<FilesMoved> {
  const clock = systemClock;
  const store = await openStore(config, { clock, exclusive: false, mustExist: true });
  try {
    const formatTime = zonedTimeFormatter(config.timeZone);
    const record = createAudit({ store, clock, formatTime }).recordBy(author);
    const to = placeOf(config, store);
    const sources = given ? [given] : placesHere(store).filter(({ kind }) => kind !== to.kind);
    const target = await openPlace(config, to, store);
    try {
      const moves: FileMove[] = [];
      const names = { to: placeName(to) };
      for (const from of sources) {
        const source = await openPlace(config, from, store);
        try {
          const onMoved = (done: number) => onProgress(placeName(from), done);
          const deps = { store, clock, from: source.blobs, to: target.blobs, onProgress: onMoved };
          const result = await moveFiles(deps);
          moves.push({ from: placeName(from), ...names, ...result });
          if (result.moved > 0) await record('file.move', from.kind, to.kind, result.moved);
        } finally {
          await source.close();
        }
      }
      return { ...names, moves };
    } finally {
      await target.close();
    }
  } finally {
    await store.close();
  }
}
