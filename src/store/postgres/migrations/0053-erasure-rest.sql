-- What an order to erase has yet to do beside its messages; see port/privacy-store.ts. It is not in erasure_open, because programs
-- from before this table delete there what they do not know.
CREATE TABLE erasure_rest (
  erasure  text COLLATE "C" NOT NULL,
  kind     text COLLATE "C" NOT NULL,
  key      text COLLATE "C" NOT NULL,
  file_key text COLLATE "C" NOT NULL DEFAULT '',
  round    integer NOT NULL DEFAULT 0,
  PRIMARY KEY (erasure, kind, key, file_key)
);

-- The number itself, as long as something may name it that cannot be read.
ALTER TABLE erasure ADD COLUMN number text;
