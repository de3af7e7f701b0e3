-- Messages that people send to numbers of accounts (port/inbound-store.ts).
CREATE TABLE inbound (
  msg_key     TEXT PRIMARY KEY,
  account     TEXT,
  carrier     TEXT NOT NULL,
  -- The carrier's own id; or, until it is certain that the carrier got our answer, a hash of what it says.
  carrier_id  TEXT,
  said        TEXT,
  occurrence  INTEGER,
  recipient   TEXT NOT NULL,
  sender      TEXT NOT NULL,
  -- A hash of the sender, to find it by.
  sender_term TEXT NOT NULL,
  content     TEXT,
  keyword     TEXT,
  received_at INTEGER NOT NULL,
  -- 1 while the client is to get it, 0 if it was not fetched in time; the batch it was handed out in.
  waiting     INTEGER,
  batch       TEXT,
  fetched_at  INTEGER,
  rules_at    INTEGER,
  reply_key   TEXT,
  reply_problem TEXT
) WITHOUT ROWID;
CREATE UNIQUE INDEX inbound_by_id ON inbound (carrier, carrier_id) WHERE carrier_id IS NOT NULL;
CREATE UNIQUE INDEX inbound_by_words ON inbound (carrier, said) WHERE said IS NOT NULL;
CREATE INDEX inbound_by_account ON inbound (account, msg_key);
CREATE INDEX inbound_by_sender ON inbound (sender_term, msg_key);
CREATE INDEX inbound_waiting ON inbound (account, msg_key) WHERE waiting = 1;
CREATE INDEX inbound_rules ON inbound (rules_at) WHERE rules_at IS NOT NULL;

-- The batch that an account holds.
CREATE TABLE inbound_batch (
  account    TEXT PRIMARY KEY,
  batch_id   TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;

-- Parts of long messages, until all are there and the carrier has our answer to each.
CREATE TABLE inbound_part (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  carrier     TEXT NOT NULL,
  recipient   TEXT NOT NULL,
  sender      TEXT NOT NULL,
  sender_term TEXT NOT NULL,
  reference   TEXT NOT NULL,
  part        INTEGER NOT NULL,
  total       INTEGER NOT NULL,
  alphabet    TEXT NOT NULL,
  octets      TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  joined      INTEGER NOT NULL,
  confirmed   INTEGER NOT NULL
);
CREATE INDEX inbound_part_by_message ON inbound_part (carrier, recipient, reference);
CREATE INDEX inbound_part_by_age ON inbound_part (received_at);

-- A number, or a keyword of it, belongs to one account. No row has this kind yet.
CREATE UNIQUE INDEX registry_inbound ON registry (key) WHERE kind = 'inboundNumber';
