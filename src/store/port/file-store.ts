/** The part of the store port for the rows of uploaded files; their bytes are in blobs.ts. */
import type { AccountId, FileKey } from '../../domain/ids.ts';
import type { ImageFormat } from '../../domain/images/image-header.ts';
import type { ImageService } from '../../domain/images/image-rules.ts';

/** An uploaded image; its bytes are a blob (blobs.ts), which several rows may share. */
export interface FileRow {
  readonly fileKey: FileKey;
  readonly account: AccountId;
  readonly service: ImageService;
  readonly kind: string;
  readonly name: string;
  readonly contentHash: string;
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
  readonly format: ImageFormat;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** What a sweep of files has found. */
export interface SweptFiles {
  /** Contents that expired rows name and no others; `release` deletes those rows. */
  readonly unneeded: readonly string[];
  readonly isMore: boolean;
}

/** How many files an account may have, and how large they may be together. */
export interface FileQuota {
  readonly files: number;
  readonly bytes: number;
}

export interface FileStore {
  /**
   * Adds a file, unless its account would have more than its quota; resolves to what is used up then. Also where several
   * come at once, on several nodes. Expired files count until they are swept.
   */
  add(file: FileRow, quota?: FileQuota): Promise<keyof FileQuota | undefined>;
  /** Those of the files that are the account's, expired or not, in no order. */
  find(account: AccountId, keys: readonly FileKey[]): Promise<FileRow[]>;
  /** For serving: the key itself is the permission. */
  findByKey(fileKey: FileKey): Promise<FileRow | undefined>;
  /** Newest first, those below `before`; of one account only where it is named. */
  list(limit: number, account?: AccountId, before?: FileKey): Promise<FileRow[]>;
  /** Makes a valid file expire at a moment; false if there is none. */
  expire(fileKey: FileKey, at: number): Promise<boolean>;
  /** Deletes expired rows whose content a valid row names too, and lists the contents that nothing needs any more. */
  sweep(now: number, limit: number): Promise<SweptFiles>;
  /** Whether a row names this content, valid or expired. */
  isNamed(contentHash: string): Promise<boolean>;
  /** Deletes the expired rows of a content; true if a row is left that names it. */
  release(contentHash: string, now: number): Promise<boolean>;
}
