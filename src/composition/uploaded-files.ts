/** Uploaded files, with their bytes where BONGSU_FILES says. */
import { buffer } from 'node:stream/consumers';
import { createFiles, type Files } from '../accept/files.ts';
import type { ReadFile } from '../carriers/http/media-uploads.ts';
import type { Config } from '../config/config.ts';
import type { Events } from '../observe/events.ts';
import type { Clock } from '../platform/clock.ts';
import type { Randomness } from '../platform/randomness.ts';
import type { Blobs } from '../store/blobs.ts';
import { fileSystemBlobs } from '../store/file-system/blobs.ts';
import { layeredBlobs } from '../store/layered-blobs.ts';
import type { Store } from '../store/store.ts';

type FilesConfig = Pick<Config, 'dataDir' | 'files'>;

export function openFiles(
  config: FilesConfig & Pick<Config, 'fileLifetimeMs'>,
  deps: {
    readonly store: Store;
    readonly clock: Clock;
    readonly random: Randomness;
    readonly events: Events;
  },
): Files {
  const { fileLifetimeMs } = config;
  return createFiles({ ...deps, blobs: openBlobs(config, deps.store), fileLifetimeMs });
}

/** Files of before the setting was changed are found where they are. */
function openBlobs({ dataDir, files }: FilesConfig, store: Pick<Store, 'blobs'>): Blobs {
  const directory = fileSystemBlobs(dataDir);
  if (!store.blobs) return directory;
  return files === 'directory'
    ? layeredBlobs(directory, [store.blobs])
    : layeredBlobs(store.blobs, [directory]);
}

/** Uploaded files for carriers that bring them to a provider: those of the account that sends, and no others. */
export function fileReader(files: Files): ReadFile {
  return async (account, key) => {
    const found = await files.open(key, account);
    if (!found) return undefined;
    const { name, format, contentHash } = found.file;
    const contentType = `image/${format === 'jpg' ? 'jpeg' : format}`;
    return { bytes: await buffer(found.content), name, contentType, contentHash };
  };
}
