-- A message that was sent again, and the one that was sent in its place.
CREATE TABLE resend (
  new_key text COLLATE "C" PRIMARY KEY,
  old_key text COLLATE "C" NOT NULL,
  at      bigint NOT NULL
);
CREATE INDEX resend_by_old_key ON resend (old_key);
CREATE INDEX resend_by_age ON resend (at);
