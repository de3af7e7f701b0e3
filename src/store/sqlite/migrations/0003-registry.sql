-- What an operator has registered for an account; `entry` is JSON, see domain/registry.ts.
CREATE TABLE registry (
  account TEXT NOT NULL,
  kind    TEXT NOT NULL,
  key     TEXT NOT NULL,
  entry   TEXT NOT NULL,
  PRIMARY KEY (account, kind, key)
) WITHOUT ROWID;
