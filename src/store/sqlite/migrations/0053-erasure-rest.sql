-- What an order to erase has yet to do beside its messages; see port/privacy-store.ts. It is not in erasure_open, because programs
-- from before this table delete there what they do not know.
CREATE TABLE erasure_rest (
  erasure  TEXT NOT NULL,
  kind     TEXT NOT NULL,
  key      TEXT NOT NULL,
  file_key TEXT NOT NULL DEFAULT '',
  round    INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (erasure, kind, key, file_key)
);

-- The number itself, as long as something may name it that cannot be read.
ALTER TABLE erasure ADD COLUMN number TEXT;
