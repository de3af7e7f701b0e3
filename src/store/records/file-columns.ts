import type { FileRow } from '../port/file-store.ts';
import { bigint, type ColumnsOf, integer, readerOf, text } from './columns.ts';

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
