/** Long work on the whole store, beside everything else that the gateway does: one piece of it at a time. */
import type { Readable } from 'node:stream';
import type { Problem } from '../domain/request/problem.ts';
import type { Author } from './audit.ts';
import type { DataKeyStatus, ResealResult } from './data-keys.ts';
import type { MovedFiles } from './move-files.ts';

/** Who ordered it, and who hears of it. */
export interface Work {
  readonly author: Author;
  /** Ends it early: everything can be begun again. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: object) => void;
}

/** Files that were moved from one place; places are as people say them. */
export interface FileMove extends MovedFiles {
  readonly from: string;
  readonly to: string;
}

export interface FilesMoved {
  /** Where files are kept now. */
  readonly to: string;
  readonly moves: readonly FileMove[];
}

export interface Maintenance {
  /** Reads every sealed value. */
  dataKeys(work: Work): Promise<DataKeyStatus | Problem>;
  reseal(work: Work): Promise<ResealResult | Problem>;
  /** From a place as BONGSU_FILES names it, or from all that are known without one. */
  moveFiles(from: string | undefined, work: Work): Promise<FilesMoved | Problem>;
  /** Resolves to a tar of the backup once it is made. */
  backup(work: Work): Promise<Readable | Problem>;
}
