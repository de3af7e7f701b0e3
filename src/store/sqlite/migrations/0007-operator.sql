-- The operator's side: who is signed in, what was changed by whom, numbers by the minute, and finding messages.

-- Signed-in operators. `authority` changes with the admin token: whoever signed in by another one is out.
CREATE TABLE session (
  hash       TEXT PRIMARY KEY,
  authority  TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE audit (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  at      INTEGER NOT NULL,
  who     TEXT NOT NULL,
  action  TEXT NOT NULL,
  target  TEXT NOT NULL,
  details TEXT NOT NULL
);

-- Sums of a minute by name; see operations/statistics.ts.
CREATE TABLE statistic (
  at    INTEGER NOT NULL,
  name  TEXT NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (at, name)
) WITHOUT ROWID;

-- Finds messages by recipient, reference and account. Filled behind the traffic, see store/search.ts: an index on
-- `message` would cost every accept a write at a random place.
CREATE TABLE message_index (
  term    TEXT NOT NULL,
  msg_key TEXT NOT NULL,
  PRIMARY KEY (term, msg_key)
) WITHOUT ROWID;

-- Every message up to this key is in message_index.
CREATE TABLE index_position (
  msg_key TEXT NOT NULL
);
INSERT INTO index_position (msg_key) VALUES ('');

-- Messages that failed, newest last, all of them and by code; delivered ones cost this nothing.
CREATE INDEX report_failed ON report (msg_key) WHERE is_last = 1 AND report_code <> '10000';
CREATE INDEX report_failed_by_code ON report (report_code, msg_key) WHERE is_last = 1 AND report_code <> '10000';

CREATE INDEX file_by_account ON file (account, file_key);
