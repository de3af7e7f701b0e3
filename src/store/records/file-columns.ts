import type { FileQuota, FileRow } from '../port/file-store.ts';
import { type AnyRow, bigint, type ColumnsOf, integer, readerOf, text } from './columns.ts';

/** Of the table `file`. */
export const FILE_COLUMNS: ColumnsOf<FileRow> = {
  fileKey: text('file_key'),
  account: text('account'),
  service: text('service'),
  kind: text('kind'),
  name: text('name'),
  contentHash: text('content_hash'),
  bytes: bigint('bytes'),
  width: integer('width'),
  height: integer('height'),
  format: text('format'),
  createdAt: bigint('created_at'),
  expiresAt: bigint('expires_at'),
};

export const fileOf = readerOf(FILE_COLUMNS);

/** What of its quota the account of a new file has used up; `used` is its row in account_usage, if there is one. */
export function usedUpBy(
  { bytes }: FileRow,
  quota: FileQuota,
  used: AnyRow | undefined,
): keyof FileQuota | undefined {
  if (Number(used?.files ?? 0) + 1 > quota.files) return 'files';
  return Number(used?.file_bytes ?? 0) + bytes > quota.bytes ? 'bytes' : undefined;
}
