-- reach: keys of messages may lie ahead of the clock up to here, because it was set back; '' if it never was.
ALTER TABLE index_position ADD COLUMN reach text COLLATE "C" NOT NULL DEFAULT '';

-- Ids of accounts that were deleted and whose rows are gone. They are never given again: sums, audit entries and messages of
-- reservations outlive an account.
CREATE TABLE former_account (
  id         text COLLATE "C" PRIMARY KEY,
  deleted_at bigint NOT NULL
);
