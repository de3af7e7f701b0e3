-- How often operators have asked all nodes to try a carrier at once. One row for each carrier.
CREATE TABLE carrier_reconnect (
  carrier text PRIMARY KEY,
  asked   bigint NOT NULL
);
