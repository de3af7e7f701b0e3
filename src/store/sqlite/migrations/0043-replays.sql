-- replay_at: what an operator asked for again, by range, may be sent from then on while nothing of its account is due by next_at;
-- NULL for all else. A replay of what had ended has no turn of its own: its next_at is the end of its window.
ALTER TABLE webhook_delivery ADD COLUMN replay_at INTEGER;
