-- concurrently
-- Inbound messages that have their text, oldest first, for the sweep.
CREATE INDEX inbound_texts ON inbound (msg_key) WHERE content IS NOT NULL;
