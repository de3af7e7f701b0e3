-- From where the right password of an account, or the admin token (owner ''), was given: not to be locked out by others'
-- guesses. `hash` covers address and secret, so a new secret makes a new start.
CREATE TABLE known_address (
  hash    TEXT PRIMARY KEY,
  owner   TEXT NOT NULL,
  seen_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX known_address_by_owner ON known_address (owner, seen_at);
