-- The table and key of a row that could not be read, so that it is listed once.
ALTER TABLE set_aside ADD COLUMN stored_row text;
