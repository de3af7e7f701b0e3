-- concurrently
-- What is set aside is listed once, whoever meets it.
CREATE INDEX set_aside_by_row ON set_aside (stored_row) WHERE stored_row IS NOT NULL;
