import { statfs } from 'node:fs/promises';

export interface DiskSpace {
  /** For users other than root. */
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** Free and total bytes of the disk that holds a path. */
export type ReadDisk = (path: string) => Promise<DiskSpace>;

export const readDisk: ReadDisk = async path => {
  const { bavail, blocks, bsize } = await statfs(path);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
};
