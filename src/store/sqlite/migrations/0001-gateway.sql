-- Times are milliseconds since 1970. Keys of messages are ordered by time, so every insert lands at the right edge.

CREATE TABLE account (
  id            TEXT PRIMARY KEY,
  password_hash TEXT NOT NULL,
  blocked       INTEGER NOT NULL,
  created_at    INTEGER NOT NULL,
  settings      TEXT NOT NULL
) WITHOUT ROWID;

-- Values this installation generated once.
CREATE TABLE remembered (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE token (
  hash       TEXT PRIMARY KEY,
  account    TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX token_by_expiry ON token (expires_at);

-- Cold: what was asked, once for all its recipients.
CREATE TABLE request (
  request_id  TEXT PRIMARY KEY,
  account     TEXT NOT NULL,
  accepted_at INTEGER NOT NULL,
  ref         TEXT,
  payment     TEXT,
  flow        TEXT NOT NULL
) WITHOUT ROWID;

-- Cold: one row a recipient; `state` is set when the whole message is over.
CREATE TABLE message (
  msg_key     TEXT PRIMARY KEY,
  account     TEXT NOT NULL,
  recipient   TEXT NOT NULL,
  words       TEXT,
  state       TEXT,
  step        INTEGER,
  finished_at INTEGER,
  history     TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;

-- Hot: one row a message on its way, gone when it is over.
-- phase: 0 ready (from due_at on), 1 claimed by `owner`, 2 waiting for a receipt; see store/phase.ts.
CREATE TABLE job (
  msg_key      TEXT PRIMARY KEY,
  account      TEXT NOT NULL,
  carrier      TEXT NOT NULL,
  phase        INTEGER NOT NULL,
  due_at       INTEGER NOT NULL,
  state        TEXT NOT NULL,
  step         INTEGER NOT NULL,
  attempt      INTEGER NOT NULL,
  owner        TEXT,
  submitted_at INTEGER,
  deadline_at  INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX job_by_turn ON job (carrier, due_at) WHERE phase = 0;
-- A step in the queue with a long deadline is not indexed by it: an entry for each accepted SMS costs 8 µs, and such a
-- step expires when its turn comes, or when it is among the oldest (sqlite/overdue.ts).
CREATE INDEX job_by_deadline ON job (deadline_at) WHERE phase <> 0 OR deadline_at - due_at < 7200000;

-- The carrier's reference of an attempt. Kept after the end, for receipts that repeat or come late.
CREATE TABLE carrier_ref (
  id         INTEGER PRIMARY KEY,
  carrier    TEXT NOT NULL,
  ref        TEXT NOT NULL,
  msg_key    TEXT NOT NULL,
  step       INTEGER NOT NULL,
  attempt    INTEGER NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX carrier_ref_by_ref ON carrier_ref (carrier, ref);

-- Receipts that came before the answer that names their reference.
CREATE TABLE parked_receipt (
  id          INTEGER PRIMARY KEY,
  carrier     TEXT NOT NULL,
  ref         TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  event       TEXT NOT NULL
);
CREATE INDEX parked_receipt_by_ref ON parked_receipt (carrier, ref);

-- Cold: the ledger of report records, for inquiry.
CREATE TABLE report (
  msg_key      TEXT NOT NULL,
  step         INTEGER NOT NULL,
  account      TEXT NOT NULL,
  service_type TEXT NOT NULL,
  msg_type     TEXT NOT NULL,
  sent_at      INTEGER,
  reported_at  INTEGER NOT NULL,
  report_code  TEXT NOT NULL,
  carrier      TEXT,
  res_cnt      TEXT,
  user_type    TEXT,
  ref          TEXT,
  is_last      INTEGER NOT NULL,
  PRIMARY KEY (msg_key, step)
) WITHOUT ROWID;

-- Hot: records not fetched yet, in the order they came; `batch` is set while they are handed out.
CREATE TABLE report_queue (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  account     TEXT NOT NULL,
  msg_key     TEXT NOT NULL,
  step        INTEGER NOT NULL,
  is_last     INTEGER NOT NULL,
  reported_at INTEGER NOT NULL,
  batch       TEXT
);
CREATE INDEX report_queue_by_account ON report_queue (account, batch, seq);

-- The batch an account holds; there is never more than one.
CREATE TABLE report_batch (
  account    TEXT PRIMARY KEY,
  report_id  TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE idempotency (
  account    TEXT NOT NULL,
  key        TEXT NOT NULL,
  body_hash  TEXT NOT NULL,
  response   TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account, key)
) WITHOUT ROWID;
CREATE INDEX idempotency_by_age ON idempotency (created_at);
