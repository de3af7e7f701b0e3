-- Sums of the traffic by hour and day, counted behind the traffic; see store/rollups.ts.
-- `hours` is the length of the stretch that begins at `at`: 1 or 24. Rows of all accounts together have account '' and
-- no sender. lag0 to lag23: delivered messages by the time from accept to the end, see platform/latency.ts.
CREATE TABLE rollup (
  hours     INTEGER NOT NULL,
  at        INTEGER NOT NULL,
  account   TEXT NOT NULL,
  sender    TEXT NOT NULL,
  channel   TEXT NOT NULL,
  carrier   TEXT NOT NULL,
  code      TEXT NOT NULL,
  accepted  INTEGER NOT NULL,
  ended     INTEGER NOT NULL,
  messages  INTEGER NOT NULL,
  delivered INTEGER NOT NULL,
  expired   INTEGER NOT NULL,
  parts     INTEGER NOT NULL,
  lag0  INTEGER NOT NULL, lag1  INTEGER NOT NULL, lag2  INTEGER NOT NULL, lag3  INTEGER NOT NULL,
  lag4  INTEGER NOT NULL, lag5  INTEGER NOT NULL, lag6  INTEGER NOT NULL, lag7  INTEGER NOT NULL,
  lag8  INTEGER NOT NULL, lag9  INTEGER NOT NULL, lag10 INTEGER NOT NULL, lag11 INTEGER NOT NULL,
  lag12 INTEGER NOT NULL, lag13 INTEGER NOT NULL, lag14 INTEGER NOT NULL, lag15 INTEGER NOT NULL,
  lag16 INTEGER NOT NULL, lag17 INTEGER NOT NULL, lag18 INTEGER NOT NULL, lag19 INTEGER NOT NULL,
  lag20 INTEGER NOT NULL, lag21 INTEGER NOT NULL, lag22 INTEGER NOT NULL, lag23 INTEGER NOT NULL,
  PRIMARY KEY (hours, at, account, sender, channel, carrier, code)
) WITHOUT ROWID;

-- Every message up to this key is counted as accepted.
CREATE TABLE rollup_position (
  msg_key TEXT NOT NULL
);
INSERT INTO rollup_position (msg_key) VALUES ('');

-- Messages that were still on their way then.
CREATE TABLE rollup_open (
  msg_key TEXT PRIMARY KEY,
  look_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX rollup_open_by_look ON rollup_open (look_at);

-- What nodes submitted to carriers, by minute (hours 0), hour and day.
CREATE TABLE carrier_rollup (
  hours     INTEGER NOT NULL,
  at        INTEGER NOT NULL,
  carrier   TEXT NOT NULL,
  submitted INTEGER NOT NULL,
  refused   INTEGER NOT NULL,
  throttled INTEGER NOT NULL,
  PRIMARY KEY (hours, at, carrier)
) WITHOUT ROWID;
