-- Whether an order to erase also deletes the images that its messages named: those still pending have theirs until they end.
ALTER TABLE erasure ADD COLUMN images INTEGER NOT NULL DEFAULT 0;
