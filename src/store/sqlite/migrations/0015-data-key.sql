-- The data keys that values of this store may be sealed with, by their ids: a gateway that lacks one does not start.
CREATE TABLE data_key (
  id            TEXT PRIMARY KEY,
  first_used_at INTEGER NOT NULL
) WITHOUT ROWID;
