-- What was sent a moment ago, by accounts that do not want the same text to go to the same recipient twice. Rows go
-- within the hour. `tag` is the same for repetitions of one request.
CREATE TABLE recent_send (
  account    text COLLATE "C" NOT NULL,
  hash       text COLLATE "C" NOT NULL,
  tag        text NOT NULL,
  msg_key    text COLLATE "C" NOT NULL,
  sent_at    bigint NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (account, hash)
);
CREATE INDEX recent_send_by_expiry ON recent_send (expires_at);

-- As on the other tables of accounts (0014): the role of an account sees its own rows.
ALTER TABLE recent_send ENABLE ROW LEVEL SECURITY;
CREATE POLICY account ON recent_send USING (account = current_setting('bongsu.accounts', true));
