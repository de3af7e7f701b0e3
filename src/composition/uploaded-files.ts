/** Uploaded files, with their bytes where BONGSU_FILES says. */
import { buffer } from 'node:stream/consumers';
import type { Files } from '../accept/files.ts';
import type { ReadFile } from '../carriers/http/media-uploads.ts';
import type { Config } from '../config/config.ts';
import type { FilePlace } from '../config/file-place.ts';
import { systemClock } from '../platform/clock.ts';
import type { Blobs } from '../store/blobs.ts';
import { fileSystemBlobs } from '../store/file-system/blobs.ts';
import { layeredBlobs } from '../store/layered-blobs.ts';
import type { Store } from '../store/store.ts';

/** The places for the bytes of files. */
export interface OpenBlobs {
  readonly blobs: Blobs;
  /** Rejects if the place cannot be used. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export type BlobsConfig = Pick<Config, 'dataDir' | 'files' | 's3Endpoint' | 's3Region' | 'storeTimeoutMs'> & {
  readonly secrets: Pick<Config['secrets'], 's3AccessKeyId' | 's3SecretAccessKey'>;
};

/** A place for files cannot be used with this configuration. */
export class PlaceProblem extends Error {
  override name = 'PlaceProblem';
  /** Expected: shown without a stack. */
  readonly code = 'FILES';
}

/** Files of before the setting was changed are found where they are, as long as that is here. */
export async function openBlobs(config: BlobsConfig, store: Pick<Store, 'blobs'>): Promise<OpenBlobs> {
  const place = placeOf(config, store);
  const chosen = await openPlace(config, place, store);
  const others = placesHere(store).filter(other => other.kind !== place.kind);
  const older = await Promise.all(others.map(other => openPlace(config, other, store)));
  if (older.length === 0) return chosen;
  return {
    ...chosen,
    blobs: layeredBlobs(
      chosen.blobs,
      older.map(({ blobs }) => blobs),
    ),
  };
}

export function placeOf({ files }: Pick<Config, 'files'>, store: Pick<Store, 'blobs'>): FilePlace {
  return files ?? { kind: store.blobs ? 'database' : 'directory' };
}

/** Where files may be without anything being configured. */
export function placesHere(store: Pick<Store, 'blobs'>): readonly FilePlace[] {
  return store.blobs ? [{ kind: 'database' }, { kind: 'directory' }] : [{ kind: 'directory' }];
}

/** One place by itself. */
export async function openPlace(
  config: BlobsConfig,
  place: FilePlace,
  store: Pick<Store, 'blobs'>,
): Promise<OpenBlobs> {
  if (place.kind === 's3') return openS3(config, place);
  const blobs = place.kind === 'database' ? store.blobs : fileSystemBlobs(config.dataDir);
  if (!blobs) throw new PlaceProblem('only PostgreSQL keeps files in the database');
  return { blobs, async check() {}, async close() {} };
}

async function openS3(
  { s3Endpoint, s3Region, storeTimeoutMs, secrets }: BlobsConfig,
  { bucket: name, prefix }: FilePlace & { readonly kind: 's3' },
): Promise<OpenBlobs> {
  const [accessKeyId, secretAccessKey] = [
    secrets.s3AccessKeyId?.reveal(),
    secrets.s3SecretAccessKey?.reveal(),
  ];
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new PlaceProblem(`s3://${name} needs BONGSU_S3_ACCESS_KEY_ID and BONGSU_S3_SECRET_ACCESS_KEY`);
  }
  // Loaded when they are used.
  const [{ openBucket }, { s3Blobs }] = await Promise.all([
    import('../store/s3/bucket.ts'),
    import('../store/s3/blobs.ts'),
  ]);
  const bucket = openBucket({
    endpoint: s3Endpoint ?? `https://s3.${s3Region}.amazonaws.com`,
    region: s3Region,
    bucket: name,
    accessKeyId,
    secretAccessKey,
    timeoutMs: storeTimeoutMs,
    clock: systemClock,
  });
  return {
    blobs: s3Blobs(bucket, prefix),
    async check() {
      await bucket.list(prefix);
    },
    close: () => bucket.close(),
  };
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
