-- How many reservations an account has that have not ended: it may have so many.
CREATE INDEX reservation_open ON reservation (account) WHERE ended_at IS NULL;
