-- Sends that wait for their time (port/reservation-store.ts). keys_at: the moment that the keys of its messages begin with.
-- expected, sent: recipients; delivered, failed: what became of those sent, as far as counted. source and name are sealed
-- where there is a data key; source goes when its text is removed.
CREATE TABLE reservation (
  resv_key   TEXT PRIMARY KEY,
  account    TEXT NOT NULL,
  status     TEXT NOT NULL,
  send_at    INTEGER NOT NULL,
  keys_at    INTEGER NOT NULL,
  name       TEXT,
  ref        TEXT,
  payment    TEXT,
  group_key  TEXT,
  source     TEXT,
  channels   TEXT NOT NULL,
  is_ad      INTEGER NOT NULL,
  expected   INTEGER NOT NULL,
  sent       INTEGER NOT NULL,
  delivered  INTEGER NOT NULL,
  failed     INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  ended_at   INTEGER
) WITHOUT ROWID;
CREATE INDEX reservation_by_account ON reservation (account, resv_key);
CREATE INDEX reservation_by_time ON reservation (send_at) WHERE status = 'PENDING';
CREATE INDEX reservation_by_turn ON reservation (account, send_at) WHERE status = 'PROCESSING';
CREATE INDEX reservation_by_end ON reservation (ended_at) WHERE ended_at IS NOT NULL;

-- Its recipients, a few dozen in a row: they become the messages of one request. recipients is JSON, sealed where there is a
-- data key, and empty once they have. total: how many; delivered, failed: as counted last; look_at: when they are counted again.
CREATE TABLE reservation_list (
  request_id  TEXT PRIMARY KEY,
  resv_key    TEXT NOT NULL,
  account     TEXT NOT NULL,
  recipients  TEXT NOT NULL,
  total       INTEGER NOT NULL,
  delivered   INTEGER NOT NULL,
  failed      INTEGER NOT NULL,
  released_at INTEGER,
  look_at     INTEGER
) WITHOUT ROWID;
CREATE INDEX reservation_list_by_reservation ON reservation_list (resv_key, request_id);
CREATE INDEX reservation_list_waiting ON reservation_list (resv_key, request_id) WHERE released_at IS NULL;
CREATE INDEX reservation_list_by_look ON reservation_list (look_at) WHERE look_at IS NOT NULL;

-- Requests of reservations. Their keys may be older than they are: who walks messages in the order of their keys may have passed
-- them, and finds them here.
CREATE TABLE late_request (
  follower   TEXT NOT NULL,
  request_id TEXT NOT NULL,
  stored_at  INTEGER NOT NULL,
  PRIMARY KEY (follower, request_id)
) WITHOUT ROWID;
CREATE INDEX late_request_by_age ON late_request (follower, stored_at);
