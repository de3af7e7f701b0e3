-- concurrently
-- The audit log of a time, newest first.
CREATE INDEX audit_by_time ON audit (at, id);
