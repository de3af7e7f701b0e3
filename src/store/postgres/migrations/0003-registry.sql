-- What an operator has registered for an account; `entry` is JSON, see domain/registry.ts.
CREATE TABLE registry (
  account text COLLATE "C" NOT NULL,
  kind    text COLLATE "C" NOT NULL,
  key     text COLLATE "C" NOT NULL,
  entry   text NOT NULL,
  PRIMARY KEY (account, kind, key)
);
