-- was_stopped: 1 if it was STOPPED when the store was restored; it is STOPPED again when an operator releases it.
ALTER TABLE reservation ADD COLUMN was_stopped INTEGER NOT NULL DEFAULT 0;
-- Those that halt are cancelled when nobody has gone on with them for long.
CREATE INDEX reservation_halted ON reservation (updated_at) WHERE status IN ('STOPPED', 'HELD');

-- size: with how many recipients a list was made; those of before may have had as many as a list can have.
ALTER TABLE reservation_list ADD COLUMN size INTEGER NOT NULL DEFAULT 50;
