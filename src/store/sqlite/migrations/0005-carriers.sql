-- Fair lanes: a claim takes of each account in turn, what is sent singly (rank 0) before bulk (rank 1).
ALTER TABLE job ADD COLUMN rank INTEGER NOT NULL DEFAULT 0;
-- Receipts of a message that went out in parts; see domain/parts.ts.
ALTER TABLE job ADD COLUMN parts TEXT;
DROP INDEX job_by_turn;
CREATE INDEX job_by_turn ON job (carrier, account, rank, due_at) WHERE phase = 0;

-- A reference may stand for several messages and parts: some carriers number from one again after a restart, some give
-- every message the same. The recipient tells them apart.
ALTER TABLE carrier_ref ADD COLUMN part INTEGER NOT NULL DEFAULT 0;
ALTER TABLE carrier_ref ADD COLUMN recipient TEXT NOT NULL DEFAULT '';
DROP INDEX carrier_ref_by_ref;
CREATE INDEX carrier_ref_by_ref ON carrier_ref (carrier, ref);
ALTER TABLE parked_receipt ADD COLUMN recipient TEXT;

CREATE TABLE carrier_pause (
  carrier   TEXT PRIMARY KEY,
  paused_at INTEGER NOT NULL
) WITHOUT ROWID;

-- What each node told last of its carriers; JSON.
CREATE TABLE carrier_report (
  node    TEXT NOT NULL,
  carrier TEXT NOT NULL,
  report  TEXT NOT NULL,
  told_at INTEGER NOT NULL,
  PRIMARY KEY (node, carrier)
) WITHOUT ROWID;
