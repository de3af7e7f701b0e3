/**
 * Which batches of sums were added; see port/sum-batch.ts.
 *
 * The note is made in the transaction that adds the sums, and first. A lost session that still adds them has locked the row of its
 * writer, so that the next attempt waits for it and then finds the number.
 */

/** Changes a row if the batch is new. */
export const NOTE_BATCH = `
  INSERT INTO sum_written (writer, number, written_at) VALUES (:writer, :number, :writtenAt)
  ON CONFLICT (writer) DO UPDATE SET number = excluded.number, written_at = excluded.written_at
    WHERE sum_written.number < excluded.number`;

/** Forgets some writers that wrote nothing since. */
export const SWEEP_SUM_WRITERS = `
  DELETE FROM sum_written WHERE writer = ANY (ARRAY(
    SELECT writer FROM sum_written WHERE written_at < :before LIMIT 1000))`;
