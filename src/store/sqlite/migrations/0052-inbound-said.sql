-- concurrently
-- Inbound messages that are known by their words, oldest first, for the sweep.
CREATE INDEX inbound_said ON inbound (msg_key) WHERE said IS NOT NULL;
