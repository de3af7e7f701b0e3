-- concurrently
-- Inbound messages that wait to be fetched, oldest first, for the sweep.
CREATE INDEX inbound_unfetched ON inbound (msg_key) WHERE waiting = 1 AND batch IS NULL;
