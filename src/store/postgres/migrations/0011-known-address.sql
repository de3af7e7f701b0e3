-- From where the right password of an account, or the admin token (owner ''), was given: not to be locked out by others'
-- guesses. `hash` covers address and secret, so a new secret makes a new start.
CREATE TABLE known_address (
  hash    text COLLATE "C" PRIMARY KEY,
  owner   text COLLATE "C" NOT NULL,
  seen_at bigint NOT NULL
);
CREATE INDEX known_address_by_owner ON known_address (owner, seen_at);
