-- Named operators: the token of each, as a hash, with its role. A name is free again when its token has ended.
CREATE TABLE operator_token (
  id           TEXT PRIMARY KEY,
  name         TEXT NOT NULL,
  role         TEXT NOT NULL,
  hash         TEXT NOT NULL UNIQUE,
  created_at   INTEGER NOT NULL,
  created_by   TEXT NOT NULL,
  expires_at   INTEGER NOT NULL,
  revoked_at   INTEGER,
  last_used_at INTEGER
) WITHOUT ROWID;

-- Whose session it is; null for the admin token's own.
ALTER TABLE session ADD COLUMN operator_id TEXT;

-- Who it was; null where that was not recorded yet, and no id for the admin token and the command line.
ALTER TABLE audit ADD COLUMN name TEXT;
ALTER TABLE audit ADD COLUMN operator_id TEXT;
