-- The order in which replays of an account are sent.
CREATE INDEX webhook_delivery_replays ON webhook_delivery (account, replay_at, msg_key, step)
  WHERE state = 'pending' AND replay_at IS NOT NULL;
