-- What was sent a moment ago, by accounts that do not want the same text to go to the same recipient twice. Rows go
-- within the hour. `tag` is the same for repetitions of one request.
CREATE TABLE recent_send (
  account    TEXT NOT NULL,
  hash       TEXT NOT NULL,
  tag        TEXT NOT NULL,
  msg_key    TEXT NOT NULL,
  sent_at    INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (account, hash)
) WITHOUT ROWID;
CREATE INDEX recent_send_by_expiry ON recent_send (expires_at);
