-- Recipients who opted out, see domain/delivery/opt-out.ts. `number` is what they are found by: a keyed hash where there is
-- a data key. An entry that has ended stays as proof.
CREATE TABLE opt_out (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  account   TEXT NOT NULL,
  number    TEXT NOT NULL,
  recipient TEXT NOT NULL,
  sender    TEXT NOT NULL,
  covers    TEXT NOT NULL,
  source    TEXT,
  since_at  INTEGER NOT NULL,
  since_way TEXT NOT NULL,
  since_by  TEXT NOT NULL,
  ended_at  INTEGER,
  ended_way TEXT,
  ended_by  TEXT
);
CREATE INDEX opt_out_by_number ON opt_out (account, number);
CREATE INDEX opt_out_by_account ON opt_out (account, id);
CREATE INDEX opt_out_by_end ON opt_out (ended_at) WHERE ended_at IS NOT NULL;

-- Which accounts have a list, and what its entries cover: all that most sends need to know of it.
CREATE TABLE opt_out_list (
  account TEXT NOT NULL,
  covers  TEXT NOT NULL,
  PRIMARY KEY (account, covers)
) WITHOUT ROWID;
