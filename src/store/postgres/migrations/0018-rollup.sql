-- Sums of the traffic by hour and day, counted behind the traffic; see store/rollups.ts.
-- `hours` is the length of the stretch that begins at `at`: 1 or 24. Rows of all accounts together have account '' and
-- no sender. lag0 to lag23: delivered messages by the time from accept to the end, see platform/latency.ts.
CREATE TABLE rollup (
  hours     smallint NOT NULL,
  at        bigint NOT NULL,
  account   text COLLATE "C" NOT NULL,
  sender    text COLLATE "C" NOT NULL,
  channel   text COLLATE "C" NOT NULL,
  carrier   text COLLATE "C" NOT NULL,
  code      text COLLATE "C" NOT NULL,
  accepted  integer NOT NULL,
  ended     integer NOT NULL,
  messages  integer NOT NULL,
  delivered integer NOT NULL,
  expired   integer NOT NULL,
  parts     integer NOT NULL,
  lag0  integer NOT NULL, lag1  integer NOT NULL, lag2  integer NOT NULL, lag3  integer NOT NULL,
  lag4  integer NOT NULL, lag5  integer NOT NULL, lag6  integer NOT NULL, lag7  integer NOT NULL,
  lag8  integer NOT NULL, lag9  integer NOT NULL, lag10 integer NOT NULL, lag11 integer NOT NULL,
  lag12 integer NOT NULL, lag13 integer NOT NULL, lag14 integer NOT NULL, lag15 integer NOT NULL,
  lag16 integer NOT NULL, lag17 integer NOT NULL, lag18 integer NOT NULL, lag19 integer NOT NULL,
  lag20 integer NOT NULL, lag21 integer NOT NULL, lag22 integer NOT NULL, lag23 integer NOT NULL,
  PRIMARY KEY (hours, at, account, sender, channel, carrier, code)
) WITH (fillfactor = 70);

-- Every message up to this key is counted as accepted. One row: whoever locks it is the one that counts.
CREATE TABLE rollup_position (
  msg_key text COLLATE "C" NOT NULL
);
INSERT INTO rollup_position (msg_key) VALUES ('');

-- Messages that were still on their way then.
CREATE TABLE rollup_open (
  msg_key text COLLATE "C" PRIMARY KEY,
  look_at bigint NOT NULL
);
CREATE INDEX rollup_open_by_look ON rollup_open (look_at);

-- What nodes submitted to carriers, by minute (hours 0), hour and day.
CREATE TABLE carrier_rollup (
  hours     smallint NOT NULL,
  at        bigint NOT NULL,
  carrier   text COLLATE "C" NOT NULL,
  submitted integer NOT NULL,
  refused   integer NOT NULL,
  throttled integer NOT NULL,
  PRIMARY KEY (hours, at, carrier)
) WITH (fillfactor = 70);
