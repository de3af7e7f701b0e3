-- The bytes of uploaded files, where BONGSU_FILES keeps them in the database.
-- state: draft (being written), placed (found by its hash), aside (about to go; store/blobs.ts).
CREATE TABLE blob (
  blob_id      text COLLATE "C" PRIMARY KEY,
  content_hash text COLLATE "C",
  state        text NOT NULL,
  -- How many there are, once all of them are written.
  chunks       integer,
  -- By the clock of the server, which all nodes share.
  began_at     timestamptz NOT NULL DEFAULT now()
);
-- The same content is there once.
CREATE UNIQUE INDEX blob_placed ON blob (content_hash) WHERE state = 'placed';
CREATE INDEX blob_unplaced ON blob (state, began_at) WHERE state <> 'placed';

CREATE TABLE blob_chunk (
  blob_id text COLLATE "C" NOT NULL REFERENCES blob ON DELETE CASCADE,
  seq     integer NOT NULL,
  bytes   bytea NOT NULL,
  PRIMARY KEY (blob_id, seq)
);
-- Images are compressed already.
ALTER TABLE blob_chunk ALTER COLUMN bytes SET STORAGE EXTERNAL;
