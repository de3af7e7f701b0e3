-- Texts are removed before their messages are: only the channels of the flow stay.
ALTER TABLE request ADD COLUMN text_removed_at INTEGER;

-- Every request up to this one has been looked at, to remove its text.
CREATE TABLE text_position (
  request_id TEXT NOT NULL
);
INSERT INTO text_position (request_id) VALUES ('');

-- Requests that were still on their way then.
CREATE TABLE text_left (
  request_id TEXT PRIMARY KEY,
  look_at    INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX text_left_by_look ON text_left (look_at);

-- Orders to erase a recipient. The number is kept masked only: what is still to do is a list of messages.
CREATE TABLE erasure (
  id         TEXT PRIMARY KEY,
  ordered_at INTEGER NOT NULL,
  account    TEXT,
  recipient  TEXT NOT NULL,
  messages   INTEGER NOT NULL,
  ended_at   INTEGER
) WITHOUT ROWID;

-- Messages of an order that are still on their way.
CREATE TABLE erasure_open (
  erasure TEXT NOT NULL,
  msg_key TEXT NOT NULL,
  PRIMARY KEY (erasure, msg_key)
) WITHOUT ROWID;
