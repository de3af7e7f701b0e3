-- How often operators have asked all nodes to try a carrier at once. One row for each carrier.
CREATE TABLE carrier_reconnect (
  carrier TEXT PRIMARY KEY,
  asked   INTEGER NOT NULL
) WITHOUT ROWID;
