-- The last batch of sums that each process added, so that one whose answer was lost is not added twice; see port/sum-batch.ts.
CREATE TABLE sum_written (
  writer     text COLLATE "C" PRIMARY KEY,
  number     bigint NOT NULL,
  written_at bigint NOT NULL
) WITH (fillfactor = 70);
