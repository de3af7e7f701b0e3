-- The operator's side: who is signed in, what was changed by whom, numbers by the minute, and finding messages.

-- Signed-in operators. `authority` changes with the admin token: whoever signed in by another one is out.
CREATE TABLE session (
  hash       text COLLATE "C" PRIMARY KEY,
  authority  text NOT NULL,
  expires_at bigint NOT NULL
);

CREATE TABLE audit (
  id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at      bigint NOT NULL,
  who     text NOT NULL,
  action  text NOT NULL,
  target  text NOT NULL,
  details text NOT NULL
);

-- Sums of a minute by name, over all nodes; see operations/statistics.ts.
CREATE TABLE statistic (
  at    bigint NOT NULL,
  name  text COLLATE "C" NOT NULL,
  value bigint NOT NULL,
  PRIMARY KEY (at, name)
);

-- Finds messages by recipient, reference and account. Filled behind the traffic, see store/search.ts: an index on
-- `message` would cost every accept a write at a random place. By day, as the other cold tables.
CREATE TABLE message_index (
  term    text COLLATE "C" NOT NULL,
  msg_key text COLLATE "C" NOT NULL,
  PRIMARY KEY (term, msg_key)
) PARTITION BY RANGE (msg_key);
CREATE TABLE message_index_default PARTITION OF message_index DEFAULT;

-- Every message up to this key is in message_index. One row: whoever locks it is the one that indexes.
CREATE TABLE index_position (
  msg_key text COLLATE "C" NOT NULL
);
INSERT INTO index_position (msg_key) VALUES ('');

-- Messages that failed, newest last, all of them and by code; delivered ones cost this nothing.
CREATE INDEX report_failed ON report (msg_key) WHERE is_last = 1 AND report_code <> '10000';
CREATE INDEX report_failed_by_code ON report (report_code, msg_key) WHERE is_last = 1 AND report_code <> '10000';

CREATE INDEX file_by_account ON file (account, file_key);
