-- The last batch of sums that each process added, so that one whose answer was lost is not added twice; see port/sum-batch.ts.
CREATE TABLE sum_written (
  writer     TEXT PRIMARY KEY,
  number     INTEGER NOT NULL,
  written_at INTEGER NOT NULL
) WITHOUT ROWID;
