/** Where uploaded files are kept, as BONGSU_FILES says it. */
export type FilePlace =
  | { readonly kind: 'directory' | 'database' }
  /** `prefix` is empty, or ends with a slash. */
  | { readonly kind: 's3'; readonly bucket: string; readonly prefix: string };

/** How people name a place. */
export const EXPECTED_PLACE = 'directory, database or s3://BUCKET/PREFIX';

/** Bucket, and folders whose names begin with no dot. */
const S3 = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[\w-][\w.-]{0,99}){0,9})\/?$/;

export function parseFilePlace(text: string): FilePlace | undefined {
  if (text === 'directory' || text === 'database') return { kind: text };
  const [, bucket, folders = ''] = S3.exec(text) ?? [];
  if (bucket === undefined) return undefined;
  return { kind: 's3', bucket, prefix: folders === '' ? '' : `${folders.slice(1)}/` };
}

/** As sentences say it. */
export function placeName(place: FilePlace): string {
  return place.kind === 's3' ? `s3://${place.bucket}/${place.prefix}` : `the ${place.kind}`;
}
