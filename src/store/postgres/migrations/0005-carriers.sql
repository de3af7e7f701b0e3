-- Fair lanes: a claim takes of each account in turn, what is sent singly (rank 0) before bulk (rank 1).
ALTER TABLE job ADD COLUMN rank smallint NOT NULL DEFAULT 0;
-- Receipts of a message that went out in parts; see domain/parts.ts.
ALTER TABLE job ADD COLUMN parts text;
DROP INDEX job_by_turn;
CREATE INDEX job_by_turn ON job (carrier, account, rank, due_at, msg_key) WHERE owner IS NULL;

-- The same reference may stand for several messages and parts; the recipient tells them apart.
ALTER TABLE carrier_ref ADD COLUMN part smallint NOT NULL DEFAULT 0;
ALTER TABLE carrier_ref ADD COLUMN recipient text NOT NULL DEFAULT '';
ALTER TABLE carrier_ref DROP CONSTRAINT carrier_ref_pkey;
ALTER TABLE carrier_ref ADD PRIMARY KEY (carrier, ref, msg_key, part);
ALTER TABLE parked_receipt ADD COLUMN recipient text;

CREATE TABLE carrier_pause (
  carrier   text COLLATE "C" PRIMARY KEY,
  paused_at bigint NOT NULL
);

-- What each node told last of its carriers; JSON.
CREATE TABLE carrier_report (
  node    text COLLATE "C" NOT NULL,
  carrier text COLLATE "C" NOT NULL,
  report  text NOT NULL,
  told_at bigint NOT NULL,
  PRIMARY KEY (node, carrier)
);
