-- Inbound messages that could not be read when they were to be handed out. Each start tries them again.
CREATE INDEX inbound_aside ON inbound (msg_key) WHERE waiting = 2;
