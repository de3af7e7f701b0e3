/**
 * Sums that a writer adds in one call. Whether they were added is unknown to it when the answer was lost; it then gives the same
 * batch again, and a batch whose number was reached before adds nothing.
 */
export interface SumBatch<Sum> {
  /** Has one batch at a time, and a name that nobody had before. */
  readonly writer: string;
  /** Higher than those of all its batches before. */
  readonly number: number;
  readonly writtenAt: number;
  readonly sums: readonly Sum[];
}
