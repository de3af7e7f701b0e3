-- Templates are entries of the registry. Their changes are counted, so that of two operators only one overwrites what both
-- have read, and kept: who made which, and what the template was after it. `entry` is JSON, see domain/registry/registry.ts.
ALTER TABLE registry ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
ALTER TABLE registry ADD COLUMN changed_at INTEGER;

CREATE TABLE template_history (
  account  TEXT NOT NULL,
  kind     TEXT NOT NULL,
  key      TEXT NOT NULL,
  revision INTEGER NOT NULL,
  at       INTEGER NOT NULL,
  by       TEXT NOT NULL,
  entry    TEXT NOT NULL,
  PRIMARY KEY (account, kind, key, revision)
) WITHOUT ROWID;
