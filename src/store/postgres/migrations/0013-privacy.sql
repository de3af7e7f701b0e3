-- Texts are removed before their messages are: only the channels of the flow stay.
ALTER TABLE request ADD COLUMN text_removed_at bigint;

-- Every request up to this one has been looked at, to remove its text. One row: whoever locks it is the one that removes.
CREATE TABLE text_position (
  request_id text COLLATE "C" NOT NULL
);
INSERT INTO text_position (request_id) VALUES ('');

-- Requests that were still on their way then.
CREATE TABLE text_left (
  request_id text COLLATE "C" PRIMARY KEY,
  look_at    bigint NOT NULL
);
CREATE INDEX text_left_by_look ON text_left (look_at);

-- Orders to erase a recipient. The number is kept masked only: what is still to do is a list of messages.
CREATE TABLE erasure (
  id         text COLLATE "C" PRIMARY KEY,
  ordered_at bigint NOT NULL,
  account    text COLLATE "C",
  recipient  text NOT NULL,
  messages   integer NOT NULL,
  ended_at   bigint
);

-- Messages of an order that are still on their way.
CREATE TABLE erasure_open (
  erasure text COLLATE "C" NOT NULL,
  msg_key text COLLATE "C" NOT NULL,
  PRIMARY KEY (erasure, msg_key)
);
