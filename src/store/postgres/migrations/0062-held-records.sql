-- concurrently
-- Records in open batches: retention spares their messages, and asks for each day and each message whether there are any.
CREATE INDEX report_queue_held ON report_queue (msg_key) WHERE batch IS NOT NULL;
