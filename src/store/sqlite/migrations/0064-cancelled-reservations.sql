-- concurrently
-- Those that were cancelled, for the sweep of their lists.
CREATE INDEX reservation_cancelled ON reservation (resv_key) WHERE status = 'CANCELLED';
