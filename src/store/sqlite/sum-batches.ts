/** Which batches of sums were added; see port/sum-batch.ts. */
import type { SumBatch } from '../port/sum-batch.ts';
import type { Database } from './database.ts';

/** In the transaction that adds the sums: true unless the batch was added before. */
export function newSumBatches(db: Database): (batch: SumBatch<unknown>) => boolean {
  const note = db.prepare(
    `INSERT INTO sum_written (writer, number, written_at) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET number = excluded.number, written_at = excluded.written_at
       WHERE number < excluded.number`,
  );
  return ({ writer, number, writtenAt }) => Number(note.run(writer, number, writtenAt).changes) > 0;
}

/** Forgets some writers that wrote nothing since. */
export function sumWriterSweep(db: Database): (before: number) => void {
  const sweep = db.prepare(
    'DELETE FROM sum_written WHERE writer IN (SELECT writer FROM sum_written WHERE written_at < ? LIMIT 1000)',
  );
  return before => {
    sweep.run(before);
  };
}
