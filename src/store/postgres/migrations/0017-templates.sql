-- Templates are entries of the registry. Their changes are counted, so that of two operators only one overwrites what both
-- have read, and kept: who made which, and what the template was after it. `entry` is JSON, see domain/registry/registry.ts.
ALTER TABLE registry ADD COLUMN revision integer NOT NULL DEFAULT 0;
ALTER TABLE registry ADD COLUMN changed_at bigint;

CREATE TABLE template_history (
  account  text COLLATE "C" NOT NULL,
  kind     text COLLATE "C" NOT NULL,
  key      text COLLATE "C" NOT NULL,
  revision integer NOT NULL,
  at       bigint NOT NULL,
  by       text NOT NULL,
  entry    text NOT NULL,
  PRIMARY KEY (account, kind, key, revision)
);

-- As on the other tables of accounts (0014).
ALTER TABLE template_history ENABLE ROW LEVEL SECURITY;
CREATE POLICY account ON template_history USING (account = current_setting('bongsu.accounts', true));
