-- The trace of the client that a request belongs to.
ALTER TABLE request ADD COLUMN traceparent TEXT;
ALTER TABLE report ADD COLUMN traceparent TEXT;
ALTER TABLE reservation ADD COLUMN traceparent TEXT;
