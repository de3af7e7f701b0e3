-- Tables that are not logged are empty after PostgreSQL has crashed, and on a standby that took over. Without this row the shares of
-- carriers were lost, which nodes use for some seconds more.
CREATE UNLOGGED TABLE carrier_shares_kept (since timestamptz NOT NULL);
INSERT INTO carrier_shares_kept VALUES ('-infinity');
