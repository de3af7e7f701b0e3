-- A message that was sent again, and the one that was sent in its place.
CREATE TABLE resend (
  new_key TEXT PRIMARY KEY,
  old_key TEXT NOT NULL,
  at      INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX resend_by_old_key ON resend (old_key);
CREATE INDEX resend_by_age ON resend (at);
