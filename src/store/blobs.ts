/**
 * The port for the bytes of files, kept by the hash of their content: the same content is there once.
 *
 * The file system serves one node, or several that share the directory; PostgreSQL and an S3-compatible store serve every
 * node. One contract suite holds all three to this (test/store/contract/blobs.ts).
 *
 * What must never happen: bytes that a row names are deleted. An upload writes its row first and places its bytes
 * after. A deletion sets the bytes aside first, reads the rows after, and puts the bytes back if a row names them. So either
 * the row was there when the rows were read, or the bytes are placed after the old ones are gone.
 */
import type { Readable } from 'node:stream';

/** Bytes that are being written. They cannot be read before `place`. */
export interface BlobDraft {
  write(chunk: Uint8Array): Promise<void>;
  /** All bytes are written; resolves to their hash when they are on disk. */
  seal(): Promise<string>;
  /** Puts them where their hash says, also where they are already; on disk when it resolves. */
  place(): Promise<void>;
  /** Leaves nothing behind; harmless after `place`. */
  discard(): Promise<void>;
}

/** Bytes taken out of their place until it is known whether anybody needs them. */
export interface AsideBlob {
  readonly contentHash: string;
  putBack(): Promise<void>;
  destroy(): Promise<void>;
}

export interface Blobs {
  begin(): Promise<BlobDraft>;
  /** undefined when there are no bytes of this hash. */
  open(contentHash: string): Promise<Readable | undefined>;
  /** The hashes of all that is in place. */
  list(): AsyncIterable<string>;
  /** Does nothing to bytes that are not there. */
  setAside(contentHash: string): Promise<AsideBlob>;
  /** What a process that ended in the middle had set aside. */
  leftAside(): Promise<AsideBlob[]>;
  /** Deletes drafts so old that no upload can still be writing them. */
  clearDrafts(): Promise<void>;
}
