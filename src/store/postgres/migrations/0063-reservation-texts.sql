-- concurrently
-- Reservations that ended and have their text, oldest first, for the sweep.
CREATE INDEX reservation_texts ON reservation (ended_at)
  WHERE ended_at IS NOT NULL AND (source IS NOT NULL OR name IS NOT NULL);
