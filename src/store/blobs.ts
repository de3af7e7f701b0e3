/**
 * The port for the bytes of files, kept by the hash of their content: the same content is there once.
 *
 * The file system adapter serves one node, or several that share the directory. An adapter for an S3-compatible
 * store is a later step; nothing here needs more than put, get, list, copy and delete of whole objects.
 *
 * What must never happen: bytes that a row names are deleted. An upload writes its row first and places its bytes
 * after. Whoever wants to delete sets the bytes aside first, asks the rows after, and puts them back if one names
 * them. So either the row was there when the rows were asked, or the bytes were placed after the others had gone.
 */
import type { Readable } from 'node:stream';

/** Bytes that are coming in. Nobody sees them before `place`. */
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
  /** Does nothing to bytes that are not there. */
  setAside(contentHash: string): Promise<AsideBlob>;
  /** What a process that ended in the middle had set aside. */
  leftAside(): Promise<AsideBlob[]>;
  /** Deletes drafts that nobody can be writing any more. */
  clearDrafts(): Promise<void>;
}
