/**
 * Which batches of sums were added; see port/sum-batch.ts.
 *
 * The note is made by the statement that adds the sums, and first. A lost session that still adds them has locked the row of its
 * writer, so that the next attempt waits for it and then finds the number.
 */
import type { SumBatch } from '../port/sum-batch.ts';
import type { Parameter } from '../tables/tables.ts';

/** Begins a statement, whose `SELECT` of what is added goes on with `WHERE IS_NEW_BATCH`. */
export const NOTE_BATCH = `
  WITH noted AS (
    INSERT INTO sum_written (writer, number, written_at) VALUES (:writer, :number, :writtenAt)
    ON CONFLICT (writer) DO UPDATE SET number = excluded.number, written_at = excluded.written_at
      WHERE sum_written.number < excluded.number
    RETURNING writer
  )`;
export const IS_NEW_BATCH = 'EXISTS (SELECT FROM noted)';

export function batchParameters({ writer, number, writtenAt }: SumBatch<unknown>): Record<string, Parameter> {
  return { writer, number, writtenAt };
}

/** Forgets some writers that wrote nothing since. */
export const SWEEP_SUM_WRITERS = `
  DELETE FROM sum_written WHERE writer = ANY (ARRAY(
    SELECT writer FROM sum_written WHERE written_at < :before LIMIT 1000))`;
